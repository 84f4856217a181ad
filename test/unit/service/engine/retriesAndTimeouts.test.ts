import assert from 'node:assert/strict';
import { TravelClock } from '../../../../src/service/base/travelClock.ts';
import { retryDueAt } from '../../../../src/service/engine/runJournal.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import type { Clock } from '../../../../src/shared/clock.ts';
import { runRecord } from '../support/runRecord.ts';
import { startTestService, type TestService } from '../support/testService.ts';

describe('Time-outs and retries', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await startTestService({ configuration: { discoverModels: false, maxParallelRuns: 2 } });
  });
  afterEach(() => test.close());

  it('ends a run at its time-out', async () => {
    const runId = await test.runNow(await test.createJob({ timeout_seconds: 60, max_retries: 3 }));
    await test.untilTasks(1);
    test.runners.last.started();
    await test.clock.advance(59_000);
    assert.equal((await test.getRun(runId)).state.life_cycle_state, 'RUNNING');
    await test.clock.advance(2000);
    const run = await test.untilState(runId, 'TERMINATED');
    assert.deepEqual([run.state.result_state, run.state.user_cancelled_or_timedout], ['TIMEDOUT', true]);
    await test.clock.advance(10_000);
    assert.equal(test.runners.tasks.length, 1);
  });

  it('applies a changed time-out to active runs', async () => {
    const jobId = await test.createJob({ timeout_seconds: 1000, max_concurrent_runs: 2 });
    const first = await test.runNow(jobId);
    await test.untilTasks(1);
    test.runners.last.started();
    await test.clock.advance(100_000);
    await test.post('/api/2.0/jobs/update', { job_id: jobId, new_settings: { timeout_seconds: 50 } });
    assert.equal((await test.untilState(first, 'TERMINATED')).state.result_state, 'TIMEDOUT');
    const second = await test.runNow(jobId);
    await test.untilTasks(2);
    test.runners.last.started();
    await test.post('/api/2.0/jobs/update', { job_id: jobId, fields_to_remove: ['timeout_seconds'] });
    await test.clock.advance(1000_000);
    assert.equal((await test.getRun(second)).state.life_cycle_state, 'RUNNING');
  });

  it('applies a changed time-out to a run that waits for a place, also after a restart', async () => {
    const jobId = await test.createJob({ timeout_seconds: 1000, max_concurrent_runs: 3 });
    const runs = [await test.runNow(jobId), await test.runNow(jobId), await test.runNow(jobId)];
    await test.untilTasks(2);
    await test.post('/api/2.0/jobs/update', { job_id: jobId, new_settings: { timeout_seconds: 5 } });
    await test.restart();
    await test.untilTasks(3);
    await test.clock.advance(6000);
    assert.equal((await test.untilState(runs[2]!, 'TERMINATED')).state.result_state, 'TIMEDOUT');
  });

  it('warns once of a run that lasts longer than expected, and never after its end', async () => {
    const more = {
      email_notifications: { on_duration_warning_threshold_exceeded: ['slow@example.com'] },
      health: { rules: [{ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 30 }] },
    };
    const stored = (): number =>
      (
        test.service.store.database.connection
          .prepare("SELECT coalesce(max(seq), 0) AS count FROM sqlite_sequence WHERE name = 'outbox'")
          .get() as { count: number }
      ).count;
    const jobId = await test.createJob(more);
    const quick = await test.runNow(jobId);
    await test.untilTasks(1);
    test.runners.last.started();
    test.runners.last.succeed();
    await test.untilState(quick, 'TERMINATED');
    await test.clock.advance(60_000);
    assert.equal(stored(), 0);
    await test.runNow(jobId);
    await test.untilTasks(2);
    test.runners.last.started();
    await test.clock.advance(29_900);
    assert.equal(stored(), 0);
    await test.clock.advance(200);
    assert.equal(stored(), 1);
    await test.clock.advance(60_000);
    assert.equal(stored(), 1);
  });

  it('applies only the changed time-out to a retry that waits', async () => {
    const jobId = await test.createJob({ timeout_seconds: 1000, max_retries: 1, min_retry_interval_millis: 60_000 });
    const first = await test.runNow(jobId);
    await test.untilTasks(1);
    test.runners.last.fail();
    await test.untilState(first, 'TERMINATED');
    await test.post('/api/2.0/jobs/update', { job_id: jobId, new_settings: { timeout_seconds: 5, name: 'renamed' } });
    await test.clock.advance(60_000);
    await test.untilTasks(2);
    const retry = Number(test.runners.last.request.runId);
    assert.equal((await test.getRun(retry)).run_name, 'job');
    await test.clock.advance(6000);
    assert.equal((await test.untilState(retry, 'TERMINATED')).state.result_state, 'TIMEDOUT');
  });

  it('retries a failed run until it succeeds or the retries are used up', async () => {
    const jobId = await test.createJob({ max_retries: 2, min_retry_interval_millis: 5000 });
    const first = await test.runNow(jobId, { python_params: ['--a'] });
    await test.untilTasks(1);
    test.runners.last.started();
    await test.clock.advance(1000);
    test.runners.last.fail();
    const failed = await test.untilState(first, 'TERMINATED');
    await test.clock.advance(3000);
    assert.equal(test.runners.tasks.length, 1);
    await test.clock.advance(1500);
    await test.untilTasks(2);
    const second = Number(test.runners.last.request.runId);
    const retry = await test.getRun(second);
    assert.ok(retry.start_time >= failed.start_time + 5000);
    assert.deepEqual(
      [
        retry.trigger,
        retry.attempt_number,
        retry.original_attempt_run_id,
        retry.number_in_job,
        retry.overriding_parameters,
      ],
      ['RETRY', 1, first, 2, { python_params: ['--a'] }],
    );
    assert.deepEqual(test.runners.last.request.parameters, { python_params: ['--a'] });
    test.runners.last.reject('There is no Python.');
    assert.equal((await test.untilState(second, 'INTERNAL_ERROR')).state.state_message, 'There is no Python.');
    await test.clock.advance(5000);
    await test.untilTasks(3);
    const third = Number(test.runners.last.request.runId);
    assert.equal((await test.getRun(third)).original_attempt_run_id, first);
    test.runners.last.fail();
    await test.untilState(third, 'TERMINATED');
    await test.clock.advance(60_000);
    assert.equal(test.runners.tasks.length, 3);
  });

  it('retries after a time-out only if configured, and never after a cancellation', async () => {
    const jobId = await test.createJob({ max_retries: -1, timeout_seconds: 100, retry_on_timeout: true });
    await test.runNow(jobId);
    await test.untilTasks(1);
    await test.clock.advance(101_000);
    await test.untilTasks(2);
    const second = Number(test.runners.last.request.runId);
    await test.post('/api/2.0/jobs/runs/cancel-all', { job_id: jobId });
    await test.untilState(second, 'TERMINATED');
    await test.clock.advance(60_000);
    assert.equal(test.runners.tasks.length, 2);
  });

  it('starts a retry that became due while the service was away', async () => {
    const jobId = await test.createJob({ max_retries: 1, min_retry_interval_millis: 60_000 });
    const first = await test.runNow(jobId);
    await test.untilTasks(1);
    test.runners.last.fail();
    await test.untilState(first, 'TERMINATED');
    await test.service.close();
    await test.clock.advance(100_000);
    await test.restart();
    await test.untilTasks(2);
    assert.equal(test.runners.last.request.attemptNumber, 1);
  });
});

