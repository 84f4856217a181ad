import assert from 'node:assert/strict';
import type { JobSettings, Run } from '../../../src/api/schema/jobs/schemas.ts';
import {
  groupAttempts,
  isAttemptAwaited,
  isTriedAgain,
  longestToNextAttemptMs,
  nextAttemptIn,
  originalIdOf,
  pauseBeforeRetryMs,
  runsWithNextAttempt,
} from '../../../src/runs/attempts.ts';

const ended = (life: string, result?: string, attempt = 0): Run =>
  ({
    run_id: String(attempt + 5),
    job_id: '1',
    attempt_number: attempt,
    original_attempt_run_id: '5',
    state: { life_cycle_state: life, ...(result !== undefined && { result_state: result }) },
  }) as Run;
const failed = (attempt?: number): Run => ended('TERMINATED', 'FAILED', attempt);

describe('attempts of a run', () => {
  it('are tried again as often as the settings say', () => {
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

  it('follow a failure of the task or of the service, a time-out where that is asked for, and nothing else', () => {
    const again = (run: Run): boolean[] =>
      [false, true].map((retry_on_timeout) => isTriedAgain(run, { max_retries: 3, retry_on_timeout }));
    assert.deepEqual(again(failed()), [true, true]);
    assert.deepEqual(again(ended('INTERNAL_ERROR')), [true, true]);
    assert.deepEqual(again(ended('INTERNAL_ERROR', 'FAILED')), [true, true]);
    assert.deepEqual(again(ended('TERMINATED', 'TIMEDOUT')), [false, true]);
    for (const other of ['SUCCESS', 'CANCELED', 'NEW'])
      assert.deepEqual(again(ended('TERMINATED', other)), [false, false]);
    for (const life of ['RUNNING', 'SKIPPED', 'TERMINATING']) assert.deepEqual(again(ended(life)), [false, false]);
    // A one-time run has no settings that say so.
    assert.equal(isTriedAgain({ ...failed(), job_id: undefined } as Run, { max_retries: 3 }), false);
  });

  it('come so long after the end as is left of the interval between two starts', () => {
    const took = (ms: number) => ({ ...failed(), start_time: 1_000_000, end_time: 1_000_000 + ms }) as Run;
    const settings = { max_retries: 1, min_retry_interval_millis: 60_000 };
    assert.deepEqual(
      [took(10_000), took(60_000), took(90_000), failed()].map((run) => pauseBeforeRetryMs(run, settings)),
      [50_000, 0, 0, 60_000],
    );
    assert.equal(pauseBeforeRetryMs(took(10), { max_retries: 1 }), 0);
  });

  it('stand together, the newest first', () => {
    const other = { ...failed(), run_id: '9', original_attempt_run_id: undefined } as Run;
    const groups = groupAttempts([failed(0), other, failed(2), failed(1)]);
    assert.deepEqual(
      groups.map((group) => group.map(({ run_id: id }) => id)),
      [['7', '6', '5'], ['9']],
    );
  });

  it('may come until a minute after their settings say, or go on', () => {
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

  it('are found among the runs of their job, the next one first', () => {
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
