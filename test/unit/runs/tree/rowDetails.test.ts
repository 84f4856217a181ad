import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { runStatus } from '../../../../src/runs/runState.ts';
import type { ScheduleTimes } from '../../../../src/runs/scheduleTimes.ts';
import { jobDetails, rowsOf, runDetails, taskWords } from '../../../../src/runs/tree/rowDetails.ts';

const nowMs = Date.UTC(2026, 2, 15, 12);
const minute = 60_000;
const day = 24 * 60 * minute;
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
  const of = (settings: object, more: { times?: ScheduleTimes; changedMs?: number } = {}): string[] =>
    told(jobDetails(jobOf(settings), 'no runs yet', { nowMs, times: undefined, ...more }));

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

  it('leave out what is not known, and never the last run', () => {
    const bare = ['Job: 7', 'Task: not one of Jobs API 2.0', 'Last run: no runs yet'];
    assert.deepEqual(of({}), bare);
    assert.deepEqual(of({ schedule }), [...bare, 'Schedule: 0 0 6 * * ?'], 'while its times are not computed');
    assert.deepEqual(of({ schedule }, { times: times(undefined) }), [...bare, 'Schedule: words of 0 0 6 * * ?']);
    assert.deepEqual(of({}, { times: times(nowMs), changedMs: undefined }), bare);
  });

  it('say of a paused schedule that no run comes by it', () => {
    const paused = { ...schedule, pause_status: 'PAUSED' };
    assert.deepEqual(of({ schedule: paused }, { times: times(nowMs) }).slice(3), [
      'Schedule: words of 0 0 6 * * ?',
      'Next run: none: the schedule is paused',
    ]);
  });

  it('name each kind of task', () => {
    for (const [kind, { label }] of Object.entries(taskWords()))
      assert.equal(of({ [kind]: {} })[1], `Task: ${label}`, kind);
    assert.deepEqual(
      Object.entries(taskWords()).map(([kind, { label, icon }]) => `${kind} ${label} ${icon}`),
      [
        'notebook_task notebook notebook',
        'spark_jar_task Spark JAR package',
        'spark_python_task Python file file-code',
        'spark_submit_task spark-submit terminal',
        'pipeline_task pipeline type-hierarchy',
        'run_job_task run job references',
      ],
    );
  });
});

describe('the details of a run', () => {
  const of = (run: object): string[] => {
    const whole = { run_id: '5', ...run } as unknown as Run;
    return told(runDetails(whole, runStatus(whole), nowMs));
  };

  it('leave out what is said of every run that goes on', () => {
    const said = (message: string): string =>
      of({ state: { life_cycle_state: 'RUNNING', state_message: message } }).join();
    assert.match(said('Queued'), /Waits/);
    assert.doesNotMatch(said('In run'), /In run/);
  });

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

  it('leave out what is not known', () => {
    assert.deepEqual(
      of({ state: { life_cycle_state: 'PENDING' }, attempt_number: 0, start_time: 0, end_time: 0, setup_duration: 0 }),
      ['Run: 5', 'State: Pending'],
    );
  });

  it('say how long a run is kept only once it has ended, and when that was', () => {
    const state = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
    const kept = (run: object): string | undefined => of(run).find((row) => row.startsWith('Kept for'));
    assert.equal(kept({ state, end_time: nowMs - 59 * day }), 'Kept for: 1 more day');
    assert.equal(kept({ state, end_time: nowMs - 58 * day }), 'Kept for: 2 more days');
    assert.equal(kept({ state, end_time: nowMs - 60 * day }), undefined, 'nobody says how much longer');
    assert.equal(kept({ state, end_time: 0 }), undefined);
    assert.equal(kept({ state, end_time: 9e15 }), undefined);
    assert.equal(kept({ state: { life_cycle_state: 'RUNNING' }, end_time: nowMs }), undefined);
  });
});

describe('the rows of a tooltip', () => {
  it('are those that have something to say', () => {
    assert.deepEqual(
      rowsOf([
        ['a', '1'],
        ['b', undefined],
        ['c', ''],
        ['d', ' '],
      ]),
      [
        ['a', '1'],
        ['d', ' '],
      ],
    );
  });
});
