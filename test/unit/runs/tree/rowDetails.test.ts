import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { runStatus } from '../../../../src/runs/runState.ts';
import type { ScheduleTimes } from '../../../../src/runs/scheduleTimes.ts';
import { jobDetails, runDetails } from '../../../../src/runs/tree/rowDetails.ts';

const nowMs = Date.UTC(2026, 2, 15, 12);
const minute = 60_000;

const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC', pause_status: 'UNPAUSED' };
const times = (next: number | undefined): ScheduleTimes =>
  ({
    next: (given: typeof schedule) => (given.quartz_cron_expression === schedule.quartz_cron_expression ? next : 1),
    words: ({ quartz_cron_expression: expression }: typeof schedule) => `words of ${expression}`,
  }) as unknown as ScheduleTimes;
/** With the blanks of a keyboard: before AM and PM stands one that does not break. */
const told = (rows: readonly (readonly [string, string])[]): string[] =>
  rows.map((row) => row.join(': ').replaceAll('\u202f', ' '));

describe('the details of a job', () => {
  const jobOf = (settings: object, more: object = {}): Job => ({ job_id: '7', settings, ...more }) as unknown as Job;

  it('tell all that is known, in one order', () => {
    const job = jobOf(
      { name: 'etl', notebook_task: { notebook_path: '/n' }, schedule },
      { creator_user_name: 'ann', created_time: nowMs - 2 * minute },
    );
    assert.deepEqual(
      told(jobDetails(job, 'Failed', { nowMs, times: times(nowMs + minute), changedMs: nowMs - minute })),
      [
        'Job: 7',
        'Task: notebook',
        'Last run: Failed',
        'Schedule: words of 0 0 6 * * ?',
        'Next run: 12:01 PM',
        'Changed elsewhere: since the last deploy of its file from here; seen 11:59 AM',
        'Creator: ann',
        'Created: 11:58 AM',
      ],
    );
  });
});

describe('the details of a run', () => {
  const of = (run: object): string[] => {
    const whole = { run_id: '5', ...run } as unknown as Run;
    return told(runDetails(whole, runStatus(whole), nowMs));
  };

  it('tell all that is known, in one order', () => {
    assert.deepEqual(
      of({
        state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'no' },
        attempt_number: 1,
        trigger: 'RETRY',
        start_time: nowMs - 10 * minute,
        end_time: nowMs - minute,
        run_duration: 5 * minute,
        setup_duration: 1000,
        execution_duration: 2000,
        cleanup_duration: 3000,
        cluster_instance: { cluster_id: 'c-1' },
        creator_user_name: 'ann',
      }),
      [
        'Run: 5',
        'State: Failed',
        'Message: no',
        'Attempt: 2',
        'Started by: retry of a failed attempt',
        'Started: 11:50:00 AM',
        'Ended: 11:59:00 AM',
        'Duration: 5 min 0 s',
        'Set-up: 1 s',
        'Execution: 2 s',
        'Clean-up: 3 s',
        'Cluster: c-1',
        'Creator: ann',
        'Kept for: 60 more days',
      ],
    );
  });
});
