import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { Command } from '../../../src/cli/invocation.ts';
import { output } from '../../../src/cli/print.ts';
import { startJobsServer, type JobsServer } from '../../support/jobsServer.ts';

describe('a deploy of a file that was deployed before', () => {
  let folder: string;
  let server: JobsServer;
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-deployed-'));
    process.env['XDG_STATE_HOME'] = process.env['LOCALAPPDATA'] = join(folder, 'state');
    for (const how of ['write', 'say'] as const) mock.method(output, how, () => undefined);
    server = await startJobsServer();
  });
  afterEach(async () => {
    mock.restoreAll();
    await server.close();
    for (const [name, value] of Object.entries({ XDG_STATE_HOME, LOCALAPPDATA }))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    rmSync(folder, { recursive: true, force: true });
  });
  const deploy = async (name: string, ...more: string[]): Promise<number> => {
    const file = join(folder, 'a.job.yml');
    writeFileSync(file, `name: ${name}\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/main.py"}\n`);
    const module = 'deployCommand';
    const { deployCommand } = (await import(`../../../src/cli/${module}.ts`)) as { deployCommand: Command };
    const parameters = [file, '--url', server.url, ...more];
    return deployCommand({ parameters, token: undefined, signal: new AbortController().signal });
  };

  it('goes to its job, whatever the name of either is by now', async () => {
    await deploy('nightly');
    assert.equal(await deploy('weekly', '--yes'), 0);
    assert.deepEqual([server.mutations, server.jobs.size], [['create', 'reset 7'], 1]);
  });

  it('goes to no other job that a service which was emptied gave the same id', async () => {
    await deploy('nightly');
    server.jobs.set(7, { name: 'of somebody else' });
    server.begunMs = 1_800_000_000_000;
    assert.equal(await deploy('nightly', '--yes'), 0);
    assert.deepEqual([server.mutations, server.jobs.get(7)], [['create', 'create'], { name: 'of somebody else' }]);
  });
});
