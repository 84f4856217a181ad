import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActiveRun } from '../../../../src/service/engine/activeRun.ts';
import type { NewRun, RunRecord } from '../../../../src/service/engine/runRecord.ts';
import { createRunRetries } from '../../../../src/service/engine/runRetries.ts';
import { RunWaiters } from '../../../../src/service/engine/runWaiters.ts';
import { openStore, type Store } from '../../../../src/service/store/store.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

describe('retries that wait', () => {
  let folder: string;
  let store: Store;
  const clock = new FakeClock(1_000_000);
  const settings = JSON.stringify({ name: 'j', spark_python_task: { python_file: '/a.py' } });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-retries-'));
    store = openStore(folder);
  });
  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

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
  function setUp(more: { active?: number; isClosing?: boolean } = {}) {
    const adopted: ActiveRun[] = [];
    const waiters = new RunWaiters();
    const state = { active: more.active ?? 0, isClosing: more.isClosing === true, starts: 0 };
    const retries = createRunRetries({
      creation: {
        store,
        clock,
        notifier: { over: () => undefined } as never,
        creator: 'me',
        activeCount: () => state.active,
        activeCountOf: () => 0,
      },
      waiters,
      logger: silentLogger,
      adopt: (run) => void adopted.push(run),
      onDidStart: () => void (state.starts += 1),
      isClosing: () => state.isClosing,
    });
    return { adopted, waiters, state, retries };
  }

  it('start when they are due, as the next attempt of the same run with what it ran with', async () => {
    const { adopted, waiters, state, retries } = setUp();
    const jobId = createJob();
    const first = failed(jobId, 5000, { parentRunId: '77' });
    const over = waiters.wait(first.runId);
    retries.check();
    await clock.advance(4999);
    assert.deepEqual([adopted, state.starts], [[], 0]);
    await clock.advance(1);
    const [next] = adopted;
    assert.ok(next && adopted.length === 1 && state.starts === 1);
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
      [adopted[1]?.record.attemptNumber, adopted[1]?.record.originalRunId],
      [4, first.runId],
      third.runId,
    );
    retries.dispose();
    assert.equal(clock.pending, 0);
  });

  it('wait another second while the workspace is full', async () => {
    const { adopted, state, retries } = setUp({ active: 1000 });
    const run = failed(createJob(), 0);
    retries.check();
    await clock.advance(0);
    assert.deepEqual([adopted, store.runs.get(run.runId)?.retryAt], [[], clock.now() + 1000]);
    state.active = 999;
    await clock.advance(1000);
    assert.equal(adopted.length, 1);
    retries.dispose();
  });

  it('do not come where the job is gone, which ends the run', async () => {
    const { adopted, waiters, retries } = setUp();
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
    assert.deepEqual([adopted, store.runs.earliestRetry()], [[], undefined]);
    retries.dispose();
  });

  it('are dropped, so that the attempt that failed stays the last', async () => {
    const { adopted, waiters, retries } = setUp();
    const run = failed(createJob(), 10);
    const over = waiters.wait(run.runId);
    retries.drop(run);
    assert.deepEqual([(await over)?.retryAt, store.runs.get(run.runId)?.retryAt], [undefined, undefined]);
    retries.check();
    await clock.advance(10);
    assert.deepEqual(adopted, []);
    retries.dispose();
  });

  it('do not start while the service ends', async () => {
    const { adopted, retries } = setUp({ isClosing: true });
    failed(createJob(), 0);
    retries.check();
    await settle();
    assert.deepEqual([adopted, clock.pending], [[], 0]);
    retries.dispose();
  });
});
