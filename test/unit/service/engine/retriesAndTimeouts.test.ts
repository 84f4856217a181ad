import assert from 'node:assert/strict';
import type { ActiveRun } from '../../../../src/service/engine/activeRun.ts';
import { ActiveRuns } from '../../../../src/service/engine/activeRuns.ts';
import { retryDueAt } from '../../../../src/service/engine/retryPolicy.ts';
import type { Happening } from '../../../../src/service/engine/runJournal.ts';
import { createRunTimers } from '../../../../src/service/engine/runTimers.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { runRecord } from '../support/runRecord.ts';
import { startTestService, type TestService } from '../support/testService.ts';

describe('run engine: time-outs and retries', () => {
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

  it('lets a changed time-out reach active runs, by reset and by update', async () => {
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

  it('lets a changed time-out reach a run that waits for a place, also over a restart', async () => {
    const jobId = await test.createJob({ timeout_seconds: 1000, max_concurrent_runs: 3 });
    const runs = [await test.runNow(jobId), await test.runNow(jobId), await test.runNow(jobId)];
    await test.untilTasks(2);
    await test.post('/api/2.0/jobs/update', { job_id: jobId, new_settings: { timeout_seconds: 5 } });
    await test.restart();
    await test.untilTasks(3);
    await test.clock.advance(6000);
    assert.equal((await test.untilState(runs[2]!, 'TERMINATED')).state.result_state, 'TIMEDOUT');
  });

  it('warns of a run that lasts longer than expected, once, and of none that is over', async () => {
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

  it('lets a changed time-out reach a retry that waits, and nothing else of the change', async () => {
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

  it('retries a failed run as a new one until it succeeds or the retries are used up', async () => {
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

  it('retries after a time-out only where that is asked for, and never after a cancellation', async () => {
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

  it('goes on with a retry that became due while the service was away', async () => {
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

describe('when a run is retried', () => {
  const failed = (more: Partial<RunRecord>): RunRecord =>
    runRecord({ lifeCycle: 'TERMINATED', result: 'FAILED', createdAt: 100_000, endedAt: 130_000, ...more });

  it('waits min_retry_interval_millis from the start of the failed attempt, not from its end', () => {
    assert.equal(retryDueAt(failed({}), { max_retries: 1, min_retry_interval_millis: 45_000 }), 145_000);
    assert.equal(retryDueAt(failed({}), { max_retries: 1, min_retry_interval_millis: 20_000 }), 130_000);
    assert.equal(retryDueAt(failed({}), { max_retries: 1 }), 130_000);
  });

  it('pauses for a second from the third endless retry on', () => {
    assert.deepEqual(
      [0, 1, 2, 500].map((attemptNumber) => retryDueAt(failed({ attemptNumber }), { max_retries: -1 })),
      [130_000, 130_000, 131_000, 131_000],
    );
    assert.equal(retryDueAt(failed({ attemptNumber: 2 }), { max_retries: 5 }), 130_000);
  });

  it("does not retry beyond max_retries, a cancelled run, a deleted job's or a one-time run", () => {
    for (const more of [
      { attemptNumber: 1 },
      { stopping: 'CANCELED' as const },
      { stopping: 'TIMEDOUT' as const },
      { hidden: true },
      { jobId: undefined },
      { result: 'SUCCESS' as const },
    ]) {
      assert.equal(retryDueAt(failed(more), { max_retries: 1 }), undefined, JSON.stringify(more));
    }
    assert.equal(retryDueAt(failed({ stopping: 'TIMEDOUT' }), { max_retries: 1, retry_on_timeout: true }), 130_000);
  });
});

describe('the time-out and the warning of a run', () => {
  const warnAfter = (...seconds: number[]): object => ({
    health: { rules: seconds.map((value) => ({ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value })) },
  });

  const began = 1_000_000;
  let clock: FakeClock;
  let active: ActiveRuns;
  let state: { isClosing: boolean; isFull: boolean };
  /** What came, by the second at which it came. */
  let seen: string[];
  let errors: string[];
  let plans: Map<string, { settings: string; parameters: string }>;
  let retries: { runId: string }[];
  beforeEach(() => {
    clock = new FakeClock(began);
    active = new ActiveRuns();
    state = { isClosing: false, isFull: false };
    [seen, errors, plans, retries] = [[], [], new Map(), []];
  });
  const at = (): string => `${(clock.now() - began) / 1000}`;
  const setUp = () =>
    createRunTimers({
      store: {
        transaction(body: () => void) {
          if (state.isFull) throw new Error('the disk is full');
          seen.push('{');
          body();
          seen.push('}');
        },
        runs: {
          waitingRetries: () => retries,
        },
        runParts: {
          plan: (runId: string) => plans.get(runId),
          setPlanSettings: (runId: string, settings: string) => plans.set(runId, { settings, parameters: '{}' }),
        },
      } as never,
      clock,
      notifier: {
        lastsLong: (run: { runId: string }, settings: object) =>
          void seen.push(`warning of ${run.runId} at ${at()}${'name' in settings ? ' with its settings' : ''}`),
        wake: () => void seen.push('wake'),
      } as never,
      logger: { ...silentLogger, error: (text) => void errors.push(text) },
      active,
      journal: {
        record: () => assert.fail('what cannot be stored now is stored later'),
        recordSoon: ([happening]: Happening[]) =>
          void seen.push(
            happening?.event.type === 'timedOut'
              ? `${happening.event.message} ${happening.run.record.runId} at ${(happening.event.at - began) / 1000}`
              : 'something else',
          ),
      } as never,
      isClosing: () => state.isClosing,
    });
  const adopt = (run: object): ActiveRun => {
    const whole = { settings: {}, plan: { settings: '{}', parameters: '{}' }, ...run } as ActiveRun;
    active.adopt(whole);
    return whole;
  };
  const record = (secondsAgo: number, lifeCycle = 'RUNNING', more: object = {}): object => ({
    ...{ runId: '4', jobId: '7', lifeCycle, dispatchedAt: began - secondsAgo * 1000 },
    ...more,
  });
  const warning = (second: string): string[] => ['{', `warning of 4 at ${second}`, '}', 'wake'];
  const timeout = (seconds: number, second: number): string =>
    `The run was ended after its time-out of ${seconds} s. 4 at ${second}`;

  for (const [what, run, expected] of [
    ['of one without either', { record: record(0) }, []],
    ['of one with 0, which is none', { record: record(0), settings: { timeout_seconds: 0 } }, []],
    [
      'count from its place',
      { record: record(10), settings: { timeout_seconds: 60, ...warnAfter(30) } },
      [...warning('20.001'), timeout(60, 50)],
    ],
    [
      'of one whose time is up come at once',
      { record: record(90), settings: { timeout_seconds: 60 } },
      [timeout(60, 0)],
    ],
    ['of one that was warned of already', { record: record(31), settings: warnAfter(30) }, []],
    ['of one that lasts as long as it may', { record: record(30), settings: warnAfter(30) }, [...warning('0.001')]],
    ['are the least of several', { record: record(0), settings: warnAfter(90, 30, 60) }, [...warning('30.001')]],
    ['of one without a place', { record: { runId: '4', lifeCycle: 'PENDING' }, settings: { timeout_seconds: 60 } }, []],
    ['of one that is over', { record: record(0, 'TERMINATED'), settings: { timeout_seconds: 60 } }, []],
    ['of one that is debugged', { record: record(0), settings: { timeout_seconds: 60 }, debug: {} }, []],
    [
      'of one whose debugger has left',
      { record: record(500), settings: { timeout_seconds: 60 }, debug: { leftAt: 990_000 } },
      [timeout(60, 50)],
    ],
  ] as const)
    it(`${what}: ${expected.join(', ') || 'none'}`, async () => {
      setUp().arm(adopt(run));
      const { pending } = clock;
      await clock.advance(3_600_000);
      assert.deepEqual(seen, expected);
      assert.equal(pending, seen.filter((each) => / at /.test(each)).length, 'nothing is set that does not come');
    });

  it('that cannot be stored is tried each second, for as long as the run is in care and the service goes on', async () => {
    const timers = setUp();
    const [one, two] = [
      adopt({ record: record(0), settings: { name: 'n', ...warnAfter(20) } }),
      adopt({ record: record(0, 'RUNNING', { runId: '5' }), settings: warnAfter(20) }),
    ];
    state.isFull = true;
    timers.arm(one);
    timers.arm(two);
    await clock.advance(21_500);
    assert.equal(errors.length, 4);
    assert.match(
      errors[0] ?? '',
      /^The duration warning of run 4 could not be stored, trying again in a second: the disk is full/,
    );
    active.release(two);
    state.isFull = false;
    await clock.advance(60_000);
    assert.deepEqual([seen, errors.length], [['{', 'warning of 4 at 22.001 with its settings', '}', 'wake'], 4]);
    timers.arm(adopt({ record: record(0, 'RUNNING', { dispatchedAt: clock.now() }), settings: warnAfter(1) }));
    state.isClosing = true;
    await clock.advance(5000);
    assert.equal(seen.length, 4);
  });
});
