import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalService } from '../../../../src/service/host/localService.ts';
import { type LocalServiceOptions, serviceEnvironment } from '../../../../src/service/host/localServiceOptions.ts';
import { callLoopback } from '../../../../src/service/host/loopback.ts';
import { serviceFilePath } from '../../../../src/service/startup/serviceFile.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { serviceBundle } from '../support/serviceProcess.ts';
import { until } from '../support/testService.ts';
import './foundService.part.ts';
import './slowService.part.ts';
import './startedService.part.ts';

describe('local service launcher', () => {
  let folder: string;
  let script: string;
  const launchers: LocalService[] = [];

  before(async function () {
    this.timeout(120_000);
    script = await serviceBundle();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-launcher-'));
  });
  afterEach(async function () {
    this.timeout(120_000);
    for (const each of launchers.splice(0)) {
      await each.stop().catch(() => undefined);
      each.dispose();
    }
    rmSync(folder, { recursive: true, force: true });
  });

  function launcher(more: Partial<LocalServiceOptions> = {}): LocalService {
    const created = new LocalService({
      executable: process.execPath,
      script,
      root: folder,
      dataFolder: join(folder, 'data'),
      log: silentLogger,
      configuration: () => ({ discoverModels: false }),
      isTrusted: () => true,
      ...more,
    });
    launchers.push(created);
    return created;
  }

  const health = (service: { url: string; token: string }): Promise<unknown> =>
    callLoopback(service, { method: 'GET', path: '/api/millrace/health' });

  it('starts a service once, whoever asks', async function () {
    this.timeout(120_000);
    const one = launcher();
    const [first, second] = await Promise.all([one.start(), one.start()]);
    assert.deepEqual(first, second);
    assert.deepEqual(await one.start(), first);
    assert.equal(((await health(first)) as { service: string }).service, 'millrace');
  });

  it('starts one after all where two windows have kept each other out', async function () {
    this.timeout(120_000);
    // As the service ends when another process has the folder's database locked; the second try is a true one.
    const kept = join(folder, 'kept-out.cjs');
    const tried = join(folder, 'tried');
    writeFileSync(
      kept,
      `if (require('node:fs').existsSync(${JSON.stringify(tried)})) require(${JSON.stringify(script)}); ` +
        `else { require('node:fs').writeFileSync(${JSON.stringify(tried)}, ''); process.exit(3); }`,
    );
    let configurations = 0;
    const one = launcher({ script: kept, configuration: () => ({ discoverModels: Boolean(configurations++) }) });
    assert.ok(await health(await one.start()));
    assert.equal(configurations, 1);
  });

  it('names the runs that would end with the service, and starts none to find out', async function () {
    this.timeout(120_000);
    const one = launcher();
    assert.deepEqual(await one.goingRuns(), { count: 0, names: [] });
    assert.equal(one.url, undefined);
    writeFileSync(join(folder, 'slow.py'), 'import time\ntime.sleep(600)\n');
    const service = await one.start();
    assert.deepEqual(await one.goingRuns(), { count: 0, names: [] });
    const task = { existing_cluster_id: 'local', spark_python_task: { python_file: '/slow.py' } };
    const { job_id: jobId } = (await callLoopback(
      service,
      { method: 'POST', path: '/api/2.0/jobs/create' },
      {
        name: 'nightly',
        max_concurrent_runs: 9,
        ...task,
      },
    )) as { job_id: number };
    for (let count = 0; count < 6; count += 1)
      await callLoopback(service, { method: 'POST', path: '/api/2.0/jobs/run-now' }, { job_id: jobId });
    await callLoopback(service, { method: 'POST', path: '/api/2.0/jobs/runs/submit' }, { run_name: 'once', ...task });
    const expected = { count: 7, names: ['once', 'nightly #6', 'nightly #5', 'nightly #4', 'nightly #3'] };
    assert.deepEqual(await one.goingRuns(), expected);
    const other = launcher();
    assert.deepEqual(await other.goingRuns(), expected, 'a window that has not used it yet asks too');
  });

  it('attaches to the service of another window, and both hear of its end', async function () {
    this.timeout(120_000);
    const [one, two] = [launcher(), launcher()];
    const [first, second] = await Promise.all([one.start(), two.start()]);
    assert.deepEqual(first, second);
    const gone: string[] = [];
    one.onDidExit(() => gone.push('one'));
    two.onDidExit(() => gone.push('two'));
    await two.stop();
    await until(
      async () => (gone.length === 2 ? true : undefined),
      () => `both; ${gone.join()}`,
    );
    const again = await one.start();
    assert.notEqual(again.token, first.token);
    assert.ok(await health(again));
  });

  it('stays stopped in every open window until somebody starts it', async function () {
    this.timeout(120_000);
    const [one, two] = [launcher(), launcher()];
    await Promise.all([one.start(), two.start()]);
    assert.deepEqual([one.isStopped(), two.isStopped()], [false, false]);
    const stopping = two.stop();
    assert.equal(one.isStopped(), true);
    const exits: boolean[] = [];
    two.onDidExit(() => exits.push(two.isStopped()));
    await stopping;
    assert.deepEqual([one.isStopped(), two.isStopped(), exits], [true, true, [true]]);
    assert.equal(one.isUsed(), true);
    await new Promise((resolve) => setTimeout(resolve, 2));
    assert.equal(launcher().isStopped(), false);
    await until(
      async () => (one.url === undefined ? true : undefined),
      () => 'one to hear of it',
    );
    await one.start();
    assert.deepEqual([one.isStopped(), two.isStopped()], [false, false]);
  });

  it('stops one that is about to be ready as well, and starts anew for who asks after that', async function () {
    this.timeout(120_000);
    const one = launcher();
    const starting = one.start();
    const stopping = one.stop();
    const again = one.start();
    const { token } = await starting;
    await stopping;
    assert.notEqual((await again).token, token);
    assert.ok(await health(await again));
  });

  it('starts none in the folder that is being removed', async function () {
    this.timeout(120_000);
    const one = launcher();
    await one.start();
    writeFileSync(join(folder, 'data', 'kept'), 'x');
    const resetting = one.reset();
    assert.equal(one.isUsed(), false);
    const again = one.start();
    await resetting;
    assert.equal(existsSync(join(folder, 'data', 'kept')), false);
    assert.ok(await health(await again));
    assert.deepEqual(
      [one.isUsed(), one.isStopped(), existsSync(join(folder, 'data', 'millrace.db'))],
      [true, false, true],
    );
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('removed')),
      [],
    );
  });

  it('resets what was never used', async () => {
    const one = launcher();
    await one.reset();
    await one.stop();
    assert.deepEqual([one.isUsed(), one.isStopped()], [false, false]);
    mkdirSync(join(folder, 'data'));
    await one.stop();
    assert.equal(one.isStopped(), true);
  });

  it('tells when the service dies and starts another', async function () {
    this.timeout(120_000);
    const one = launcher();
    const first = await one.start();
    const gone = new Promise<string>((resolve) => one.onDidExit(resolve));
    process.kill(((await health(first)) as { pid: number }).pid, 'SIGKILL');
    assert.match(await gone, /SIGKILL/);
    assert.ok(await health(await one.start()));
  });

  it('keeps the token out of command line, environment, log and other users', async function () {
    this.timeout(120_000);
    const one = launcher({
      environment: { ...process.env, VSCODE_PID: '1', ELECTRON_X: 'y', NODE_OPTIONS: '', KEPT: 'yes' },
    });
    const { token, url } = await one.start();
    const { pid } = (await health({ url, token })) as { pid: number };
    for (const name of ['cmdline', 'environ']) {
      const text = readFileSync(`/proc/${pid}/${name}`, 'latin1');
      assert.ok(!text.includes(token));
      if (name === 'environ') assert.ok(text.includes('KEPT=yes') && !text.includes('VSCODE_PID'));
    }
    assert.ok(!readFileSync(one.logPath, 'utf8').includes(token));
    assert.equal(statSync(serviceFilePath(join(folder, 'data'))).mode & 0o077, 0);
    assert.equal(statSync(join(folder, 'data')).mode & 0o077, 0);
  });

  it('does not believe a file that names no living service of this kind', async function () {
    this.timeout(120_000);
    const one = launcher();
    await one.start();
    await one.stop();
    writeFileSync(
      serviceFilePath(join(folder, 'data')),
      JSON.stringify({ url: 'http://evil.example/', token: 'x', pid: process.pid }),
    );
    assert.match((await one.start()).url, /^http:\/\/127\.0\.0\.1:/);
  });

  it('replaces what an earlier version left, unless somebody still uses it', async function () {
    this.timeout(40_000);
    const earlier = join(folder, 'earlier.cjs');
    copyFileSync(script, earlier);
    const [old, one] = [launcher({ script: earlier }), launcher()];
    const first = await old.start();
    assert.deepEqual(await one.start(), first);
    one.dispose();
    await callLoopback(first, { method: 'POST', path: '/api/millrace/leave' }, { pid: process.pid });
    assert.notDeepEqual(await launcher().start(), first);
  });

  it('starts nothing in Restricted Mode (P23)', async () => {
    const one = launcher({ isTrusted: () => false, executable: '/nonexistent' });
    await assert.rejects(
      one.start(),
      (error) => error instanceof AppError && error.kind === 'untrusted' && error.remedy !== undefined,
    );
  });

  it('says why it could not start', async function () {
    this.timeout(120_000);
    await assert.rejects(
      launcher({ executable: '/nonexistent/node' }).start(),
      (error) => error instanceof AppError && error.kind === 'unavailable' && /ENOENT/.test(error.message),
    );
    const broken = launcher({ dataFolder: join(folder, 'broken') });
    rmSync(join(folder, 'broken'), { recursive: true, force: true });
    const good = launcher({ dataFolder: join(folder, 'broken') });
    await good.start();
    await good.stop();
    writeFileSync(join(folder, 'broken', 'millrace.db'), 'this is no database, '.repeat(1000));
    await assert.rejects(
      broken.start(),
      (error) => error instanceof AppError && /is damaged.*set aside/.test(error.message),
    );
    await broken.start();
  });

  it('gives up waiting when the caller does, and the service still starts', async function () {
    this.timeout(120_000);
    const one = launcher();
    const controller = new AbortController();
    const waiting = one.start({ signal: controller.signal });
    controller.abort();
    await assert.rejects(waiting, (error) => error instanceof AppError && error.kind === 'aborted');
    assert.ok(await health(await one.start()));
  });

  it('lets the service leave when the last window has left', async function () {
    this.timeout(40_000);
    const one = launcher();
    const first = await one.start();
    const { pid } = (await health(first)) as { pid: number };
    one.dispose();
    await until(
      async () => {
        try {
          process.kill(pid, 0);
          return undefined;
        } catch {
          return true;
        }
      },
      () => 'the service to leave',
      25_000,
    );
  });

  it('leaves out what belongs to the editor', () => {
    assert.deepEqual(
      serviceEnvironment({ VSCODE_IPC_HOOK: 'a', ELECTRON_RUN_AS_NODE: '0', NODE_OPTIONS: 'b', PATH: 'c' }),
      { PATH: 'c', ELECTRON_RUN_AS_NODE: '1' },
    );
  });
});
