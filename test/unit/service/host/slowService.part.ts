import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LocalService } from '../../../../src/service/host/localService.ts';
import type { LocalServiceOptions } from '../../../../src/service/host/localServiceOptions.ts';
import { serviceFilePath } from '../../../../src/service/startup/serviceFile.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import type { Logger } from '../../../../src/shared/log.ts';
import { eventually } from '../../../support/eventually.ts';
import { answerJson, startHttpServer, type TestServer } from '../../../support/httpServer.ts';

const trueTimeout = setTimeout;

describe('a service that takes long, or that several ask for', () => {
  let folder: string;
  let data: string;
  let server: TestServer;
  let onStop: () => void;
  let status: number;
  let logged: string[];
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
    [status, logged, opened, kills] = [200, [], [], []];
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
    for (const each of opened) each.dispose();
    for (const kill of kills) kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const note =
    (level: string) =>
    (message: string): void =>
      void logged.push(`${level} ${message}`);
  const log: Logger = {
    trace: note('trace'),
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
  };
  function launch(program: string, more: Partial<LocalServiceOptions> = {}): LocalService {
    writeFileSync(join(folder, 'program.cjs'), program);
    const service = new LocalService({
      executable: process.execPath,
      script: join(folder, 'program.cjs'),
      root: join(folder, 'root'),
      dataFolder: data,
      log,
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

  it('of another window that does not end within 20 seconds is named, and not taken for stopped', async () => {
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
        `The local service (process ${pid}) did not end in time.`,
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

  it('is in use still where it could not be stopped', async () => {
    await found();
    const service = launch('');
    const ends = endClock();
    const fate = fateOf(service.stop());
    const starting = service.start();
    await ends(() => fate.over);
    assert.equal(service.isStopped(), false);
    assert.deepEqual(
      await starting,
      { url: server.url, token: 't' },
      'that it could not be stopped is no fault of a start',
    );
  });

  it('that this window has started and that does not end within 20 seconds is killed', async () => {
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

  it('ends with its stop, also where that is answered by nothing of use', async () => {
    const { kill } = await found();
    const service = launch('');
    await service.start();
    onStop = () => {
      status = 500;
      kill();
    };
    await service.stop();
    assert.equal(service.url, undefined);
    assert.deepEqual(logged, [
      `info Using the local service that runs at ${server.url}.`,
      'debug The local service answered 500.',
      `info The local service at ${server.url} is gone. It was stopped.`,
    ]);
  });

  it('is asked to stop once, however many want that, and started by nobody before all of it is done', async () => {
    const { kill } = await found();
    onStop = () => void setTimeout(kill, 30);
    const events: string[] = [];
    const service = launch('process.exitCode = 5;', {
      configuration: () => {
        events.push('started');
        return {};
      },
    });
    const ends = [service.stop(), service.stop(), service.reset()].map((end, index) =>
      end.then(() => events.push(`ended ${index}`)),
    );
    const starting = service.start();
    const controller = new AbortController();
    const given = service.start({ signal: controller.signal });
    controller.abort();
    await assert.rejects(given, { kind: 'aborted' });
    assert.deepEqual(events, [], 'who gives up does not wait for the end');
    await Promise.all([...ends, assert.rejects(starting, /it ended with code 5/)]);
    assert.deepEqual([events, asked('/stop')], [['ended 0', 'ended 1', 'ended 2', 'started'], 1]);
  });

  it('is stopped also where its start fails meanwhile', async () => {
    const service = launch('process.exitCode = 5;');
    const starting = service.start();
    assert.equal(service.isUsed(), true, 'it is about to be there');
    await Promise.all([assert.rejects(starting, /it ended with code 5/), service.stop()]);
    assert.equal(service.isUsed(), false);
  });

  it('is asked for its runs without being looked for where it is known', async () => {
    await found();
    const service = launch('');
    await service.start();
    const before = asked('/health');
    await service.goingRuns();
    assert.equal(asked('/health'), before + 1);
  });

  it('has its folder removed where that cannot be moved first', async () => {
    // So long that nothing can be added to it.
    data = join(folder, 'd'.repeat(250));
    mkdirSync(data);
    writeFileSync(join(data, 'kept'), '');
    const service = launch('');
    await service.reset();
    assert.deepEqual([existsSync(data), readdirSync(folder).toSorted()], [false, ['program.cjs', 'root']]);
  });

  it('tells a window that is gone nothing, and may not hear that it is', async () => {
    const { kill } = await found();
    const interval = mock.method(globalThis, 'setInterval');
    const service = launch('');
    const told: string[] = [];
    service.onDidChange(() => told.push('change'));
    service.onDidExit(() => told.push('exit'));
    await service.start();
    assert.equal(interval.mock.calls[0]?.result?.hasRef(), false, 'looking at it keeps no process alive');
    told.length = 0;
    status = 500;
    service.dispose();
    await eventually(() => asked('/leave') === 1, 'the last message');
    status = 200;
    onStop = kill;
    await service.start();
    await service.stop();
    assert.deepEqual(told, []);
  });

  it('that is not ready within 30 seconds is killed, and was not started', async () => {
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
    assert.equal(fate.error.message, 'The local service could not be started: it was not ready within 30 s.');
    await eventually(() => assert.throws(() => process.kill(pid, 0)));
  });

  it('that another process keeps out is tried less and less often, for half a minute', async () => {
    let isWaiting = false;
    let tries = 0;
    const service = launch('process.exitCode = 3;', {
      executable: async () => {
        [isWaiting, tries] = [false, tries + 1];
        return process.execPath;
      },
    });
    mock.method(Math, 'random', () => {
      isWaiting = true;
      return 0.5;
    });
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    const fate = fateOf(service.start());
    const passedInMs = await passUntil(
      () => fate.over,
      100,
      () => isWaiting,
    );
    assert.ok(fate.error instanceof AppError);
    assert.equal(
      fate.error.message,
      `The local service could not be started: another process uses ${data} and does not answer.`,
    );
    // After 0.5, 1, 2, 4 and three times 8 seconds.
    assert.deepEqual([tries, passedInMs], [7, 31_500]);
  });

  it('holds nothing of the window, which may end before it', async () => {
    const held = (): (string | number)[] => {
      const active = process.getActiveResourcesInfo();
      const logs = readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
        } catch {
          return false;
        }
      });
      return [...['ProcessWrap', 'PipeWrap'].map((kind) => active.filter((one) => one === kind).length), logs.length];
    };
    const before = held();
    const service = launch(stays());
    await service.start();
    const { pid } = given();
    await eventually(() => assert.deepEqual(held(), before));
    // The first of its own group: what ends the window's does not end it.
    assert.ok(process.kill(-pid, 0));
    assert.deepEqual(logged, [`info The local service was started at ${server.url}, data in ${data}.`]);
  });

  it('that ends before it has read its settings is told as what it ended with', async () => {
    const service = launch('process.exit(5);', { configuration: () => ({ python: '/p'.repeat(2_000_000) }) });
    await assert.rejects(service.start(), /could not be started: it ended with code 5\./);
  });

  it('begins a new log where the one of before is long', async () => {
    mkdirSync(data);
    const service = launch("console.error('New.'); process.exitCode = 1;");
    writeFileSync(service.logPath, 'x'.repeat(5 * 1024 * 1024 + 1));
    await assert.rejects(service.start(), /could not be started: New\./);
    assert.deepEqual([readFileSync(service.logPath, 'utf8'), existsSync(`${service.logPath}.old`)], ['New.\n', true]);
  });
});
