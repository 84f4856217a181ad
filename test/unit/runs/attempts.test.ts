import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { groupAttempts, isTriedAgain, pauseBeforeRetryMs } from '../../../src/runs/attempts.ts';

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
});
