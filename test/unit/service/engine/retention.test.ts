import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRetention } from '../../../../src/service/engine/retention.ts';
import { runFolder } from '../../../../src/service/engine/runStart.ts';
import type { Store } from '../../../../src/service/store/store.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { eventually } from '../../../support/eventually.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const hourInMs = 60 * 60 * 1000;

describe('runs that ended long ago', () => {
  let clock: FakeClock;
  let ended: string[];
  let asked: [beforeMs: number, count: number][];
  let forgotten: number[];
  let errors: string[];
  let isFull: boolean;
  beforeEach(() => {
    clock = new FakeClock(100 * 24 * hourInMs);
    [ended, asked, forgotten, errors, isFull] = [[], [], [], [], false];
  });
  const start = () =>
    startRetention({
      store: {
        transaction: (work: () => void) => work(),
        runs: {
          endedBefore(momentInMs: number, count: number) {
            if (isFull) throw new Error('database or disk is full');
            asked.push([momentInMs, count]);
            return ended.slice(0, count);
          },
          delete: (runId: string) => void ended.splice(ended.indexOf(runId), 1),
        },
        creations: { forgetBefore: (momentInMs: number) => void forgotten.push(momentInMs) },
      } as unknown as Store,
      clock,
      logger: { ...silentLogger, error: (text) => void errors.push(text) },
      dataFolder: '/nowhere',
    });

  it('are removed a second after the start, a few at a time until none is left, and then once an hour', async () => {
    ended = Array.from({ length: 450 }, (_, place) => `${place}`);
    start();
    await clock.advance(999);
    assert.deepEqual(asked, []);
    await clock.advance(1);
    assert.equal(ended.length, 250);
    await clock.advance(50);
    assert.equal(ended.length, 50);
    await clock.advance(50);
    assert.deepEqual([ended.length, asked.length], [0, 3]);
    await clock.advance(hourInMs - 1);
    assert.equal(asked.length, 3);
    await clock.advance(1);
    assert.equal(asked.length, 4);
    const nowInMs = clock.now();
    assert.deepEqual(asked.at(-1), [nowInMs - 60 * 24 * hourInMs, 200]);
    assert.equal(forgotten.at(-1), nowInMs - hourInMs);
  });

  it('stay for another hour where they cannot be removed, as the log says', async () => {
    isFull = true;
    const retention = start();
    await clock.advance(1000);
    assert.match(errors.join(), /^Old runs could not be removed: .*disk is full/);
    await clock.advance(60_000);
    assert.equal(errors.length, 1);
    isFull = false;
    await clock.advance(hourInMs);
    assert.deepEqual([asked.length, errors.length], [1, 1]);
    retention.dispose();
    assert.equal(clock.pending, 0);
  });
});

describe('what a run left on the disk', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-retention-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is removed with the run, however much it is, and the log says what cannot be', async () => {
    const warned: string[] = [];
    const clock = new FakeClock(100 * 24 * hourInMs);
    mkdirSync(join(runFolder(folder, '4'), 'deep'), { recursive: true });
    mkdirSync(runFolder(folder, '5'), { recursive: true });
    const retention = startRetention({
      store: {
        transaction: (work: () => void) => work(),
        runs: { endedBefore: () => ['4', '6', '\0'], delete: () => undefined },
        creations: { forgetBefore: () => undefined },
      } as unknown as Store,
      clock,
      logger: { ...silentLogger, warn: (text) => void warned.push(text) },
      dataFolder: folder,
    });
    await clock.advance(1000);
    await eventually(() => {
      assert.deepEqual(readdirSync(join(folder, 'runs')), ['5']);
      assert.equal(warned.length, 1);
    });
    assert.match(warned[0] ?? '', /^The folder of run \0 could not be removed: /);
    retention.dispose();
  });
});
