import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { isUsageError } from '../../../src/cli/commandLine.ts';
import { openService, type ServiceChoice } from '../../../src/cli/openService.ts';
import { memoryOf, localMemoryOf, stateFolder } from '../../../src/deployments/deployFolders.ts';
import { openDatabase, type Database } from '../../../src/service/store/database.ts';
import { isFolderInUse } from '../../../src/service/store/folderInUse.ts';
import { isAbort, isAppError } from '../../../src/shared/errors.ts';
import { answerJson, startHttpServer } from '../../support/httpServer.ts';
import { ownPlace } from './ownPlace.ts';

describe('the service that a command speaks to', () => {
  const place = ownPlace();
  const { MILLRACE_DATA, MILLRACE_ROOT } = process.env;
  beforeEach(() => {
    delete process.env['MILLRACE_DATA'];
    delete process.env['MILLRACE_ROOT'];
  });
  after(() => Object.assign(process.env, MILLRACE_DATA && { MILLRACE_DATA }, MILLRACE_ROOT && { MILLRACE_ROOT }));

  const open = (choice: ServiceChoice, token?: string, rootOf = (): string => place.folder) =>
    openService(choice, { parameters: [], token, signal: new AbortController().signal }, rootOf);
  const usage = async (choice: ServiceChoice, rootOf?: () => string): Promise<string> => {
    try {
      await open(choice, undefined, rootOf);
    } catch (error) {
      assert.ok(isUsageError(error) && isAppError(error), String(error));
      return error.message;
    }
    return assert.fail('it was opened');
  };

  it('is the one of the address, with the token, and goes on by itself', async () => {
    const opened = await open({ url: `${place.server.url}/` }, 'sesame');
    const { name, isOwn, isTransient, follows, memory } = opened;
    assert.deepEqual([name, isOwn, isTransient, follows], [place.server.url, false, false, 'wait']);
    assert.equal(memory.folder, memoryOf(place.server.url));
    await opened.client.jobs.list();
    assert.equal(place.server.requests[0]?.headers.authorization, 'Bearer sesame');
    await opened.close();
    const open2 = await open({ url: place.server.url });
    await open2.client.jobs.list();
    assert.equal(place.server.requests[1]?.headers.authorization, undefined);
  });

  it('is none where what is named is wrong', async () => {
    for (const choice of [{ root: '.' }, { data: 'd' }])
      assert.match(await usage({ url: place.server.url, ...choice }), /--root and --data are of the local service/);
    await assert.rejects(open({ url: 'no address' }), (error) => isUsageError(error) && isAppError(error));
    assert.match(await usage({ root: 'nowhere' }), new RegExp(`there is no folder .*nowhere`));
    writeFileSync(join(place.folder, 'file'), '');
    assert.match(await usage({ root: 'file' }), /there is no folder/);
    assert.match(await usage({ data: 'file' }), /the data folder .*file could not be made/);
    process.env['MILLRACE_ROOT'] = 'elsewhere';
    assert.match(await usage({}), /there is no folder .*elsewhere/);
    process.env['MILLRACE_ROOT'] = '';
    assert.match(await usage({}, () => 'of-the-file'), /there is no folder .*of-the-file/);
    process.env['MILLRACE_DATA'] = 'file';
    assert.match(await usage({ root: '.' }), /the data folder .*file could not be made/);
  });

  for (const isTransient of [false, true])
    it(`is the one that runs on the data folder, ${isTransient ? 'for another command' : 'for a window'}, left as it is`, async () => {
      const server = await startHttpServer((_request, response) => answerJson(response, '{"jobs":"1","runs":"1"}'));
      try {
        const data = join(place.folder, 'data');
        mkdirSync(data);
        const content = { url: server.url, token: 'sesame', pid: process.pid, isTransient };
        writeFileSync(join(data, 'service.json'), JSON.stringify(content));
        const limits = mock.method(AbortSignal, 'timeout');
        const opened = await open({ data: 'data' });
        assert.deepEqual(
          limits.mock.calls.map((call) => call.arguments),
          [[5000]],
          'who does not answer soon is not there',
        );
        assert.deepEqual(
          [opened.name, opened.isOwn, opened.isTransient, opened.follows, opened.memory.folder],
          ['the local service', false, isTransient, 'fail', localMemoryOf(data)],
        );
        assert.equal(server.requests[0]?.headers.authorization, 'Bearer sesame');
        await opened.close();
        assert.equal(server.requests.length, 1);
      } finally {
        await server.close();
      }
    });
});

