import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import { createEngine } from '../../../../src/service/engine/engine.ts';
import type { Engine } from '../../../../src/service/engine/engineContract.ts';
import { startRetention } from '../../../../src/service/engine/retention.ts';
import { runFolder } from '../../../../src/service/engine/runStart.ts';
import { openStore, type Store } from '../../../../src/service/store/store.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { type EngineBench, openEngineBench } from '../support/engineBench.ts';
import { createFakeRunners, type FakeRunners } from '../support/fakeRunners.ts';
import { pythonTask, startTestService, type TestService, until } from '../support/testService.ts';

describe('Run engine', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await startTestService({ configuration: { discoverModels: false, maxParallelRuns: 2 } });
  });
  afterEach(() => test.close());

  it('takes a run through its life and adds up the durations', async () => {
    const jobId = await test.createJob();
    const runId = await test.runNow(jobId);
    await test.untilTasks(1);
    const pending = await test.getRun(runId);
    assert.equal(pending.state.life_cycle_state, 'PENDING');
    assert.equal('result_state' in pending.state, false);
    assert.equal(pending.end_time, 0);
    await test.clock.advance(100);
    test.runners.last.started();
    const running = await test.untilState(runId, 'RUNNING');
    assert.equal(running.cluster_instance.cluster_id, 'local');
    assert.ok(running.cluster_instance.spark_context_id);
    await test.clock.advance(1000);
    test.runners.last.succeed();
    const run = await test.untilState(runId, 'TERMINATED');
    assert.equal(run.state.result_state, 'SUCCESS');
    const parts = [run.queue_duration, run.setup_duration, run.execution_duration, run.cleanup_duration];
    assert.equal(
      parts.reduce((sum, part) => sum + part),
      run.end_time - run.start_time,
    );
    assert.ok(run.setup_duration >= 100 && run.execution_duration >= 1000);
    assert.deepEqual(
      [run.trigger, run.run_type, run.attempt_number, run.number_in_job, run.original_attempt_run_id],
      ['ONE_TIME', 'JOB_RUN', 0, 1, runId],
    );
  });

  it('runs as many tasks as the machine has places and keeps the rest PENDING', async () => {
    const jobId = await test.createJob({ max_concurrent_runs: 10 });
    const runs = [];
    for (let index = 0; index < 5; index += 1) runs.push(await test.runNow(jobId));
    await test.untilTasks(2);
    await test.clock.advance(50);
    assert.equal(test.runners.tasks.length, 2);
    test.runners.tasks[0]!.succeed();
    await test.untilTasks(3);
    assert.equal(test.runners.tasks[2]!.request.runId, String(runs[2]));
  });

  it('skips a run when the job has as many as it may, and every run with 0', async () => {
    const one = await test.createJob();
    await test.runNow(one);
    const second = await test.getRun(await test.runNow(one));
    assert.equal(second.state.life_cycle_state, 'SKIPPED');
    assert.equal('result_state' in second.state, false);
    assert.equal(second.number_in_job, 2);
    const none = await test.createJob({ max_concurrent_runs: 0 });
    assert.equal((await test.getRun(await test.runNow(none))).state.life_cycle_state, 'SKIPPED');
  });

  it('applies a lower max_concurrent_runs to new runs only', async () => {
    const jobId = await test.createJob({ max_concurrent_runs: 2 });
    const first = await test.runNow(jobId);
    const second = await test.runNow(jobId);
    await test.untilTasks(2);
    await test.post('/api/2.0/jobs/update', { job_id: jobId, new_settings: { max_concurrent_runs: 1 } });
    assert.equal((await test.getRun(first)).state.life_cycle_state, 'PENDING');
    assert.equal((await test.getRun(await test.runNow(jobId))).state.life_cycle_state, 'SKIPPED');
    test.runners.tasks.forEach((task) => task.succeed());
    await test.untilState(first, 'TERMINATED');
    await test.untilState(second, 'TERMINATED');
    assert.equal((await test.getRun(await test.runNow(jobId))).state.life_cycle_state, 'PENDING');
  });

  it('cancels running and waiting runs and leaves a finished one', async () => {
    const jobId = await test.createJob({ max_concurrent_runs: 10 });
    const [running, , waiting] = [await test.runNow(jobId), await test.runNow(jobId), await test.runNow(jobId)];
    await test.untilTasks(2);
    test.runners.tasks[0]!.started();
    for (const runId of [running, waiting])
      assert.equal((await test.post('/api/2.0/jobs/runs/cancel', { run_id: runId })).status, 200);
    for (const runId of [running, waiting]) {
      const run = await test.untilState(runId, 'TERMINATED');
      assert.equal(run.state.result_state, 'CANCELED');
      assert.equal(run.state.user_cancelled_or_timedout, true);
    }
    assert.ok(test.runners.tasks[0]!.signal.aborted);
    const before = await test.getRun(running);
    assert.equal((await test.post('/api/2.0/jobs/runs/cancel', { run_id: running })).status, 200);
    assert.deepEqual(await test.getRun(running), before);
  });

  it('runs another job for a run-job task and takes over its result', async () => {
    const inner = await test.createJob({ name: 'inner', max_retries: 1 });
    const outer = await test.createJob({
      spark_python_task: undefined,
      existing_cluster_id: undefined,
      run_job_task: { job_id: inner },
    });
    const good = await test.runNow(outer);
    await test.untilTasks(1);
    test.runners.last.fail();
    await test.untilTasks(2);
    test.runners.last.succeed();
    assert.equal((await test.untilState(good, 'TERMINATED')).state.result_state, 'SUCCESS');
    const cancelled = await test.runNow(outer);
    await test.untilTasks(3);
    await test.post('/api/2.0/jobs/runs/cancel', { run_id: cancelled });
    await test.untilState(Number(test.runners.last.request.runId), 'TERMINATED');
    assert.equal((await test.untilState(cancelled, 'TERMINATED')).state.result_state, 'CANCELED');
  });

  it('names the run whose time-out cancelled the run that it started', async () => {
    const inner = await test.createJob({ name: 'inner' });
    const outer = await test.createJob({
      spark_python_task: undefined,
      existing_cluster_id: undefined,
      run_job_task: { job_id: inner },
      timeout_seconds: 60,
    });
    const runId = await test.runNow(outer);
    await test.untilTasks(1);
    await test.clock.advance(61_000);
    assert.equal((await test.untilState(runId, 'TERMINATED')).state.result_state, 'TIMEDOUT');
    const child = await test.untilState(Number(test.runners.last.request.runId), 'TERMINATED');
    assert.match(child.state.state_message, new RegExp(`run ${runId}, .*timed out`));
  });

  it('gives no place to a run that only waits for another', async () => {
    const inner = await test.createJob({ name: 'inner', max_concurrent_runs: 2 });
    const outer = await test.createJob({
      spark_python_task: undefined,
      existing_cluster_id: undefined,
      run_job_task: { job_id: inner },
      max_concurrent_runs: 2,
    });
    await test.runNow(outer);
    await test.runNow(outer);
    await test.untilTasks(2);
  });

  it('stops jobs that run each other in a circle', async () => {
    const jobId = await test.createJob({ name: 'circle', max_concurrent_runs: 1000 });
    await test.post('/api/2.0/jobs/reset', {
      job_id: jobId,
      new_settings: { name: 'circle', run_job_task: { job_id: jobId }, max_concurrent_runs: 1000 },
    });
    const runId = await test.runNow(jobId);
    const run = await test.untilState(runId, 'TERMINATED');
    assert.equal(run.state.result_state, 'FAILED');
    assert.match(run.state.state_message, /more than 10 levels deep/);
  });

  it('hides a deleted job with its runs and ends the active ones', async () => {
    const jobId = await test.createJob({ max_concurrent_runs: 2 });
    const done = await test.runNow(jobId);
    await test.untilTasks(1);
    test.runners.last.succeed();
    await test.untilState(done, 'TERMINATED');
    const active = await test.runNow(jobId);
    await test.untilTasks(2);
    assert.equal((await test.post('/api/2.0/jobs/delete', { job_id: jobId })).status, 200);
    assert.equal((await test.get(`/api/2.0/jobs/get?job_id=${jobId}`)).status, 400);
    for (const runId of [done, active])
      assert.equal((await test.get(`/api/2.0/jobs/runs/get?run_id=${runId}`)).status, 400);
    assert.deepEqual((await test.get('/api/2.0/jobs/runs/list')).json, { runs: [], has_more: false });
    assert.ok(test.runners.last.signal.aborted);
    assert.equal((await test.post('/api/2.0/jobs/delete', { job_id: jobId })).status, 200);
  });

  it('removes the folder of a run with the run or its job', async () => {
    const jobId = await test.createJob({ max_concurrent_runs: 3 });
    const folders: string[] = [];
    for (const count of [1, 2, 3]) {
      await test.runNow(jobId);
      await test.untilTasks(count);
      const { request } = test.runners.last;
      folders.push(request.folder);
      await mkdir(request.folder, { recursive: true });
      if (count === 3) break;
      test.runners.last.succeed();
      await test.untilState(Number(request.runId), 'TERMINATED');
    }
    const gone = (folder: string): Promise<true> =>
      until(
        async () => (existsSync(folder) ? undefined : true),
        () => `${folder} to be removed`,
      );
    await test.post('/api/2.0/jobs/runs/delete', { run_id: Number(test.runners.tasks[0]!.request.runId) });
    await gone(folders[0]!);
    assert.equal(existsSync(folders[1]!), true);
    await test.post('/api/2.0/jobs/delete', { job_id: jobId });
    for (const folder of folders) await gone(folder);
  });

  it('marks interrupted runs INTERNAL_ERROR after a restart and starts waiting ones', async () => {
    const jobId = await test.createJob({ max_concurrent_runs: 10 });
    const going = [await test.runNow(jobId), await test.runNow(jobId)];
    const waiting = await test.runNow(jobId);
    await test.untilTasks(2);
    test.runners.tasks[0]!.started();
    await test.restart();
    const first = await test.getRun(going[0]!);
    assert.deepEqual([first.state.life_cycle_state, first.state.result_state], ['INTERNAL_ERROR', 'FAILED']);
    assert.match(first.state.state_message, /The local service stopped during the run/);
    const second = await test.getRun(going[1]!);
    assert.deepEqual([second.state.life_cycle_state, 'result_state' in second.state], ['INTERNAL_ERROR', false]);
    await test.untilTasks(3);
    assert.equal(test.runners.last.request.runId, String(waiting));
  });

  it('refuses the 1,001st active run with 429', async function () {
    this.timeout(120_000);
    const jobId = await test.createJob({ max_concurrent_runs: 1000 });
    for (let index = 0; index < 1000; index += 1)
      test.service.engine.start({
        jobId: String(jobId),
        settings: JSON.stringify({ ...pythonTask, max_concurrent_runs: 1000 }),
        trigger: 'ONE_TIME',
      });
    const refused = await test.post('/api/2.0/jobs/run-now', { job_id: jobId });
    assert.deepEqual([refused.status, refused.json.error_code], [429, 'REQUEST_LIMIT_EXCEEDED']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await test.post('/api/2.0/jobs/runs/submit', pythonTask)).status, 429);
    // One of a schedule is no request that could be repeated: it is skipped.
    const settings = JSON.stringify(pythonTask);
    test.service.engine.startScheduled({ jobId: String(await test.createJob()), settings }, () => undefined);
    assert.equal(test.service.engine.activeCount, 1000);
    assert.equal((await test.get('/api/2.0/jobs/runs/list?active_only=true&limit=0')).json.has_more, true);
    await test.post('/api/2.0/jobs/runs/cancel-all', { job_id: jobId });
    await test.clock.advance(1000);
    assert.equal(test.service.engine.activeCount, 0);
  });
});

