import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs, { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import os, { tmpdir } from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { localMemoryOf, memoryOf, stateFolder } from '../../../src/deployments/deployFolders.ts';
import { DeployMemory, FileLock } from '../../../src/deployments/deployMemory.ts';
import { isAbort } from '../../../src/shared/errors.ts';
import { settle } from '../../support/fakeClock.ts';

describe('deploys of one file', () => {
  let folder: string;
  let file: string;
  let lock: string;
  const { signal } = new AbortController();

  beforeEach(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-turns-'));
    file = path.join(folder, 'a.job.yml');
    fs.writeFileSync(file, 'name: a\n');
    // Where the lock is, is learnt by having it.
    await deploy(async () => {
      lock = path.join(memory().folder, fs.readdirSync(memory().folder).find((name) => name.endsWith('.lock')) ?? '');
    });
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

  const memory = (): DeployMemory => new DeployMemory(path.join(folder, 'deployments'));
  const deploy = (work: () => Promise<void>, onWait = () => {}): Promise<void> =>
    memory().inTurn(file, onWait, signal, work);
  const left = (): string[] => fs.readdirSync(path.join(folder, 'deployments'));
  const ended = (): number => spawnSync(process.execPath, ['-e', '']).pid;

  it('wait for each other, also after one that was killed', async () => {
    fs.writeFileSync(lock, `${ended()} killed`);
    let [atOnce, most, waits] = [0, 0, 0];
    const one = (): Promise<void> =>
      deploy(
        async () => {
          most = Math.max(most, (atOnce += 1));
          await pause(30);
          atOnce -= 1;
        },
        () => (waits += 1),
      );
    await Promise.all(Array.from({ length: 8 }, one));
    assert.deepEqual([most, left()], [1, []]);
    assert.ok(waits >= 7, String(waits));
  });

  /** Lets time pass as the lock sees it, until the work is done. @returns how much, in milliseconds */
  async function passTime(work: Promise<unknown>, limitInMs: number): Promise<number> {
    let isOver = false;
    work.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    let passedInMs = 0;
    for (; !isOver && passedInMs < limitInMs; passedInMs += 100) {
      await new Promise((resolve) => setImmediate(resolve));
      mock.timers.tick(100);
    }
    return passedInMs;
  }
  const stopTime = (): void => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.now() });
    mock.method(performance, 'now', () => Date.now());
  };
  afterEach(() => {
    mock.timers.reset();
    mock.reset();
  });

  it('keep their lock while they run', async () => {
    stopTime();
    const end = Promise.withResolvers<undefined>();
    const long = deploy(() => end.promise);
    let isBegun = false;
    const next = deploy(async () => void (isBegun = true));
    await passTime(next, 30_000);
    assert.equal(isBegun, false, 'the other one was still going on');
    end.resolve(undefined);
    await long;
    await passTime(next, 1000);
    await next;
    assert.deepEqual(left(), []);
  });
});