describe('the local service of a command', function () {
  this.timeout(60_000);
  const place = ownPlace();
  const { said } = place;
  const { MILLRACE_DATA, MILLRACE_ROOT } = process.env;
  const umask = process.umask();
  let data: string;
  beforeEach(() => {
    delete process.env['MILLRACE_DATA'];
    delete process.env['MILLRACE_ROOT'];
    data = join(place.folder, 'data');
  });
  after(() => {
    Object.assign(process.env, MILLRACE_DATA && { MILLRACE_DATA }, MILLRACE_ROOT && { MILLRACE_ROOT });
    process.umask(umask);
  });
  const open = (choice: ServiceChoice, rootOf = (): string => place.folder): ReturnType<typeof openService> =>
    openService(choice, { parameters: [], token: undefined, signal: new AbortController().signal }, rootOf);
  const serviceFile = (of = data): Record<string, unknown> | undefined => {
    const file = join(of, 'service.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : undefined;
  };

  it('is started where none runs, is found by the next command, and ends with the command', async () => {
    const opened = await open({ data: 'data' });
    try {
      const { name, isOwn, isTransient, follows, memory } = opened;
      assert.deepEqual([name, isOwn, isTransient, follows], ['the local service', true, true, 'fail']);
      assert.equal(memory.folder, localMemoryOf(data));
      assert.deepEqual(await opened.client.jobs.list(), []);
      const { url, pid, isTransient: isShort } = serviceFile() ?? {};
      assert.deepEqual([url, pid, isShort], [opened.client.baseUrl, process.pid, true]);
      const found = await open({ data });
      assert.deepEqual([found.client.baseUrl, found.isOwn, found.isTransient], [url, false, true]);
      await found.close();
      assert.deepEqual(await opened.client.jobs.list(), [], 'who found it leaves it there');
    } finally {
      await opened.close();
    }
    assert.deepEqual([serviceFile(), said], [undefined, []]);
  });

  it('is started in place of one that has ended, or that does not answer', async () => {
    mkdirSync(data);
    const sick = await startHttpServer((_request, response) => answerJson(response, '{}', 500));
    try {
      for (const [pid, asks] of [
        [spawnSync(process.execPath, ['-e', '']).pid, 0],
        [process.pid, 1],
      ] as const) {
        writeFileSync(join(data, 'service.json'), JSON.stringify({ url: sick.url, token: 'sesame', pid }));
        const opened = await open({ data });
        await opened.close();
        assert.deepEqual([opened.isOwn, sick.requests.length], [true, asks]);
      }
    } finally {
      await sick.close();
    }
  });

  it('keeps its data in a folder of the user for each project, unless one is named', async () => {
    const project = join(realpathSync(place.folder), '_My project (1)');
    mkdirSync(join(project, '.git'), { recursive: true });
    mkdirSync(join(project, 'below'));
    process.chdir(join(project, 'below'));
    const digest = createHash('sha256').update(project).digest('hex').slice(0, 12);
    const own = join(stateFolder(), 'local', `_My-project-1--${digest}`);
    const opened = await open({ root: '.' });
    assert.deepEqual([serviceFile(own)?.['url'], opened.memory.folder], [opened.client.baseUrl, localMemoryOf(own)]);
    await opened.close();
    if (process.platform !== 'win32') assert.equal(statSync(own).mode & 0o777, 0o700);
    process.env['MILLRACE_DATA'] = data;
    const named = await open({});
    assert.equal(named.memory.folder, localMemoryOf(data));
    await named.close();
  });
});

describe('a data folder that another service has, which nobody can ask', function () {
  this.timeout(60_000);
  const place = ownPlace();
  const umask = process.umask();
  const gapInMs = 200;
  let end: AbortController;
  let held: Database;
  let waits: number;
  /** What happens during a wait. */
  let meanwhile: () => void;
  beforeEach(() => {
    end = new AbortController();
    held = openDatabase(join(place.folder, 'data'));
    [waits, meanwhile] = [0, () => undefined];
    const { setTimeout: schedule } = globalThis;
    mock.method(globalThis, 'setTimeout', (callback: () => void, delayInMs: number) => {
      if (delayInMs !== gapInMs) return schedule(callback, delayInMs);
      waits += 1;
      meanwhile();
      return schedule(callback, 0);
    });
  });
  afterEach(() => {
    if (held.connection.isOpen) held.close();
  });
  // The log of each attempt listens to it.
  const { stderr } = process;
  const [maxListeners, listeners] = [stderr.getMaxListeners(), stderr.listeners('error')];
  before(() => stderr.setMaxListeners(0));
  after(() => {
    for (const one of stderr.listeners('error')) if (!listeners.includes(one)) stderr.off('error', one as () => void);
    stderr.setMaxListeners(maxListeners);
    process.umask(umask);
  });
  const open = (): ReturnType<typeof openService> =>
    openService({ root: '.', data: 'data' }, { parameters: [], token: undefined, signal: end.signal }, () => '.');

  it('is waited for, for ten seconds, and then said to be in use', async () => {
    await assert.rejects(open(), isFolderInUse);
    assert.equal((waits + 1) * gapInMs, 10_000);
  });

  it('is taken once it is free', async () => {
    meanwhile = () => {
      if (waits === 3) held.close();
    };
    const opened = await open();
    assert.deepEqual([opened.isOwn, waits], [true, 3]);
    await opened.close();
  });

  it('is waited for no longer than the command is', async () => {
    meanwhile = () => {
      if (waits === 2) process.nextTick(() => end.abort());
    };
    await assert.rejects(open(), isAbort);
    assert.equal(waits, 2);
  });
});

describe('a service that asks for patience', () => {
  const place = ownPlace();
  const { said } = place;

  it('is waited for no longer than a moment where it has not answered at all', async () => {
    const signal = AbortSignal.timeout(20_000);
    const invocation = { parameters: [], token: undefined, signal };
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const opened = await openService({ url: `http://127.0.0.1:${port}` }, invocation, () => place.folder);
    await assert.rejects(opened.client.jobs.list({ signal }), { kind: 'network' });
    assert.deepEqual(
      said.map((line) => /Trying again in 1 s; /.test(line)),
      [true],
    );
  });

  it('is waited for, which is said with the time', async () => {
    place.server.before = async (_path, response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' }).end('{"message":"Busy."}');
    };
    const end = new AbortController();
    const invocation = { parameters: [], token: undefined, signal: end.signal };
    const opened = await openService({ url: place.server.url }, invocation, () => place.folder);
    const list = opened.client.jobs.list({ signal: end.signal });
    for (let turn = 0; said.length === 0 && turn < 1000; turn += 1) await pause(5);
    end.abort();
    await assert.rejects(list, isAbort);
    assert.equal(said.length, 1);
    assert.match(
      said[0] ?? '',
      /^jobs\/list: .* Busy\. The jobs were not read\. Trying again in [789] s; Ctrl\+C ends it\.$/,
    );
    assert.equal(place.server.requests.length, 1);
  });
});
