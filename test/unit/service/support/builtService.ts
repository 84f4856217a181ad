import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ServiceConfiguration } from '../../../../src/service/startup/serviceConfiguration.ts';
import { parseJson } from '../../../../src/shared/json.ts';
import { build } from '../../../support/package.ts';
import { root } from '../../../support/paths.ts';
import { until, type Reply } from './testService.ts';

/** `dist/millrace.js`, the program that users get, as a process on folders of its own. */
export interface BuiltService {
  root: string;
  dataFolder: string;
  write(path: string, content: string): Promise<void>;
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Reply>;
  /** Submits a one-time run, waits for its end and gives what runs/get-output answers. */
  runTask(task: Record<string, unknown>, limitInMs?: number): Promise<BuiltRun>;
  remove(): Promise<void>;
}

interface BuiltRun {
  runId: string;
  lifeCycle: string;
  result?: string;
  message: string;
  logs: string;
  error?: string;
  errorTrace?: string;
  notebookResult?: string;
}

let built: Promise<void> | undefined;

/** Builds `dist/millrace.js` as it is packaged, once for all tests. @returns its path */
export async function buildProgram(): Promise<string> {
  await (built ??= process.env['MILLRACE_IS_BUILT'] === '1' ? Promise.resolve() : build(['--production']));
  return join(root, 'dist', 'millrace.js');
}

export async function startBuiltService(
  configuration: ServiceConfiguration = {},
  environment: NodeJS.ProcessEnv = {},
): Promise<BuiltService> {
  const script = await buildProgram();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'millrace-built-')));
  const [root, dataFolder] = [join(folder, 'root'), join(folder, 'data')];
  await mkdir(root);
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, 'serve', '--root', root, '--data', dataFolder, '--options', '-'],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    },
  );
  const ended = once(child, 'exit');
  child.stdin.end(JSON.stringify({ configuration: { discoverModels: false, ...configuration } }));
  const errors = text(child.stderr);
  const line = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data') as Promise<[string]>,
    ended.then(async () => [await errors]),
  ]);
  const { url, token } = JSON.parse(line[0] ?? '') as { url: string; token: string };

  const service: BuiltService = {
    root,
    dataFolder,
    async write(path, content) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    },
    async call(method, path, body) {
      const response = await fetch(url + path, {
        method,
        body: body === undefined ? undefined : JSON.stringify(body),
        headers: { authorization: `Bearer ${token}` },
      });
      const content = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text: content,
        json: content.startsWith('{') ? parseJson(content) : undefined,
      };
    },
    async runTask(task, limitInMs = 60_000) {
      const needsCluster = !('pipeline_task' in task || 'run_job_task' in task || 'new_cluster' in task);
      const reply = await service.call('POST', '/api/2.0/jobs/runs/submit', {
        ...(needsCluster ? { existing_cluster_id: 'local' } : {}),
        ...task,
      });
      if (reply.status !== 200) throw new Error(reply.text);
      const runId = String(reply.json.run_id);
      const state = await until(
        async () => {
          const found = (await service.call('GET', `/api/2.0/jobs/runs/get?run_id=${runId}`)).json.state;
          return ['TERMINATED', 'INTERNAL_ERROR', 'SKIPPED'].includes(found.life_cycle_state) ? found : undefined;
        },
        () => `run ${runId} to end`,
        limitInMs,
      );
      const { json: output } = await service.call('GET', `/api/2.0/jobs/runs/get-output?run_id=${runId}`);
      return {
        runId,
        lifeCycle: state.life_cycle_state,
        result: state.result_state,
        message: state.state_message,
        logs: output.logs ?? '',
        error: output.error,
        errorTrace: output.error_trace,
        notebookResult: output.notebook_output?.result,
      };
    },
    async remove() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
  return service;
}