describe('the record of a deploy', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-memory-'));
    file = path.join(folder, 'a.job.yml');
    fs.writeFileSync(file, 'name: a\n');
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));
  const kept = path.join('deployments', 'x');
  const memory = (): DeployMemory => new DeployMemory(path.join(folder, kept));
  const deploy = { jobId: '7', sent: { name: 'a' }, settings: { name: 'a', max_retries: 0 }, createdTime: 5 };
  const place = (): string => path.join(folder, kept, fs.readdirSync(path.join(folder, kept))[0] ?? '');

  it('has file, time and settings, and is private', () => {
    const made = memory().remember(file, deploy);
    assert.deepEqual(made, { ...deploy, file, at: made.at });
    assert.deepEqual([memory().recall(file), memory().all()], [made, [made]]);
    if (process.platform !== 'win32') assert.equal(fs.statSync(place()).mode & 0o777, 0o600);
    assert.equal(fs.readdirSync(path.dirname(place())).length, 1);
  });

  it('is newer than the previous one, whatever the clock says', () => {
    const { at } = memory().remember(file, deploy);
    fs.writeFileSync(place(), JSON.stringify({ ...deploy, file, at: at + 1_000_000 }));
    assert.equal(memory().remember(file, deploy).at, at + 1_000_001);
  });

  it('leaves no torn file when it cannot be written', () => {
    memory().remember(file, deploy);
    const name = place();
    fs.rmSync(name);
    fs.mkdirSync(path.join(name, 'in its place'), { recursive: true });
    assert.throws(() => memory().remember(file, deploy));
    assert.deepEqual(fs.readdirSync(path.dirname(name)), [path.basename(name)]);
    assert.equal(memory().recall(file), undefined);
  });

  for (const [text, expected] of [
    [{ jobId: '1234567890123456789' }, true],
    [{ jobId: '12345678901234567890' }, false],
    [{ jobId: '' }, false],
    [{ jobId: '7a' }, false],
    [{ jobId: 7 }, false],
    [{ sent: [] }, false],
    [{ sent: null }, false],
    [{ settings: 'a' }, false],
    [
      { createdTime: 'x', at: 'x', file: 5 },
      { file: '', at: 0, createdTime: undefined },
    ],
  ] as const)
    it(`is read with ${JSON.stringify(text)}: ${JSON.stringify(expected)}`, () => {
      memory().remember(file, deploy);
      fs.writeFileSync(place(), JSON.stringify({ ...deploy, file, at: 1, ...text }));
      const read = memory().recall(file);
      assert.equal(read !== undefined, expected !== false);
      if (typeof expected === 'object')
        assert.deepEqual({ file: read?.file, at: read?.at, createdTime: read?.createdTime }, expected);
      fs.writeFileSync(place(), '{');
      assert.deepEqual([memory().recall(file), memory().all()], [undefined, []]);
    });
});

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('remembered deploys', () => {
  let folder: string;
  let memory: DeployMemory;
  const deploy = { jobId: '7', sent: { a: 9007199254740993n }, settings: { a: 1 }, createdTime: 5 };
  const { signal } = new AbortController();
  beforeEach(() => {
    folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-kept-')));
    for (const name of ['a', 'b']) fs.writeFileSync(path.join(folder, `${name}.job.yml`), '');
    memory = new DeployMemory(path.join(folder, 'memory'));
  });
  afterEach(() => {
    mock.timers.reset();
    mock.reset();
    fs.rmSync(folder, { recursive: true });
  });
  const file = (name: string): string => path.join(folder, `${name}.job.yml`);
  const place = (name: string, ending = 'json'): string =>
    path.join(folder, 'memory', `${digest(file(name)).slice(0, 32)}.${ending}`);

  it('skip what cannot be read', () => {
    assert.deepEqual(memory.all(), [], 'no folder yet');
    memory.remember(file('a'), deploy);
    memory.remember(file('b'), { ...deploy, jobId: '8' });
    fs.writeFileSync(path.join(memory.folder, 'draft.json.77'), fs.readFileSync(place('a')));
    fs.writeFileSync(path.join(memory.folder, 'broken.json'), '{');
    fs.writeFileSync(place('a', 'lock'), '1');
    assert.deepEqual(
      memory
        .all()
        .map(({ jobId }) => jobId)
        .sort(),
      ['7', '8'],
    );
  });

  it('are read again after another program wrote them', () => {
    memory.remember(file('a'), deploy);
    const first = memory.recall(file('a'));
    const { atimeMs, mtimeMs } = fs.statSync(place('a'));
    fs.writeFileSync(place('a'), JSON.stringify({ jobId: '12', sent: {}, settings: {} }));
    fs.utimesSync(place('a'), atimeMs / 1000, mtimeMs / 1000);
    assert.deepEqual(memory.recall(file('a')), { file: '', at: 0, jobId: '12', sent: {}, settings: {} });
    fs.rmSync(place('a'));
    assert.equal(memory.recall(file('a')), undefined);
    assert.notEqual(first, undefined);
  });

  it('wait for their turn, report it once, and give up in time', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    const first = Promise.withResolvers<string>();
    const long = memory.inTurn(file('a'), assert.fail, signal, () => first.promise);
    let waits = 0;
    const end = new AbortController();
    const begun: string[] = [];
    const wait = (name: string, until: AbortSignal): Promise<unknown> =>
      memory.inTurn(
        file('a'),
        () => (waits += 1),
        until,
        async () => void begun.push(name),
      );
    const second = wait('second', signal);
    const third = wait('third', end.signal);
    third.catch(() => undefined);
    for (let round = 0; round < 3; round += 1) {
      mock.timers.tick(100);
      await settle();
    }
    assert.deepEqual([waits, begun], [2, []]);
    end.abort();
    await assert.rejects(third, isAbort);
    first.resolve('done');
    assert.equal(await long, 'done');
    mock.timers.tick(99);
    await settle();
    assert.deepEqual(begun, []);
    mock.timers.tick(1);
    await second;
    assert.deepEqual([begun, waits, fs.readdirSync(memory.folder)], [['second'], 2, []]);
  });

  it('wait for nobody when there can be no lock', async () => {
    fs.writeFileSync(path.join(folder, 'memory'), 'a file in its place');
    assert.equal(await memory.inTurn(file('a'), assert.fail, signal, async () => 'done'), 'done');
    assert.equal(fs.readFileSync(path.join(folder, 'memory'), 'utf8'), 'a file in its place');
  });
});