describe('End of a run', () => {
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

  it('resolves with the last attempt for everyone who waits', async () => {
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

  it('resolves at once when the pending retry is cancelled', async () => {
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

  it('is final: no run starts after the service has closed', async () => {
    const { runId } = start();
    await clock.advance(0);
    runners.last.started();
    await engine.close();
    assert.equal(engine.get(runId)?.lifeCycle, 'INTERNAL_ERROR');
    assert.throws(() => start(), { status: 503, message: /is stopping; no run was started/ });
  });
});

describe('Runs of a job', () => {
  let bench: EngineBench;
  beforeEach(() => {
    bench = openEngineBench(createEngine);
  });
  afterEach(() => bench.close());
  const lifeCycle = (runId: string): string | undefined => bench.engine.get(runId)?.lifeCycle;

  it('tell whoever waits for them that they were deleted', async () => {
    const { engine, clock, runners } = bench;
    const { runId, jobId } = bench.start({ max_retries: 1, min_retry_interval_millis: 60_000 });
    await clock.advance(0);
    runners.last.fail();
    await clock.advance(0);
    const over = engine.whenOver(runId);
    engine.jobDeleted(jobId!, [runId]);
    assert.equal(await over, undefined);
    const again = engine.whenOver(runId);
    engine.delete(runId);
    assert.equal(await again, undefined);
  });

  it("are cancelled without touching another job's runs", async () => {
    const { engine, clock } = bench;
    const [one, two] = [bench.start(), bench.start()];
    await clock.advance(0);
    engine.cancelAll(one.jobId!);
    engine.cancelAll('999');
    await clock.advance(0);
    assert.deepEqual([lifeCycle(one.runId), lifeCycle(two.runId)], ['TERMINATED', 'PENDING']);
    assert.equal(engine.get(one.runId)?.message, 'The run was cancelled by a user.');
  });

  it('are not cancelled when the cancellation cannot be stored', async () => {
    let isFull = false;
    const { store } = bench;
    const full = openEngineBench(createEngine, {
      store: {
        ...store,
        transaction(body) {
          if (isFull) throw new Error('the disk is full');
          return store.transaction(body);
        },
      },
    });
    const { runId, jobId } = bench.start();
    bench.engine.dispose();
    full.engine.recover(() => assert.fail('there is nothing to end'));
    isFull = true;
    assert.throws(() => full.engine.cancel(runId), /disk is full/);
    assert.throws(() => full.engine.cancelAll(jobId!), /disk is full/);
    isFull = false;
    assert.equal(full.engine.get(runId)?.lifeCycle, 'PENDING');
    await full.close();
  });

  it('are waited for when the service stops, but not forever', async () => {
    let isOver = false;
    const ending = Promise.withResolvers<{ resultState: 'CANCELED' }>();
    const runners = Object.assign(createFakeRunners(), { forTask: () => ({ run: () => ending.promise }) });
    const slow = openEngineBench(createEngine, { runners });
    slow.start();
    await slow.clock.advance(0);
    const closing = slow.engine.close().then(() => (isOver = true));
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(isOver, false);
    ending.resolve({ resultState: 'CANCELED' });
    await closing;
    await slow.close();
  });
});

describe('Recovery', () => {
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

  it('starts nothing while leftovers of an earlier service are being ended', async () => {
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

  it('keeps a retry that cannot be stored yet', async () => {
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

  it('forgets runs and their folders after 60 days and creations after an hour', async () => {
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
    await until(async () => !existsSync(ofRun), 'the folder of the run to be removed');
    retention.dispose();
  });
});