describe('Clock that is set back', () => {
  let test: TestService;
  let setBackInMs: number;
  beforeEach(async () => {
    setBackInMs = 0;
    const clock = new TravelClock();
    const wrong: Clock = { now: () => clock.now() - setBackInMs, schedule: (...timer) => clock.schedule(...timer) };
    test = await startTestService({ clock: wrong, testClock: undefined });
  });
  afterEach(() => test.close());

  it('makes no duration negative and no retry late', async () => {
    const jobId = await test.createJob({ max_retries: 1, min_retry_interval_millis: 1 });
    const runId = await test.runNow(jobId);
    await test.untilTasks(1);
    test.runners.last.started();
    await test.untilState(runId, 'RUNNING');
    setBackInMs = 3_600_000;
    test.runners.last.fail();
    const run = await test.untilState(runId, 'TERMINATED');
    assert.ok(run.end_time >= run.start_time);
    for (const part of ['queue', 'setup', 'execution', 'cleanup'])
      assert.ok(run[`${part}_duration`] >= 0 && run[`${part}_duration`] < 60_000, part);
    await test.untilTasks(2);
  });

  it('leaves no schedule waiting for the time that was wrong', async () => {
    setBackInMs = -30 * 24 * 3_600_000;
    const jobId = await test.createJob({
      schedule: { quartz_cron_expression: '* * * * * ?', timezone_id: 'UTC' },
    });
    setBackInMs = 0;
    await test.createJob();
    const fires = test.service.store.jobs.dueJobs(Date.now() + 60_000, 10);
    assert.deepEqual(
      fires.map((each) => each.jobId),
      [String(jobId)],
    );
  });
});

describe('Retry policy', () => {
  const failed = (more: Partial<RunRecord>): RunRecord =>
    runRecord({ lifeCycle: 'TERMINATED', result: 'FAILED', createdAt: 100_000, endedAt: 130_000, ...more });

  it('pauses for a second from the third endless retry on', () => {
    assert.deepEqual(
      [0, 1, 2, 500].map((attemptNumber) =>
        retryDueAt(failed({ attemptNumber }), { max_retries: -1 }, { now: 130_000 }),
      ),
      [130_000, 130_000, 131_000, 131_000],
    );
    assert.equal(retryDueAt(failed({ attemptNumber: 2 }), { max_retries: 5 }, { now: 130_000 }), 130_000);
  });
});
