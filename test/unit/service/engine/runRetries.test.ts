import assert from 'node:assert/strict';
import { ActiveRuns } from '../../../../src/service/engine/activeRuns.ts';
import { createRunRetries } from '../../../../src/service/engine/engine.ts';
import type { NewRun, RunRecord } from '../../../../src/service/store/runRecord.ts';
import type { Store } from '../../../../src/service/store/store.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { eachWithStore } from '../support/storeBench.ts';

describe('retries that wait', () => {
  let store: Store;
  const clock = new FakeClock(1_000_000);
  const settings = JSON.stringify({ name: 'j', spark_python_task: { python_file: '/a.py' } });
  eachWithStore((one) => (store = one));

  const createJob = (): string => store.jobs.insert({ settings, creator: 'me', createdAt: 0 }, undefined);
  const failed = (jobId: string | undefined, inMs: number, more: Partial<NewRun> = {}): RunRecord => {
    const run: NewRun = {
      jobId,
      numberInJob: 1,
      attemptNumber: 0,
      runType: 'JOB_RUN',
      trigger: 'PERIODIC',
      runName: 'j',
      creator: 'me',
      detail: '',
      lifeCycle: 'TERMINATED',
      result: 'FAILED',
      message: '',
      createdAt: 0,
      ...more,
    };
    const record = store.runs.insert(run, { settings, parameters: '{"python_params":["a"]}' });
    const waiting = { ...record, retryAt: clock.now() + inMs };
    store.runs.update(waiting);
    return waiting;
  };
  function setUp(more: { isFull?: boolean; isClosing?: boolean } = {}) {
    const active = new ActiveRuns();
    const state = { isFull: more.isFull === true, isClosing: more.isClosing === true, wakes: 0, checks: 0 };
    const errors: string[] = [];
    const retries = createRunRetries({
      store,
      clock,
      notifier: { over: () => undefined, wake: () => void (state.wakes += 1) } as never,
      creator: 'me',
      admission: { isFull: () => state.isFull, skipReason: () => undefined } as never,
      active,
      dispatcher: { check: () => void (state.checks += 1) } as never,
      logger: { ...silentLogger, error: (text) => void errors.push(text) },
      isClosing: () => state.isClosing,
    });
    return { active, waiters: active.waiters, state, errors, retries };
  }

  it('start when they are due, as the next attempt of the same run with what it ran with', async () => {
    const { active, waiters, state, retries } = setUp();
    const jobId = createJob();
    const first = failed(jobId, 5000, { parentRunId: '77' });
    const over = waiters.wait(first.runId);
    retries.check();
    await clock.advance(4999);
    assert.deepEqual([active.all, state.wakes, state.checks], [[], 0, 0]);
    await clock.advance(1);
    const [next] = active.all;
    assert.ok(next);
    assert.deepEqual([active.count, state.wakes, state.checks], [1, 1, 1]);
    const { record, plan } = next;
    assert.deepEqual(
      [record.jobId, record.attemptNumber, record.originalRunId, record.parentRunId, record.trigger, record.lifeCycle],
      [jobId, 1, first.runId, '77', 'RETRY', 'PENDING'],
    );
    assert.deepEqual([plan.settings, plan.parameters], [settings, '{"python_params":["a"]}']);
    assert.deepEqual([store.runs.get(first.runId)?.retryAt, store.runs.earliestRetry()], [undefined, undefined]);
    // Who waited for the first waits for the next.
    waiters.tell(record.runId, record);
    assert.equal((await over)?.runId, record.runId);
    const third = failed(jobId, 1, { attemptNumber: 3, originalRunId: first.runId });
    retries.check();
    await clock.advance(1);
    assert.deepEqual(
      [active.all[1]?.record.attemptNumber, active.all[1]?.record.originalRunId],
      [4, first.runId],
      third.runId,
    );
    retries.dispose();
    assert.equal(clock.pending, 0);
  });

  it('wait another second while the workspace is full', async () => {
    const { active, state, retries } = setUp({ isFull: true });
    const run = failed(createJob(), 0);
    retries.check();
    await clock.advance(0);
    assert.deepEqual([active.all, store.runs.get(run.runId)?.retryAt], [[], clock.now() + 1000]);
    state.isFull = false;
    await clock.advance(1000);
    assert.equal(active.count, 1);
    retries.dispose();
  });

  it('do not come where the job is gone, which ends the run', async () => {
    const { active, waiters, retries } = setUp();
    const jobId = createJob();
    const runs = [failed(jobId, 0), failed(undefined, 0)];
    store.jobs.delete(jobId);
    const over = runs.map(({ runId }) => waiters.wait(runId));
    retries.check();
    await clock.advance(0);
    assert.deepEqual(
      (await Promise.all(over)).map((run) => [run?.runId, run?.retryAt, run?.result]),
      runs.map(({ runId }) => [runId, undefined, 'FAILED']),
    );
    assert.deepEqual([active.all, store.runs.earliestRetry()], [[], undefined]);
    retries.dispose();
  });

  it('are dropped, so that the attempt that failed stays the last', async () => {
    const { active, waiters, retries } = setUp();
    const run = failed(createJob(), 10);
    const over = waiters.wait(run.runId);
    retries.drop(run);
    assert.deepEqual([(await over)?.retryAt, store.runs.get(run.runId)?.retryAt], [undefined, undefined]);
    retries.check();
    await clock.advance(10);
    assert.deepEqual(active.all, []);
    retries.dispose();
  });

  it('do not start while the service ends', async () => {
    const { active, retries } = setUp({ isClosing: true });
    failed(createJob(), 0);
    retries.check();
    await settle();
    assert.deepEqual([active.all, clock.pending], [[], 0]);
    retries.dispose();
  });
});
