import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { DeployMemory } from '../../../src/deployments/deployMemory.ts';
import { isAbort } from '../../../src/shared/errors.ts';
import { settle } from '../../support/fakeClock.ts';

describe('deploys of one file at a time', () => {
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

  it('wait for each other, however many there are, also after one that was killed', async () => {
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

  it('wait for no process that only has the number of one that was killed', async () => {
    fs.writeFileSync(lock, `${process.pid} another`);
    stopTime();
    const passedInMs = await passTime(
      deploy(async () => undefined),
      60_000,
    );
    assert.ok(passedInMs >= 9_900 && passedInMs < 11_000, 'whoever has it may only be slow to say so');
    assert.deepEqual(left(), []);
  });

  it('take away no lock but their own', async () => {
    await deploy(async () => fs.writeFileSync(lock, 'another'));
    assert.equal(fs.readFileSync(lock, 'utf8'), 'another');
  });

  it('keep their lock while they go on', async () => {
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

describe('what is remembered of a deploy', () => {
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

  it('is the file, when, and what was deployed, for its owner alone', () => {
    const made = memory().remember(file, deploy);
    assert.deepEqual(made, { ...deploy, file, at: made.at });
    assert.deepEqual([memory().recall(file), memory().all()], [made, [made]]);
    if (process.platform !== 'win32') assert.equal(fs.statSync(place()).mode & 0o777, 0o600);
    assert.equal(fs.readdirSync(path.dirname(place())).length, 1);
  });

  it('is the same object while nobody deploys, by whatever way the file is named', () => {
    const one = memory();
    one.remember(file, deploy);
    const first = one.recall(file);
    assert.equal(one.recall(path.join(folder, '..', path.basename(folder), 'a.job.yml')), first);
    memory().remember(file, { ...deploy, jobId: '8' });
    assert.deepEqual([one.recall(file)?.jobId, one.recall(file)?.file], ['8', file]);
    assert.equal(one.recall(path.join(folder, 'none')), undefined);
  });

  it('is newer than what was there before, whatever the clock says', () => {
    const { at } = memory().remember(file, deploy);
    fs.writeFileSync(place(), JSON.stringify({ ...deploy, file, at: at + 1_000_000 }));
    assert.equal(memory().remember(file, deploy).at, at + 1_000_001);
  });

  it('leaves nothing half written where it cannot be kept', () => {
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

describe('deploys of files that are remembered', () => {
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

  it('are a file each, of exact JSON, in a folder that is for its owner alone', () => {
    mock.timers.enable({ apis: ['Date'], now: 1000 });
    const kept = memory.remember(file('a'), deploy);
    assert.deepEqual(kept, { ...deploy, file: file('a'), at: 1000 });
    assert.deepEqual(fs.readdirSync(memory.folder), [path.basename(place('a'))]);
    assert.match(fs.readFileSync(place('a'), 'utf8'), /"sent":\{"a":9007199254740993\}/);
    if (process.platform !== 'win32') assert.equal(fs.statSync(memory.folder).mode & 0o777, 0o700);
    mock.timers.tick(10);
    assert.equal(memory.remember(file('a'), deploy).at, 1010);
    mock.timers.setTime(500);
    assert.equal(memory.remember(file('a'), deploy).at, 1011, 'a clock that was put back');
    assert.deepEqual(memory.recall(file('a')), { ...deploy, file: file('a'), at: 1011 });
    const { createdTime: _time, ...timeless } = deploy;
    memory.remember(file('a'), timeless);
    assert.equal('createdTime' in (memory.recall(file('a')) ?? {}), false);
  });

  it('are all that can be read, and nothing of what else is there', () => {
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

  it('are read again once another program has written them, and be it at the same moment', () => {
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

  it('keep their name where they were kept under another way to the file', () => {
    fs.symlinkSync(file('a'), path.join(folder, 'link.job.yml'));
    memory.remember(file('a'), deploy);
    assert.equal(memory.remember(path.join(folder, 'link.job.yml'), deploy).file, file('a'));
    assert.equal(memory.all().length, 1);
  });

  it('take turns: the lock is there meanwhile, given back whatever comes of it, and is of one file', async () => {
    const seen: unknown[] = [];
    await memory.inTurn(file('a'), assert.fail, signal, async () => {
      seen.push(fs.readdirSync(memory.folder), fs.readFileSync(place('a', 'lock'), 'utf8').split(' ')[0]);
      if (process.platform !== 'win32') seen.push(fs.statSync(place('a', 'lock')).mode & 0o777);
      assert.equal(await memory.inTurn(file('b'), assert.fail, signal, async () => 'other'), 'other');
    });
    assert.deepEqual(seen, [
      [path.basename(place('a', 'lock'))],
      String(process.pid),
      ...(process.platform === 'win32' ? [] : [0o600]),
    ]);
    await assert.rejects(
      memory.inTurn(file('a'), assert.fail, signal, () => Promise.reject(new Error('refused'))),
      /refused/,
    );
    assert.deepEqual(fs.readdirSync(memory.folder), []);
  });

  it('wait for their turn a tenth of a second at a time, say so once, and no longer than is wanted', async () => {
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

  it('tell every two seconds that they go on', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const old = new Date(0);
    await memory.inTurn(file('a'), assert.fail, signal, async () => {
      const isTold = (): boolean => fs.statSync(place('a', 'lock')).mtimeMs > 0;
      for (let beat = 0; beat < 2; beat += 1) {
        fs.utimesSync(place('a', 'lock'), old, old);
        mock.timers.tick(1999);
        assert.equal(isTold(), false);
        mock.timers.tick(1);
        assert.equal(isTold(), true);
      }
      fs.rmSync(place('a', 'lock'));
      mock.timers.tick(2000);
    });
    fs.writeFileSync(place('a', 'lock'), `${process.pid} another`);
    fs.utimesSync(place('a', 'lock'), old, old);
    mock.timers.tick(10_000);
    assert.equal(fs.statSync(place('a', 'lock')).mtimeMs, 0, 'no more after the end');
  });

  it('give back a lock that somebody else has taken over at the same moment', async () => {
    fs.mkdirSync(memory.folder);
    fs.writeFileSync(place('a', 'lock'), `${spawnSync(process.execPath, ['-e', '']).pid} gone`);
    const rename = fs.renameSync;
    mock.method(fs, 'renameSync', (from: string, to: string) => {
      fs.writeFileSync(from, `${process.pid} another`);
      rename(from, to);
    });
    syncBuiltinESMExports();
    const end = new AbortController();
    const waiting = memory.inTurn(file('a'), () => undefined, end.signal, assert.fail);
    mock.reset();
    syncBuiltinESMExports();
    assert.equal(fs.readFileSync(place('a', 'lock'), 'utf8'), `${process.pid} another`);
    assert.deepEqual(fs.readdirSync(memory.folder), [path.basename(place('a', 'lock'))]);
    end.abort();
    await assert.rejects(waiting, isAbort);
  });

  it('wait for nobody where there can be no lock', async () => {
    fs.writeFileSync(path.join(folder, 'memory'), 'a file in its place');
    assert.equal(await memory.inTurn(file('a'), assert.fail, signal, async () => 'done'), 'done');
    assert.equal(fs.readFileSync(path.join(folder, 'memory'), 'utf8'), 'a file in its place');
  });
});
