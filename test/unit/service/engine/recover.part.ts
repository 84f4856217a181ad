import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../../../src/service/engine/engine.ts';
import type { Engine } from '../../../../src/service/engine/engineContract.ts';
import { startRetention } from '../../../../src/service/engine/retention.ts';
import { runFolder } from '../../../../src/service/engine/runStart.ts';
import { openStore, type Store } from '../../../../src/service/store/store.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { createFakeRunners, type FakeRunners } from '../support/fakeRunners.ts';
import { pythonTask, until } from '../support/testService.ts';

describe('what an engine takes up', () => {
  let folder: string;
  let store: Store;
  let clock: FakeClock;
  let runners: FakeRunners;
  let engine: Engine;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-engine-'));
    store = openStore(folder);
    clock = new FakeClock();
    start();
  });
  afterEach(() => {
    engine.dispose();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function start(): void {
    runners = createFakeRunners();
    const notifier = { started() {}, over() {}, lastsLong() {}, jobDeleted() {}, wake() {} };
    engine = createEngine({
      store,
      clock,
      runners,
      notifier,
      logger: silentLogger,
      dataFolder: folder,
      creator: 'x',
      places: 4,
    });
  }

  function job(more: object): { jobId: string; settings: string; trigger: 'ONE_TIME' } {
    const settings = JSON.stringify({ name: 'x', ...pythonTask, ...more });
    return {
      jobId: store.jobs.insert({ settings, creator: 'x', createdAt: clock.now() }, undefined),
      settings,
      trigger: 'ONE_TIME',
    };
  }

  it('starts nothing new while what an earlier service left is being ended, however that goes', async () => {
    for (const how of ['resolve', 'reject'] as const) {
      const lost = engine.start(job({}));
      await clock.advance(10);
      runners.last.started();
      engine.dispose();
      start();
      const killing = Promise.withResolvers<unknown>();
      engine.recover(() => killing.promise);
      assert.equal(engine.get(lost.runId)?.lifeCycle, 'INTERNAL_ERROR');
      const next = engine.start(job({}));
      await clock.advance(5000);
      assert.equal(runners.tasks.length, 0);
      assert.equal(engine.get(next.runId)?.dispatchedAt, undefined);
      killing[how](new Error('no'));
      await clock.advance(10);
      assert.deepEqual(
        runners.tasks.map(({ request }) => request.runId),
        [next.runId],
      );
      runners.last.succeed();
      await clock.advance(10);
    }
  });

  it('loses no retry that cannot be stored', async () => {
    const first = engine.start(job({ max_retries: 1 }));
    await clock.advance(10);
    runners.last.started();
    const { insert } = store.runs;
    let refusals = 0;
    Object.assign(store.runs, {
      insert: () => {
        refusals += 1;
        throw new Error('database or disk is full');
      },
    });
    runners.last.fail();
    await clock.advance(1500);
    assert.ok(refusals >= 1);
    assert.ok(store.runs.get(first.runId)?.retryAt !== undefined);
    Object.assign(store.runs, { insert });
    await clock.advance(2000);
    assert.deepEqual(
      runners.tasks.map(({ request }) => request.attemptNumber),
      [0, 1],
    );
    assert.equal(store.runs.get(first.runId)?.retryAt, undefined);
  });

  it('is forgotten in time: runs and their folders after 60 days, creations after an hour', async () => {
    const run = engine.start(job({}));
    await clock.advance(10);
    runners.last.succeed();
    await clock.advance(10);
    const ofRun = runFolder(folder, run.runId);
    mkdirSync(ofRun, { recursive: true });
    store.creations.insert(clock.now());
    const retention = startRetention({ store, clock, logger: silentLogger, dataFolder: folder });
    await clock.advance(30 * 60_000);
    assert.equal(store.creations.countSince(0), 1);
    await clock.advance(2 * 60 * 60_000);
    assert.equal(store.creations.countSince(0), 0);
    await clock.advance(59.8 * 86_400_000);
    assert.ok(store.runs.get(run.runId) && existsSync(ofRun));
    await clock.advance(86_400_000);
    assert.equal(store.runs.get(run.runId), undefined);
    await until(
      async () => !existsSync(ofRun) || undefined,
      () => 'the folder of the run to be removed',
    );
    retention.dispose();
  });
});