describe('the folder of remembered deploys', () => {
  const { platform } = process;
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env;
  const on = (name: string): void => void Object.defineProperty(process, 'platform', { value: name });
  afterEach(() => {
    on(platform);
    for (const [name, value] of Object.entries({ XDG_STATE_HOME, LOCALAPPDATA }))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });

  it('follows the conventions of each system', () => {
    const home = os.homedir();
    process.env['XDG_STATE_HOME'] = '/state';
    process.env['LOCALAPPDATA'] = '/local';
    const folders = (): string[] =>
      ['linux', 'win32', 'darwin'].map((name) => {
        on(name);
        return stateFolder();
      });
    const mac = path.join(home, 'Library', 'Application Support', 'Millrace');
    assert.deepEqual(folders(), [path.join('/state', 'millrace'), path.join('/local', 'Millrace'), mac]);
    process.env['XDG_STATE_HOME'] = process.env['LOCALAPPDATA'] = '';
    const own = [path.join(home, '.local', 'state', 'millrace'), path.join(home, 'AppData', 'Local', 'Millrace'), mac];
    assert.deepEqual(folders(), own);
    delete process.env['XDG_STATE_HOME'];
    delete process.env['LOCALAPPDATA'];
    assert.deepEqual(folders(), own);
  });

  it('is separate for each service and does not contain its address', () => {
    process.env['XDG_STATE_HOME'] = '/state';
    on('linux');
    assert.equal(
      memoryOf('https://a.example'),
      path.join('/state', 'millrace', 'deployments', digest('https://a.example').slice(0, 16)),
    );
    assert.equal(localMemoryOf('/data'), path.join('/data', 'deployments'));
  });
});

describe('a file lock', () => {
  let folder: string;
  let place: string;
  let nowMs: number;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'millrace-lock-'));
    place = path.join(folder, 'deep', 'deploy.lock');
    nowMs = 0;
    mock.method(performance, 'now', () => nowMs);
    mock.timers.enable({ apis: ['setInterval'] });
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
    rmSync(folder, { recursive: true, force: true });
  });
  /** Another process has it. */
  const hold = (owner: string): void => {
    const own = new FileLock(place);
    own.take();
    own.giveBack();
    writeFileSync(place, owner);
  };
  const alive = `${process.ppid} another`;

  it('is had by the first that takes it, until that one gives it back', () => {
    const [first, second] = [new FileLock(place), new FileLock(place)];
    assert.deepEqual([first.take(), second.take(), second.take()], [true, false, false]);
    assert.match(readFileSync(place, 'utf8'), new RegExp(`^${process.pid} [\\w-]{36}$`));
    second.giveBack();
    assert.equal(second.take(), false, 'it was not its own to give');
    first.giveBack();
    assert.equal(existsSync(place), false);
    assert.equal(second.take(), true);
    second.giveBack();
  });

  it('stays with another process that is alive, and with one that is about to write its name', () => {
    for (const owner of [alive, '']) {
      hold(owner);
      const lock = new FileLock(place);
      assert.deepEqual([lock.take(), lock.take(), readFileSync(place, 'utf8')], [false, false, owner]);
      lock.giveBack();
      assert.equal(existsSync(place), true);
    }
  });

  it('is taken over from a process that has ended, at the next try', () => {
    hold('999999999 gone');
    const lock = new FileLock(place);
    assert.deepEqual([lock.take(), lock.take()], [false, true]);
    lock.giveBack();
  });

  it('is taken over from one that has been silent for ten seconds, and from none that was heard since', () => {
    for (const owner of [alive, '']) {
      hold(owner);
      const lock = new FileLock(place);
      utimesSync(place, 1, 1);
      const triesAfter = (waitInMs: number): boolean => ((nowMs += waitInMs), lock.take(), existsSync(place));
      assert.deepEqual([triesAfter(0), triesAfter(9999)], [true, true]);
      utimesSync(place, 2, 2);
      assert.deepEqual([triesAfter(1), triesAfter(9999), triesAfter(1)], [true, true, false], 'it was renewed');
      assert.equal(lock.take(), true);
      lock.giveBack();
    }
  });

  it('is renewed every two seconds by whoever has it, and no more once it was given back', () => {
    const lock = new FileLock(place);
    lock.take();
    const isRenewedAfter = (waitInMs: number): boolean => {
      utimesSync(place, 1, 1);
      mock.timers.tick(waitInMs);
      return statSync(place).mtimeMs !== 1000;
    };
    assert.deepEqual([isRenewedAfter(1999), isRenewedAfter(1), isRenewedAfter(2000)], [false, true, true]);
    rmSync(place);
    mock.timers.tick(2000);
    assert.equal(existsSync(place), false, 'nor is one made that was taken away');
    writeFileSync(place, alive);
    lock.giveBack();
    assert.equal(readFileSync(place, 'utf8'), alive, "another's is left where it is");
    assert.equal(isRenewedAfter(4000), false);
  });

  it('is nothing that anybody waits for where there can be none', () => {
    writeFileSync(path.join(folder, 'deep'), '');
    const locks = [new FileLock(place), new FileLock(place)];
    assert.deepEqual(
      locks.map((lock) => lock.take()),
      [true, true],
    );
    for (const lock of locks) lock.giveBack();
  });
});
