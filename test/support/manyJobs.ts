import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './paths.ts';
import { type EditorWindow, openWindow } from './window.ts';

export const jobCount = 12_000;

/** Fills a data folder by the service's own test controls, and ends that service. */
async function seed(workspace: string, dataFolder: string): Promise<void> {
  fs.mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const service = spawn(
    process.execPath,
    [path.join(root, 'dist', 'millrace.js'), 'serve', '--root', workspace, '--data', dataFolder, '--test-controls'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const ended = new Promise((resolve) => service.once('exit', resolve));
  try {
    const line = await new Promise<string>((resolve) => service.stdout.setEncoding('utf8').once('data', resolve));
    const { url, token } = JSON.parse(line) as { url: string; token: string };
    const post = async (name: string, body: object): Promise<void> => {
      const answer = await fetch(`${url}/api/millrace/test/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
      assert.equal(answer.status, 200, await answer.text());
    };
    for (let from = 0; from < jobCount; from += 3000) {
      const jobs = Array.from({ length: 3000 }, (_, index) => ({
        name: `nightly etl ${String(((from + index) * 7919) % jobCount).padStart(5, '0')}`,
        existing_cluster_id: 'local',
        spark_python_task: { python_file: '/etl.py', parameters: ['--day', '{{start_date}}'] },
        timeout_seconds: 3600,
      }));
      await post('seed', { jobs });
      // More jobs than may be created within one hour.
      await post('clock', { advance_ms: 3_600_000 });
    }
    await post('seed', { runs: { job_id: 1, count: 50 } });
  } finally {
    service.kill('SIGTERM');
    await ended;
  }
}

/**
 * Opens a window whose local service has 12,000 jobs. Its profile "Nobody" points at a service that does not run.
 * @param folder an empty folder for its files
 * @param vsix the packages to install
 */
export async function openManyJobs(folder: string, vsix: readonly string[]): Promise<EditorWindow> {
  const workspace = path.join(folder, 'many');
  const profileFolder = path.join(folder, 'profile');
  fs.mkdirSync(workspace);
  const digest = createHash('sha256').update(workspace).digest('hex').slice(0, 12);
  await seed(
    workspace,
    path.join(profileFolder, 'User', 'globalStorage', 'millrace.millrace', 'local', `many-${digest}`),
  );
  const settings = {
    'millrace.profiles': [{ id: 'nobody', name: 'Nobody', baseUrl: 'http://127.0.0.1:9', authKind: 'none' }],
  };
  return openWindow({ version: '1.139', vsix, workspace, profileFolder, settings });
}
