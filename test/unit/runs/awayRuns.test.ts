import assert from 'node:assert/strict';
import type { JobsClient } from '../../../src/api/client/client.ts';
import type { JobSettings, Run, Job } from '../../../src/api/schema/jobs/schemas.ts';
import {
  isAttemptAwaited,
  isTriedAgain,
  longestToNextAttemptMs,
  nextAttemptIn,
  originalIdOf,
  pauseBeforeRetryMs,
  runsWithNextAttempt,
} from '../../../src/runs/attempts.ts';
import { AwayRuns } from '../../../src/runs/awayRuns.ts';
import { OwnCancellations } from '../../../src/runs/ownCancellations.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { FakeClock } from '../../support/fakeClock.ts';

describe('retries', () => {
  const ended = (life: string, result?: string, attempt = 0): Run =>
    ({
      run_id: String(attempt + 5),
      job_id: '1',
      attempt_number: attempt,
      original_attempt_run_id: '5',
      state: { life_cycle_state: life, ...(result !== undefined && { result_state: result }) },
    }) as Run;
  const failed = (attempt?: number): Run => ended('TERMINATED', 'FAILED', attempt);

  it('happen as often as the settings allow', () => {
    const told = [undefined, 0, 1, 2, -1].map((most) =>
      [0, 1, 2].map((attempt) => isTriedAgain(failed(attempt), most === undefined ? {} : { max_retries: most })),
    );
    assert.deepEqual(told, [
      [false, false, false],
      [false, false, false],
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
    assert.equal(isTriedAgain(failed(), undefined), false);
  });

  it('follow failures, and time-outs only if requested', () => {
    const again = (run: Run): boolean[] =>
      [false, true].map((retry_on_timeout) => isTriedAgain(run, { max_retries: 3, retry_on_timeout }));
    assert.deepEqual(again(failed()), [true, true]);
    assert.deepEqual(again(ended('INTERNAL_ERROR')), [true, true]);
    assert.deepEqual(again(ended('INTERNAL_ERROR', 'FAILED')), [true, true]);
    assert.deepEqual(again(ended('TERMINATED', 'TIMEDOUT')), [false, true]);
    for (const other of ['SUCCESS', 'CANCELED', 'NEW'])
      assert.deepEqual(again(ended('TERMINATED', other)), [false, false]);
    for (const life of ['RUNNING', 'SKIPPED', 'TERMINATING']) assert.deepEqual(again(ended(life)), [false, false]);
    // A one-time run has no retry settings.
    assert.equal(isTriedAgain({ ...failed(), job_id: undefined } as Run, { max_retries: 3 }), false);
  });

  it('wait for the rest of the interval between two starts', () => {
    const took = (ms: number) => ({ ...failed(), start_time: 1_000_000, end_time: 1_000_000 + ms }) as Run;
    const settings = { max_retries: 1, min_retry_interval_millis: 60_000 };
    assert.deepEqual(
      [took(10_000), took(60_000), took(90_000), failed()].map((run) => pauseBeforeRetryMs(run, settings)),
      [50_000, 0, 0, 60_000],
    );
    assert.equal(pauseBeforeRetryMs(took(10), { max_retries: 1 }), 0);
  });

  it('are awaited until a minute after their interval', () => {
    const settings = { max_retries: 1, min_retry_interval_millis: 100_000 };
    const took = (ms: number, more: object = {}) =>
      ({ ...failed(), start_time: 1_000_000, end_time: 1_000_000 + ms, ...more }) as Run;
    assert.deepEqual(
      [took(30_000), took(200_000)].map((run) => longestToNextAttemptMs(run, settings)),
      [130_000, 60_000],
    );
    assert.equal(longestToNextAttemptMs(took(5), undefined), 60_000);
    const end = 1_030_000;
    const isAwaited = (run: Run | undefined, nowMs: number, of: JobSettings = settings): boolean =>
      isAttemptAwaited(run, of, nowMs);
    assert.deepEqual(
      [end, end + 129_999, end + 130_000, end - 129_999, end - 130_000].map((nowMs) => isAwaited(took(30_000), nowMs)),
      [true, true, false, true, false],
    );
    assert.equal(isAwaited(undefined, end), false);
    assert.equal(isAwaited(took(30_000), end, { max_retries: 0 }), false);
    assert.equal(isAttemptAwaited(took(30_000), undefined, end), false);
    const going = { state: { life_cycle_state: 'RUNNING' }, end_time: 0 };
    assert.equal(isAttemptAwaited(took(0, going), undefined, end + 9e9), true);
    assert.equal(isAwaited({ ...failed() } as Run, 59_000), true, 'nobody knows when it ended');
  });

  it('are found among the runs of their job', () => {
    assert.equal(runsWithNextAttempt, 25);
    const other = { ...failed(3), original_attempt_run_id: '9' } as Run;
    const idOf = (runs: readonly Run[], run: Run): string | undefined => nextAttemptIn(runs, run)?.run_id;
    assert.equal(idOf([other, failed(3), failed(2), failed(1), failed(0)], failed(1)), '7');
    assert.equal(idOf([other, failed(1), failed(0)], failed(1)), undefined);
    const first = { run_id: '5', job_id: '1' } as Run;
    assert.equal(idOf([failed(2), failed(1), first], first), '6', 'one without a number is the first');
    assert.deepEqual([originalIdOf(first), originalIdOf(failed(2))], ['5', '5']);
  });
});

describe('AwayRuns', () => {
  let clock: FakeClock;
  let runs: AwayRuns;
  let told: string[];
  let asked: string[];
  let failure: AppError | undefined;
  /** Delays the replies. */
  let gate: Promise<void> | undefined;
  /** Delays the connections. */
  let connecting: Promise<void> | undefined;
  let signals: AbortSignal[];
  const ended = new Set<string>();
  /** The attempts of one run; their ids are 10, 11 and so on. */
  let attempts: Run[];
  const attempt = (number: number, result?: string): Run => ({
    run_id: String(10 + number),
    job_id: '5',
    original_attempt_run_id: '10',
    attempt_number: number,
    state: result ? { life_cycle_state: 'TERMINATED', result_state: result } : { life_cycle_state: 'RUNNING' },
  });

  const taken = (profileId: string): string[] => runs.take(profileId).map(({ runId }) => runId);

  beforeEach(() => {
    clock = new FakeClock();
    told = [];
    asked = [];
    failure = undefined;
    [gate, connecting, signals] = [undefined, undefined, []];
    ended.clear();
    attempts = [];
    const jobs = {
      get: async (jobId: string): Promise<Job> => {
        asked.push(`job ${jobId}`);
        return { job_id: jobId, settings: { name: 'read', max_retries: 2 } };
      },
      listRuns: async ({ job_id: jobId }: { job_id?: string }) => {
        asked.push(`runs of ${jobId}`);
        if (failure) throw failure;
        return { runs: attempts, has_more: false };
      },
      getRun: async (runId: string): Promise<Run> => {
        asked.push(runId);
        await gate;
        if (failure) throw failure;
        const attempt = attempts.find((run) => run.run_id === runId);
        if (attempt) return attempt;
        return {
          run_id: runId,
          state: ended.has(runId)
            ? { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' }
            : { life_cycle_state: 'RUNNING' },
        };
      },
    } as unknown as JobsClient;
    runs = new AwayRuns({
      clock,
      connectTo: async (profileId, { signal }) => {
        signals.push(signal);
        await connecting;
        return profileId === 'removed' ? undefined : { jobs };
      },
      onFinished: (profileId, run, job) => told.push(`${profileId} ${run.run_id} ${job?.settings?.name ?? '-'}`),
      onGivenUp: (runId) => told.push(`${runId} given up`),
    });
  });

  afterEach(() => {
    runs.dispose();
    assert.equal(clock.pending, 0, 'a timer was left behind');
  });

  it('reports the end of a run once', async () => {
    runs.add('local', { runId: '1', job: { job_id: '5', settings: { name: 'nightly' } } });
    await clock.advance(10_000);
    assert.deepEqual(told, []);
    ended.add('1');
    await clock.advance(5000);
    await clock.advance(600_000);
    assert.deepEqual(told, ['local 1 nightly']);
    assert.equal(clock.pending, 0, 'nothing is left to watch');
  });

  it('watches at most 50 runs per profile, the newest', () => {
    for (let id = 1; id <= 52; id += 1) runs.add('local', { runId: String(id), job: undefined });
    runs.add('acme', { runId: '1', job: undefined });
    runs.add('local', { runId: '10', job: undefined });
    const left = taken('local');
    assert.deepEqual([left.length, left[0], left.at(-2), left.at(-1)], [50, '3', '52', '10']);
    assert.deepEqual(taken('acme'), ['1']);
  });

  it('returns the active runs of a profile that becomes current', async () => {
    runs.add('local', { runId: '1', job: undefined });
    runs.add('acme', { runId: '2', job: undefined });
    assert.deepEqual(taken('local'), ['1']);
    asked = [];
    await clock.advance(60_000);
    assert.deepEqual(new Set(asked), new Set(['2']));
    assert.deepEqual(taken('local'), []);
  });

  it('polls after 3 s, then with growing delays up to a minute, and soon again for a new run', async () => {
    const times: number[] = [];
    const push = asked.push.bind(asked);
    asked.push = (...ids) => {
      times.push(clock.now());
      return push(...ids);
    };
    const startMs = clock.now();
    runs.add('local', { runId: '1', job: undefined });
    for (let step = 0; step < 36_000; step += 1) await clock.advance(100);
    const pauses = times.map((time, index) => time - (times[index - 1] ?? startMs));
    assert.ok(pauses[0] !== undefined && pauses[0] >= 3000 && pauses[0] <= 3100, String(pauses[0]));
    assert.ok(pauses[1] !== undefined && pauses[1] >= 3150 && pauses[1] <= 3300, String(pauses[1]));
    assert.deepEqual(
      pauses.map((pause) => Math.round(pause / 1000)).toSorted((left, right) => left - right),
      pauses.map((pause) => Math.round(pause / 1000)),
    );
    assert.equal(pauses.at(-1), 60_000);
    assert.deepEqual(taken('local'), ['1']);
    await clock.advance(60_000);
    const count = asked.length;
    runs.add('local', { runId: '2', job: undefined });
    await clock.advance(3100);
    assert.deepEqual(asked.slice(count), ['2']);
  });

  it('gives up a run after three refusals in a row', async () => {
    const refused = new AppError('notFound', 'No such run.');
    const askedOnce = async (answer: AppError | undefined): Promise<void> => {
      failure = answer;
      const { length } = asked;
      while (asked.length === length) await clock.advance(1000);
    };
    runs.add('local', { runId: '1', job: undefined });
    for (const answer of [undefined, refused, refused, undefined, refused, refused]) await askedOnce(answer);
    assert.deepEqual(told, []);
    await askedOnce(refused);
    assert.deepEqual(told, ['1 given up']);
  });

  it('keeps trying while the service is unreachable and gives up a deleted run', async () => {
    runs.add('local', { runId: '1', job: undefined });
    failure = new AppError('network', 'No answer.');
    await clock.advance(600_000);
    failure = undefined;
    ended.add('1');
    await clock.advance(120_000);
    assert.deepEqual(told, ['local 1 -']);
    runs.add('local', { runId: '2', job: undefined });
    failure = new AppError('notFound', 'No such run.');
    await clock.advance(120_000);
    assert.deepEqual(told.slice(1), ['2 given up']);
  });

  it('follows a run through its retries', async () => {
    attempts = [attempt(0, 'FAILED')];
    runs.add('acme', { runId: '10', job: undefined });
    await clock.advance(10_000);
    assert.deepEqual(told, ['acme 10 read']);
    assert.deepEqual(new Set(asked), new Set(['10', 'job 5', 'runs of 5']));
    attempts = [attempt(1), attempt(0, 'FAILED')];
    await clock.advance(20_000);
    asked = [];
    await clock.advance(20_000);
    assert.deepEqual(new Set(asked), new Set(['11']), 'the one that goes on is asked for');
    attempts = [attempt(2, 'FAILED'), attempt(1, 'FAILED'), attempt(0, 'FAILED')];
    await clock.advance(60_000);
    assert.deepEqual(told, ['acme 10 read', 'acme 11 read', 'acme 12 read']);
    assert.equal(clock.pending, 0, 'the job allows no more');
  });

  it('waits for the next attempt a little longer than the settings require', async () => {
    const job = { job_id: '5', settings: { name: 'nightly', max_retries: 2, min_retry_interval_millis: 300_000 } };
    attempts = [attempt(0, 'FAILED')];
    runs.add('acme', { runId: '10', job });
    await clock.advance(340_000);
    assert.deepEqual(told, ['acme 10 nightly']);
    assert.ok(clock.pending > 0);
    await clock.advance(120_000);
    assert.equal(clock.pending, 0);
  });
});

describe('OwnCancellations', () => {
  const cancelled = (id: string) => ({
    run_id: id,
    state: { life_cycle_state: 'TERMINATED', result_state: 'CANCELED' },
  });

  it('explain the end of a run that the user canceled, once and per profile', () => {
    const own = new OwnCancellations();
    own.add('local', ['1', '2']);
    assert.deepEqual([own.take('acme', cancelled('1')), own.take('local', cancelled('3'))], [false, false]);
    assert.deepEqual([own.take('local', cancelled('1')), own.take('local', cancelled('1'))], [true, false]);
    const done = { run_id: '2', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } };
    assert.equal(own.take('local', done), false, 'it was done before it could be cancelled');
  });

  it('explain nothing if the service refused to cancel', () => {
    const own = new OwnCancellations();
    own.add('local', ['1'])();
    assert.equal(own.take('local', cancelled('1')), false);
  });

  it('explain nothing that was taken back', () => {
    const own = new OwnCancellations();
    const takeBack = own.add('local', ['1', '2']);
    own.add('local', ['3']);
    takeBack();
    assert.deepEqual(
      ['1', '2', '3'].map((id) => own.take('local', cancelled(id))),
      [false, false, true],
    );
    own.add('a', ['b,c']);
    assert.deepEqual([own.take('a,b', cancelled('c')), own.take('a', cancelled('b,c'))], [false, true]);
  });
});
