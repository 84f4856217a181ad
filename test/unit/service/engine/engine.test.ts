import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { pythonTask, startTestService, until, type TestService } from '../support/testService.ts';
import './engineCare.part.ts';
import './engineEnds.part.ts';
import './engineJobs.part.ts';
import './engineTimes.part.ts';
import './recover.part.ts';

describe('run engine', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await startTestService({ configuration: { discoverModels: false, maxParallelRuns: 2 } });
  });
  afterEach(() => test.close());

  it('takes a run through its life and adds the durations up', async () => {
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
    assert.equal(run.setup_duration + run.execution_duration + run.cleanup_duration, run.end_time - run.start_time);
    assert.ok(run.setup_duration >= 100 && run.execution_duration >= 1000);
    assert.deepEqual(
      [run.trigger, run.run_type, run.attempt_number, run.number_in_job, run.original_attempt_run_id],
      ['ONE_TIME', 'JOB_RUN', 0, 1, runId],
    );
  });

  it('lets a machine-sized number execute and keeps the rest PENDING', async () => {
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

  it('fills in what parameters refer to, for a run and for its retry', async () => {
    const jobId = await test.createJob({ name: 'named', max_retries: 1 });
    const first = await test.runNow(jobId);
    await test.untilTasks(1);
    const run = await test.getRun(first);
    const day = new Date(run.start_time).toISOString().slice(0, 10);
    const pick = (): unknown =>
      ['job_id', 'run_id', 'parent_run_id', 'start_date', 'start_time', 'task_retry_count', 'job.name'].map(
        (name) => test.runners.last.request.dynamicValues[name],
      );
    assert.deepEqual(pick(), [String(jobId), String(first), String(first), day, String(run.start_time), '0', 'named']);
    test.runners.last.fail();
    await test.untilTasks(2);
    assert.equal(test.runners.last.request.dynamicValues['task_retry_count'], '1');
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

  it('lowering max_concurrent_runs stops nothing and skips new runs until there are fewer', async () => {
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

  it('cancels a running and a waiting run, and leaves a finished one', async () => {
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

  it('runs another job for a run-job task and takes over how it ended', async () => {
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

  it('does not let jobs run each other for ever', async () => {
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

  it('hides a deleted job with its runs at once and ends the active ones', async () => {
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

  it('announces the start and the end of a run, each once', async () => {
    const all = { on_start: ['a@example.com'], on_success: ['b@example.com'], on_failure: ['c@example.com'] };
    const kinds = (): unknown[] =>
      test.service.store.database.connection
        .prepare('SELECT payload FROM outbox ORDER BY message_id')
        .all()
        .map((row) => (JSON.parse(String(row['payload'])) as { event: string }).event);
    // Nothing is delivered meanwhile, so that what was stored can be seen.
    test.service.store.database.connection.exec(
      "CREATE TRIGGER keep BEFORE DELETE ON outbox BEGIN SELECT RAISE(ABORT, 'kept'); END",
    );
    const jobId = await test.createJob({ email_notifications: all });
    const runId = await test.runNow(jobId);
    await test.untilTasks(1);
    assert.deepEqual(kinds(), []);
    test.runners.last.started();
    await test.untilState(runId, 'RUNNING');
    assert.deepEqual(kinds(), ['on_start']);
    test.runners.last.succeed();
    await test.untilState(runId, 'TERMINATED');
    assert.deepEqual(kinds(), ['on_start', 'on_success']);
  });

  it('removes what a run left with the run, or with its job', async () => {
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

  it('stores what belongs to the start of a run with it, or neither', async () => {
    const start = (within: () => void) =>
      test.service.engine.start({ settings: JSON.stringify(pythonTask), trigger: 'ONE_TIME' }, within);
    assert.throws(
      () =>
        start(() => {
          test.service.store.facts.set('a', '1');
          throw new Error('refused');
        }),
      /refused/,
    );
    assert.deepEqual([test.service.store.facts.get('a'), test.service.engine.activeCount], [undefined, 0]);
    start(() => test.service.store.facts.set('a', '1'));
    assert.deepEqual([test.service.store.facts.get('a'), test.service.engine.activeCount], ['1', 1]);
  });

  it('starts nothing and says so while it stops', async () => {
    await test.service.close();
    assert.throws(
      () => test.service.engine.start({ settings: JSON.stringify(pythonTask), trigger: 'ONE_TIME' }),
      /The local service is stopping; no run was started\. Start it again\./,
    );
    await test.restart();
  });

  it('marks what was going when the service stops as INTERNAL_ERROR and starts what only waited', async () => {
    const jobId = await test.createJob({ max_concurrent_runs: 10 });
    const going = [await test.runNow(jobId), await test.runNow(jobId)];
    const waiting = await test.runNow(jobId);
    await test.untilTasks(2);
    test.runners.tasks[0]!.started();
    await test.restart();
    const first = await test.getRun(going[0]!);
    assert.deepEqual([first.state.life_cycle_state, first.state.result_state], ['INTERNAL_ERROR', 'FAILED']);
    assert.match(first.state.state_message, /The local service ended while the run was going/);
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
        settings: JSON.stringify({
          existing_cluster_id: 'x',
          spark_python_task: { python_file: '/a.py' },
          max_concurrent_runs: 1000,
        }),
        trigger: 'ONE_TIME',
      });
    const refused = await test.post('/api/2.0/jobs/run-now', { job_id: jobId });
    assert.deepEqual([refused.status, refused.json.error_code], [429, 'REQUEST_LIMIT_EXCEEDED']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal(
      (
        await test.post('/api/2.0/jobs/runs/submit', {
          ...{ existing_cluster_id: 'x', spark_python_task: { python_file: '/a.py' } },
        })
      ).status,
      429,
    );
    // One of a schedule is no request that could be repeated: it is skipped.
    const settings = JSON.stringify({ existing_cluster_id: 'x', spark_python_task: { python_file: '/a.py' } });
    test.service.engine.startScheduled({ jobId: String(await test.createJob()), settings }, () => undefined);
    assert.equal(test.service.engine.activeCount, 1000);
    assert.equal((await test.get('/api/2.0/jobs/runs/list?active_only=true&limit=0')).json.has_more, true);
    await test.post('/api/2.0/jobs/runs/cancel-all', { job_id: jobId });
    await test.clock.advance(1000);
    assert.equal(test.service.engine.activeCount, 0);
  });

  it('removes runs 60 days after their end', async () => {
    const runId = await test.runNow(await test.createJob());
    await test.untilTasks(1);
    test.runners.last.succeed();
    await test.untilState(runId, 'TERMINATED');
    await test.clock.advance(59.9 * 86_400_000);
    assert.equal((await test.getRun(runId)).run_id, runId);
    await test.clock.advance(0.2 * 86_400_000);
    assert.equal((await test.get(`/api/2.0/jobs/runs/get?run_id=${runId}`)).status, 400);
  });
});
