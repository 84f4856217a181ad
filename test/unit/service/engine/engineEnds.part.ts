import assert from 'node:assert/strict';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import { createEngine } from '../../../../src/service/engine/engine.ts';
import type { Engine } from '../../../../src/service/engine/engineContract.ts';
import type { Store } from '../../../../src/service/store/store.ts';
import type { FakeClock } from '../../../support/fakeClock.ts';
import { openEngineBench, type EngineBench } from '../support/engineBench.ts';
import type { FakeRunners } from '../support/fakeRunners.ts';

describe('the end of a run', () => {
  let bench: EngineBench;
  let store: Store;
  let clock: FakeClock;
  let runners: FakeRunners;
  let engine: Engine;
  let told: string[];
  beforeEach(() => {
    bench = openEngineBench(createEngine);
    ({ store, clock, runners, engine, told } = bench);
  });
  afterEach(() => bench.close());
  const start: EngineBench['start'] = (...given) => bench.start(...given);

  it('is that of its last attempt, for whoever waits from the first on and for who comes between two', async () => {
    const { runId } = start({ max_retries: 1, min_retry_interval_millis: 5000 });
    const early = engine.whenOver(runId);
    let isOver = false;
    void early.then(() => (isOver = true));
    await clock.advance(0);
    runners.last.fail();
    await clock.advance(100);
    assert.deepEqual([engine.get(runId)?.lifeCycle, isOver, engine.activeCount], ['TERMINATED', false, 0]);
    const between = engine.whenOver(runId);
    await clock.advance(4900);
    assert.equal(runners.tasks.length, 2);
    runners.last.succeed();
    await clock.advance(0);
    const ends = await Promise.all([early, between]);
    assert.deepEqual(
      ends.map((run) => [run?.result, run?.attemptNumber]),
      [
        ['SUCCESS', 1],
        ['SUCCESS', 1],
      ],
    );
    assert.deepEqual(told, [`FAILED ${runId} true`, `SUCCESS ${ends[0]?.runId} false`]);
    assert.equal((await engine.whenOver(ends[0]!.runId))?.result, 'SUCCESS');
    await assert.rejects(engine.whenOver('999'), ApiError);
  });

  it('comes at once where its retry is cancelled', async () => {
    const { runId, jobId } = start({ max_retries: 1, min_retry_interval_millis: 5000 });
    await clock.advance(0);
    runners.last.fail();
    await clock.advance(0);
    const over = engine.whenOver(runId);
    engine.cancelAll(jobId!);
    assert.deepEqual([(await over)?.result, store.runs.earliestRetry()], ['FAILED', undefined]);
    await clock.advance(10_000);
    assert.equal(runners.tasks.length, 1);
  });

  it('is waited for before the run can be deleted', async () => {
    const { runId } = start();
    assert.throws(() => engine.delete(runId), ApiError);
    await clock.advance(0);
    assert.throws(() => engine.delete(runId), ApiError);
    runners.last.succeed();
    await clock.advance(0);
    engine.delete(runId);
    assert.equal(engine.get(runId), undefined);
    assert.throws(() => engine.delete(runId), ApiError);
  });

  it('is that of the service, which starts none after it', async () => {
    const { runId } = start();
    await clock.advance(0);
    runners.last.started();
    await engine.close();
    assert.equal(engine.get(runId)?.lifeCycle, 'INTERNAL_ERROR');
    assert.throws(
      () => start(),
      (error) =>
        error instanceof ApiError && error.status === 503 && /is stopping; no run was started/.test(error.message),
    );
  });
});
