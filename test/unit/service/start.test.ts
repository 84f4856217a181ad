import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  ask,
  eachWithFolder,
  serviceBundle,
  startServiceProcess,
  type ServiceProcess,
} from './support/serviceProcess.ts';
import { pythonTask, until } from './support/testService.ts';

describe('Service start', function () {
  this.timeout(120_000);
  let folder: string;
  const running = eachWithFolder((one) => (folder = one));

  async function start(more: readonly string[] = [], data = folder): Promise<ServiceProcess> {
    const service = await startServiceProcess(data, more);
    running.add(service);
    return service;
  }

  /** Rejects with what the service wrote, and asserts that it ended by itself with the code. */
  async function refusal(more: readonly string[] = [], data = folder): Promise<string> {
    const error = await start(more, data).then(
      () => assert.fail('it started'),
      (reason: Error & { exitCode?: number }) => reason,
    );
    assert.equal(error.exitCode, 1, error.message);
    return error.message;
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- looked into freely
  async function call(service: ServiceProcess, path: string, body?: unknown): Promise<{ status: number; json: any }> {
    const response = await ask(service, path, body);
    return { status: response.status, json: await response.json() };
  }

  /** A folder with three jobs, whose service has ended. */
  async function fill(data = folder): Promise<void> {
    const service = await start([], data);
    for (const name of ['one', 'two', 'three']) await call(service, '/api/2.0/jobs/create', { name, ...pythonTask });
    await service.kill('SIGTERM');
    running.delete(service);
  }

  function namesOf(json: { jobs: { settings: { name: string } }[] }): string[] {
    return json.jobs.map((job) => job.settings.name).toSorted();
  }

  it('names what stands in the way and leaves nothing open', async () => {
    await fill();
    mkdirSync(join(folder, 'service.json'));
    assert.match(
      await refusal(),
      /service\.json, by which other windows find the local service, cannot be written.*move the file that is in its place/,
    );
    rmSync(join(folder, 'service.json'), { recursive: true });
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    assert.match(
      await refusal(['--port', String((taken.address() as AddressInfo).port)]),
      /Port \d+ cannot be used \(EADDRINUSE\).*Choose another port/,
    );
    taken.close();
    writeFileSync(join(folder, 'file'), '');
    assert.match(
      await refusal([], join(folder, 'file', 'data')).catch((error: Error) => error.message),
      /There is no folder|cannot be made/,
    );
    const service = await start();
    assert.deepEqual(namesOf((await call(service, '/api/2.0/jobs/list')).json), ['one', 'three', 'two']);
  });

  it('closes a data folder that others could read', async () => {
    await fill();
    chmodSync(folder, 0o755);
    const service = await start();
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    await until(
      async () => /could be read by other users.*mode 755.*now readable only by you/.test(service.errors()),
      () => service.errors(),
    );
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
  });

  it('stays readable on a full disk and refuses every change (P31)', async function () {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=700', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      console.log('      skipped: this user may mount no small disk');
      this.skip();
    }
    try {
      await fill(disk);
      const service = await start([], disk);
      await call(service, '/api/2.0/jobs/create', { name: 'four', ...pythonTask });
      const filler = openSync(join(disk, 'filler'), 'w');
      try {
        for (;;) if (writeSync(filler, Buffer.alloc(65_536)) === 0) break;
      } catch {
        // It is full.
      }
      try {
        for (;;) writeSync(filler, 'x');
      } catch {
        closeSync(filler);
      }
      const look = async (which: ServiceProcess): Promise<void> => {
        assert.deepEqual(namesOf((await call(which, '/api/2.0/jobs/list')).json), ['four', 'one', 'three', 'two']);
        const bodies = {
          create: { padding: 'x'.repeat(50_000), ...pythonTask },
          reset: { job_id: 1, new_settings: { padding: 'y'.repeat(50_000), ...pythonTask } },
          'runs/submit': { run_name: 'z'.repeat(4000), ...pythonTask, padding: 'x'.repeat(50_000) },
        };
        for (const [path, body] of Object.entries(bodies)) {
          const refused = await call(which, `/api/2.0/jobs/${path}`, body);
          assert.deepEqual([refused.status, refused.json.error_code], [500, 'STORAGE_FAILED'], path);
          assert.match(refused.json.message, /failed\. Free some disk space/);
        }
        assert.deepEqual(namesOf((await call(which, '/api/2.0/jobs/list')).json), ['four', 'one', 'three', 'two']);
      };
      await look(service);
      await service.kill('SIGKILL');
      running.delete(service);
      const second = await start([], disk);
      await look(second);
      await second.kill('SIGTERM');
      running.delete(second);
      assert.equal(second.child.exitCode, 0, second.errors());
      const third = await start([], disk);
      await look(third);
      rmSync(join(disk, 'filler'));
      assert.equal((await call(third, '/api/2.0/jobs/create', { name: 'five', ...pythonTask })).status, 200);
      await third.kill();
      running.delete(third);
    } finally {
      for (const service of running) await service.kill();
      running.clear();
      execFileSync('umount', [disk]);
    }
  });

  it('continues when nobody reads its output, and ends on SIGTERM with 0', async () => {
    const script = await serviceBundle();
    for (const how of ['closed', 'not read'] as const) {
      writeFileSync(join(folder, 'sleep.py'), 'import time\ntime.sleep(600)\n');
      const child = spawn(
        process.execPath,
        [script, 'serve', '--root', folder, '--data', folder, '--log-level', 'debug', '--token', 'token-of-a-test'],
        { stdio: ['ignore', 'pipe', 'pipe'] },
      );
      try {
        const [line] = (await once(child.stdout, 'data')) as [Buffer];
        const { url } = JSON.parse(String(line)) as { url: string };
        const service = { url, token: 'token-of-a-test' } as ServiceProcess;
        child.stdout.destroy();
        if (how === 'closed') child.stderr.destroy();
        else child.stderr.pause();
        const { run_id: runId } = (
          await call(service, '/api/2.0/jobs/runs/submit', {
            existing_cluster_id: 'local',
            spark_python_task: { python_file: '/sleep.py' },
          })
        ).json as { run_id: number };
        await until(
          async () =>
            (await call(service, `/api/2.0/jobs/runs/get?run_id=${runId}`)).json.state.life_cycle_state === 'RUNNING',
          'RUNNING',
        );
        const gone = once(child, 'exit');
        child.kill('SIGTERM');
        assert.deepEqual(await gone, [0, null], how);
      } finally {
        child.kill('SIGKILL');
      }
    }
  });
});
