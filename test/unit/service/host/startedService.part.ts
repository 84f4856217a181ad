import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { LocalService } from '../../../../src/service/host/localService.ts';
import type { LocalServiceOptions } from '../../../../src/service/host/localServiceOptions.ts';
import { serviceFilePath } from '../../../../src/service/startup/serviceFile.ts';
import { isAppError } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { eventually } from '../../../support/eventually.ts';
import { answerJson, startHttpServer, type TestServer } from '../../../support/httpServer.ts';

describe('a service that is a stand-in', () => {
  let folder: string;
  let data: string;
  let server: TestServer;
  let health: object;
  let onStop: () => void;
  let opened: LocalService[];
  before(async () => {
    server = await startHttpServer(({ url }, response) => {
      if (url.endsWith('/stop')) onStop();
      answerJson(response, JSON.stringify(url.endsWith('/health') ? health : {}));
    });
  });
  after(() => server.close());
  beforeEach(() => {
    folder = fs.mkdtempSync(join(tmpdir(), 'millrace-started-'));
    data = join(folder, 'data');
    server.requests.length = 0;
    health = { service: 'millrace', script: join(folder, 'program.cjs'), windows: 1, active_runs: 0 };
    onStop = () => undefined;
    opened = [];
  });
  afterEach(() => {
    mock.timers.reset();
    for (const each of opened) each.dispose();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  function launch(program: string, more: Partial<LocalServiceOptions> = {}): LocalService {
    fs.writeFileSync(join(folder, 'program.cjs'), program);
    const service = new LocalService({
      executable: async () => process.execPath,
      script: join(folder, 'program.cjs'),
      root: join(folder, 'root'),
      dataFolder: data,
      log: silentLogger,
      configuration: async () => ({ python: '/p' }),
      isTrusted: () => true,
      ...more,
    });
    opened.push(service);
    return service;
  }
  const asked = (): string[] => server.requests.map(({ method, url }) => `${method} ${url}`);
  /** Says where it is in two pieces, writes down what it was given, and stays. */
  const stays = (): string => `
    const fs = require('node:fs');
    let text = '';
    process.stdin.on('data', (piece) => (text += piece)).on('end', () => {
      const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(KEPT|VSCODE_|ELECTRON_)/.test(name)));
      fs.writeFileSync('given.json', JSON.stringify({ pid: process.pid, args: process.argv.slice(2), cwd: process.cwd(), env, text: JSON.parse(text) }));
      process.stdout.write('{"url":"${server.url}"');
      setTimeout(() => process.stdout.write('}\\nmore'), 20);
    });
    console.error('It says something.');
    setInterval(() => undefined, 1000);`;
  /** Makes the file of a service that another window has started: a process that ends when it is asked to. */
  async function found(): Promise<{ pid: number; kill(): void }> {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    fs.mkdirSync(data, { recursive: true });
    const pid = child.pid!;
    fs.writeFileSync(serviceFilePath(data), JSON.stringify({ url: server.url, token: 't', pid }));
    return { pid, kill: () => void child.kill('SIGKILL') };
  }

  it('is given its folders, its token and its settings, and nothing of the editor', async () => {
    const environment = { ...process.env, KEPT: 'yes', VSCODE_PID: '1', ELECTRON_X: 'y' };
    const service = launch(stays(), { environment, idleInSeconds: 7 });
    const changes: (string | undefined)[] = [];
    const exits: string[] = [];
    service.onDidChange(() => changes.push(service.url));
    service.onDidExit((reason) => exits.push(reason));
    const [one, two] = await Promise.all([service.start(), service.start()]);
    assert.deepEqual([one.url, two, changes], [server.url, one, [server.url]]);
    assert.match(one.token, /^[\w-]{43}$/);
    const { pid, ...given } = JSON.parse(fs.readFileSync(join(data, 'given.json'), 'utf8')) as { pid: number };
    const root = join(folder, 'root');
    assert.deepEqual(given, {
      args: ['serve', '--root', root, '--data', data, '--options', '-', '--idle-exit', '7'],
      cwd: data,
      env: { KEPT: 'yes', ELECTRON_RUN_AS_NODE: '1' },
      text: { token: one.token, configuration: { python: '/p' } },
    });
    assert.deepEqual(asked(), ['POST /api/millrace/attach']);
    assert.deepEqual(
      [server.requests[0]?.headers.authorization, server.requests[0]?.body],
      [`Bearer ${one.token}`, JSON.stringify({ pid: process.pid })],
    );
    assert.equal(fs.readFileSync(service.logPath, 'utf8'), 'It says something.\n');
    if (process.platform !== 'win32')
      assert.deepEqual([fs.statSync(data).mode & 0o777, fs.statSync(service.logPath).mode & 0o777], [0o700, 0o600]);
    const stopping = service.stop();
    await eventually(() => asked().includes('POST /api/millrace/stop'), 'the question');
    assert.equal(service.isStopped(), true);
    process.kill(pid, 'SIGTERM');
    await stopping;
    assert.deepEqual([exits.length, service.url, changes], [1, undefined, [server.url, undefined]]);
  });

  for (const [what, program, words] of [
    ['with a code', 'process.exitCode = 5;', 'it ended with code 5'],
    ['with a signal', "process.kill(process.pid, 'SIGKILL');", 'it ended with SIGKILL'],
    ['with last words', "console.error('First.\\nNo disk.'); process.exitCode = 1;", 'No disk'],
  ] as const)
    it(`that ends ${what} before it is ready was not started, and another try is made when that is wanted`, async () => {
      const service = launch(program);
      for (let count = 0; count < 2; count += 1)
        await assert.rejects(service.start(), (error) => {
          assert.ok(isAppError(error));
          assert.equal(error.message, `The local service could not be started: ${words}.`);
          assert.equal(error.remedy, `Its log ${service.logPath} says more; then try again.`);
          return true;
        });
      assert.deepEqual([service.url, service.isUsed(), asked()], [undefined, false, []]);
    });

  it('of another window is told that this one leaves', async () => {
    const { kill } = await found();
    const service = launch('');
    await service.start();
    service.dispose();
    await eventually(() => assert.equal(asked().at(-1), 'POST /api/millrace/leave'));
    assert.equal(server.requests.at(-1)?.body, JSON.stringify({ pid: process.pid }));
    kill();
  });

  it('of another window is stopped: it is asked to, and its end is waited for', async () => {
    const { pid, kill } = await found();
    onStop = () => void setTimeout(kill, 30);
    const [service, other] = [launch(''), launch('')];
    const exits: string[] = [];
    service.onDidExit((reason) => exits.push(reason));
    await service.start();
    await service.stop();
    assert.throws(() => process.kill(pid, 0));
    assert.deepEqual(
      [exits, service.url, service.isStopped(), other.isStopped()],
      [['It was stopped.'], undefined, true, true],
    );
    assert.equal(server.requests.at(-1)?.headers.authorization, 'Bearer t');
  });

  it('of another window is stopped and removed also by one that has not used it', async () => {
    const { kill } = await found();
    onStop = kill;
    const service = launch('');
    fs.writeFileSync(join(data, 'kept'), '');
    let changes = 0;
    service.onDidChange(() => (changes += 1));
    await service.reset();
    assert.deepEqual([fs.existsSync(data), fs.existsSync(join(folder, 'root')), changes], [false, true, 1]);
    assert.deepEqual(fs.readdirSync(folder).toSorted(), ['program.cjs', 'root']);
    assert.deepEqual([service.isUsed(), service.isStopped()], [false, false]);
  });

  it('whose folder cannot be removed is told as reset or not, with where it is', async () => {
    const service = launch('', { dataFolder: join(folder, 'data\0') });
    await assert.rejects(service.reset(), (error) => {
      assert.ok(isAppError(error));
      assert.match(
        error.message,
        /^The local service was stopped, but not reset: its folder .*data\0 could not be removed/,
      );
      assert.equal(error.remedy, 'Close what uses its files, then reset again.');
      return true;
    });
    assert.ok(fs.existsSync(join(folder, 'root')));
  });

  it('of an earlier version that nobody uses is ended, and another one started', async () => {
    const { pid, kill } = await found();
    onStop = kill;
    health = { ...health, script: '/old.js', windows: 0 };
    const service = launch("console.error('ours');");
    await assert.rejects(service.start(), /could not be started: ours\./);
    assert.throws(() => process.kill(pid, 0));
    assert.deepEqual(asked(), ['GET /api/millrace/health', 'POST /api/millrace/stop']);
  });

  it('that has died is noticed within five seconds, once, and another one is started then', async () => {
    const { kill, pid } = await found();
    mock.timers.enable({ apis: ['setInterval'] });
    const service = launch('');
    const exits: string[] = [];
    service.onDidExit((reason) => exits.push(`${reason} ${service.url}`));
    await service.start();
    mock.timers.tick(5000);
    assert.deepEqual(exits, []);
    kill();
    await eventually(() => assert.throws(() => process.kill(pid, 0)));
    mock.timers.tick(4999);
    assert.deepEqual(exits, []);
    mock.timers.tick(1);
    mock.timers.tick(50_000);
    assert.deepEqual(exits, ['It ended. undefined']);
    await assert.rejects(service.start(), /could not be started/);
  });

  it('is not started again while it is stopped by its user, by windows that were open then', async () => {
    fs.mkdirSync(data);
    const service = launch('');
    assert.deepEqual([service.isStopped(), service.isUsed()], [false, false]);
    await service.stop();
    assert.equal(service.isStopped(), true);
    await assert.rejects(service.start());
    assert.equal(service.isStopped(), false, 'somebody has asked for it');
    fs.writeFileSync(join(data, 'millrace.db'), '');
    assert.equal(service.isUsed(), true);
  });
});
