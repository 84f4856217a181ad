import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { DeployMemory } from '../../../src/deployments/deployMemory.ts';

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
