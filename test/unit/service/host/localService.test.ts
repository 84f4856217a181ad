import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
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
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LocalService } from '../../../../src/service/host/localService.ts';
import { lastLogLine, type LocalServiceOptions } from '../../../../src/service/host/localServiceOptions.ts';
import { callLoopback } from '../../../../src/service/host/loopback.ts';
import { serviceFilePath } from '../../../../src/service/startup/serviceFile.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { eventually } from '../../../support/eventually.ts';
import { answerJson, startHttpServer, type TestServer } from '../../../support/httpServer.ts';
import { eachWithTempFolder } from '../../../support/tempFolder.ts';
import { serviceBundle } from '../support/serviceProcess.ts';
import { until } from '../support/testService.ts';

describe('Local service', function () {
  this.timeout(120_000);
  let folder: string;
  let script: string;
  const launchers: LocalService[] = [];

  before(async () => (script = await serviceBundle()));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-launcher-'));
  });
  afterEach(async () => {
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

  it('names the runs that would end with it, without starting', async () => {
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

  it('is shared by windows, which all hear of its end', async () => {
    const [one, two] = [launcher(), launcher()];
    const [first, second] = await Promise.all([one.start(), two.start()]);
    assert.deepEqual(first, second);
    const gone: string[] = [];
    one.onDidExit(() => gone.push('one'));
    two.onDidExit(() => gone.push('two'));
    await two.stop();
    await until(
      async () => gone.length === 2,
      () => `both; ${gone.join()}`,
    );
    const again = await one.start();
    assert.notEqual(again.token, first.token);
    assert.ok(await health(again));
  });

  it('stays stopped in every open window until somebody starts it', async () => {
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
    await until(async () => one.url === undefined, 'one to hear of it');
    await one.start();
    assert.deepEqual([one.isStopped(), two.isStopped()], [false, false]);
  });

  it('can be stopped while it starts, and started again', async () => {
    const one = launcher();
    const starting = one.start();
    const stopping = one.stop();
    const again = one.start();
    const { token } = await starting;
    await stopping;
    assert.notEqual((await again).token, token);
    assert.ok(await health(await again));
  });

  it('does not start in a folder that is being removed', async () => {
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

  it('reports its death and starts again', async () => {
    const one = launcher();
    const first = await one.start();
    const gone = new Promise<string>((resolve) => one.onDidExit(resolve));
    process.kill(((await health(first)) as { pid: number }).pid, 'SIGKILL');
    assert.match(await gone, /SIGKILL/);
    assert.ok(await health(await one.start()));
  });

  it("keeps the token out of command line, environment, log and other users' reach", async () => {
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

  it('ignores a file that names no living service', async () => {
    const one = launcher();
    await one.start();
    await one.stop();
    writeFileSync(
      serviceFilePath(join(folder, 'data')),
      JSON.stringify({ url: 'http://evil.example/', token: 'x', pid: process.pid }),
    );
    assert.match((await one.start()).url, /^http:\/\/127\.0\.0\.1:/);
  });

  it('replaces an earlier version unless somebody uses it', async () => {
    const earlier = join(folder, 'earlier.cjs');
    copyFileSync(script, earlier);
    const [old, one] = [launcher({ script: earlier }), launcher()];
    const first = await old.start();
    assert.deepEqual(await one.start(), first);
    one.dispose();
    await callLoopback(first, { method: 'POST', path: '/api/millrace/leave' }, { pid: process.pid });
    assert.notDeepEqual(await launcher().start(), first);
  });

  it('does not start in Restricted Mode (P23)', async () => {
    const one = launcher({ isTrusted: () => false, executable: '/nonexistent' });
    await assert.rejects(one.start(), { kind: 'untrusted', remedy: /./ });
  });

  it('says why it could not start', async () => {
    await assert.rejects(launcher({ executable: '/nonexistent/node' }).start(), {
      kind: 'unavailable',
      message: /ENOENT/,
    });
    const broken = launcher({ dataFolder: join(folder, 'broken') });
    rmSync(join(folder, 'broken'), { recursive: true, force: true });
    const good = launcher({ dataFolder: join(folder, 'broken') });
    await good.start();
    await good.stop();
    writeFileSync(join(folder, 'broken', 'millrace.db'), 'this is no database, '.repeat(1000));
    await assert.rejects(broken.start(), { message: /is damaged.*renamed/ });
    await broken.start();
  });

  it('starts even when the first caller gives up', async () => {
    const one = launcher();
    const controller = new AbortController();
    const waiting = one.start({ signal: controller.signal });
    controller.abort();
    await assert.rejects(waiting, { kind: 'aborted' });
    assert.ok(await health(await one.start()));
  });

  it('learns that a window has left', async () => {
    const one = launcher();
    const service = await one.start();
    const windows = async (): Promise<number> => ((await health(service)) as { windows: number }).windows;
    assert.equal(await windows(), 1);
    one.dispose();
    await until(async () => (await windows()) === 0, 'no window to be left');
  });
});

describe('Slow local service', () => {
  const trueTimeout = setTimeout;

  let folder: string;
  let data: string;
  let server: TestServer;
  let onStop: () => void;
  let status: number;
  let opened: LocalService[];
  let kills: (() => void)[];
  before(async () => {
    server = await startHttpServer(({ url }, response) => {
      if (url.endsWith('/stop')) onStop();
      const health = { service: 'millrace', script: join(folder, 'program.cjs'), windows: 1, active_runs: 0 };
      answerJson(response, JSON.stringify(url.endsWith('/health') ? health : { runs: [] }), status);
    });
  });
  after(() => server.close());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-slow-'));
    data = join(folder, 'data');
    server.requests.length = 0;
    onStop = () => undefined;
    [status, opened, kills] = [200, [], []];
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
    for (const each of opened) each.dispose();
    for (const kill of kills) kill();
    rmSync(folder, { recursive: true, force: true });
  });

  function launch(program: string, more: Partial<LocalServiceOptions> = {}): LocalService {
    writeFileSync(join(folder, 'program.cjs'), program);
    const service = new LocalService({
      executable: process.execPath,
      script: join(folder, 'program.cjs'),
      root: join(folder, 'root'),
      dataFolder: data,
      log: silentLogger,
      configuration: () => ({}),
      isTrusted: () => true,
      ...more,
    });
    opened.push(service);
    return service;
  }
  const asked = (end: string): number => server.requests.filter(({ url }) => url.endsWith(end)).length;
  /** Says where it is, writes down what it was given, and stays whatever it is asked. */
  const stays = (): string => `
    require('node:fs').writeFileSync('given.json', JSON.stringify({ pid: process.pid, args: process.argv.slice(2) }));
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => undefined);
    console.log('{"url":"${server.url}"}');
    setInterval(() => undefined, 1000);`;
  const given = (): { pid: number; args: string[] } => {
    const read = JSON.parse(readFileSync(join(data, 'given.json'), 'utf8')) as { pid: number; args: string[] };
    kills.push(() => {
      try {
        process.kill(read.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    });
    return read;
  };
  /** Makes the file of a service that another window has started: a process that ends when it is killed. */
  async function found(): Promise<{ pid: number; kill(): void; ended: Promise<unknown> }> {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const kill = (): void => void child.kill('SIGKILL');
    kills.push(kill);
    mkdirSync(data, { recursive: true });
    const pid = child.pid!;
    writeFileSync(serviceFilePath(data), JSON.stringify({ url: server.url, token: 't', pid }));
    return { pid, kill, ended: once(child, 'exit') };
  }
  /** Lets time pass in steps until `isOver`, each when the one before is done with. @returns how much of it did, in milliseconds */
  async function passUntil(isOver: () => boolean, stepInMs: number, isToPass: () => boolean): Promise<number> {
    let passedInMs = 0;
    while (!isOver()) {
      await nextTurn();
      // A process that was killed takes true time to be gone.
      if (passedInMs >= 20_000) await new Promise((resolve) => trueTimeout(resolve, 5));
      if (isOver() || !isToPass()) continue;
      mock.timers.tick(stepInMs);
      passedInMs += stepInMs;
      assert.ok(passedInMs < 200_000, 'it is never over');
    }
    return passedInMs;
  }
  /** Time that passes only while the end of a process is waited for, a look at a time. */
  function endClock(): (isOver: () => boolean) => Promise<number> {
    let looks = 0;
    const { kill } = process;
    mock.method(process, 'kill', (pid: number, signal?: string | number) => {
      if (signal === 0) looks += 1;
      return kill.call(process, pid, signal);
    });
    mock.timers.enable({ apis: ['setTimeout'] });
    let seen = 0;
    return (isOver) =>
      passUntil(isOver, 50, () => {
        const isNew = looks > seen;
        seen = looks;
        return isNew;
      });
  }
  /** What became of a promise, once something has. */
  function fateOf(promise: Promise<unknown>): { over: boolean; error?: unknown } {
    const fate: { over: boolean; error?: unknown } = { over: false };
    promise.then(
      () => (fate.over = true),
      (error: unknown) => Object.assign(fate, { over: true, error }),
    );
    return fate;
  }

  it('of another window is named when it does not end within 20 seconds', async () => {
    const { pid, kill, ended } = await found();
    const service = launch('');
    await service.start();
    const ends = endClock();
    const [first, second] = [fateOf(service.stop()), fateOf(service.stop())];
    assert.equal(service.isStopped(), true);
    assert.equal(await ends(() => first.over), 20_000);
    assert.ok(first.error instanceof AppError);
    assert.deepEqual(
      [first.error.kind, first.error.message, first.error.remedy],
      [
        'timeout',
        `The local service (process ${pid}) did not stop in time.`,
        'End that process, then start the service again.',
      ],
    );
    assert.equal(service.url, server.url);
    // Who asked meanwhile has another try, and one that starts it has waited for both.
    while (asked('/stop') === 1) await nextTurn();
    kill();
    await ended;
    await ends(() => second.over);
    assert.deepEqual([second.error, service.url, service.isStopped()], [undefined, undefined, true]);
  });

  it('of this window is killed when it does not end within 20 seconds', async () => {
    const service = launch(stays());
    await service.start();
    const { pid, args } = given();
    assert.equal(args.at(-1), '600', 'seconds without a window');
    const ends = endClock();
    const fate = fateOf(service.stop());
    const waitedInMs = await ends(() => fate.over);
    assert.ok(waitedInMs > 20_000, String(waitedInMs));
    mock.restoreAll();
    assert.throws(() => process.kill(pid, 0));
    assert.deepEqual([fate.error, service.url], [undefined, undefined]);
  });

  it('is killed when it is not ready within 30 seconds', async () => {
    const service = launch(stays().replace(/console\.log.*/, ''));
    mock.timers.enable({ apis: ['setTimeout'] });
    const fate = fateOf(service.start());
    while (!existsSync(join(data, 'given.json')) || statSync(join(data, 'given.json')).size === 0) await nextTurn();
    const { pid } = given();
    mock.timers.tick(29_999);
    await nextTurn();
    assert.equal(fate.over, false);
    mock.timers.tick(1);
    mock.timers.reset();
    await eventually(() => fate.over, 'the end of the start');
    assert.ok(fate.error instanceof AppError);
    assert.equal(fate.error.message, 'Could not start the local service: it was not ready within 30 s.');
    await eventually(() => assert.throws(() => process.kill(pid, 0)));
  });

  it('begins a new log when the old one is long', async () => {
    mkdirSync(data);
    const service = launch("console.error('New.'); process.exitCode = 1;");
    writeFileSync(service.logPath, 'x'.repeat(5 * 1024 * 1024 + 1));
    await assert.rejects(service.start(), /New\./);
    assert.deepEqual([readFileSync(service.logPath, 'utf8'), existsSync(`${service.logPath}.old`)], ['New.\n', true]);
  });
});

describe('Log of the local service', () => {
  let folder: string;
  let path: string;
  eachWithTempFolder((one) => (folder = one));
  beforeEach(() => {
    path = join(folder, 'service.log');
  });

  it('gives the error of a failed start, not what Node prints below it', async () => {
    const program = join(folder, 'broken.cjs');
    const endOf = async (code: string): Promise<string> => {
      writeFileSync(program, code);
      const { stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
      writeFileSync(path, `Error: of an earlier start.\n\nNode.js v22.0.0\n${stderr}`);
      return lastLogLine(path);
    };
    assert.equal(await endOf("require('nothing-of-that-name')"), "Error: Cannot find module 'nothing-of-that-name'");
    assert.equal(await endOf("throw new TypeError('No folder.', { cause: new Error('why') })"), 'TypeError: No folder');
    assert.match(await endOf("throw 'a word'"), /^Node\.js v\d/);
  });
});
