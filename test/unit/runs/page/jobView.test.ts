import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { jobView, type JobKnowledge } from '../../../../src/runs/page/jobView.ts';
import { toPage, type JobView } from '../../../../src/runs/page/pageProtocol.ts';
import { read } from '../../../../src/shared/shape.ts';

const nowMs = Date.UTC(2026, 10, 21, 12);
const minuteInMs = 60_000;
const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'Europe/Berlin' };
const job = {
  job_id: '884422',
  creator_user_name: 'ada@example.com',
  settings: {
    name: 'nightly',
    existing_cluster_id: 'etl',
    spark_python_task: { python_file: '/billing/main.py', parameters: ['--date', 'x', '--strict'] },
    schedule,
    max_retries: 2,
    min_retry_interval_millis: 60_000,
    timeout_seconds: 900,
    max_concurrent_runs: 1,
    email_notifications: { on_failure: ['oncall@example.com'], on_start: [] },
    webhook_notifications: { on_success: [{ id: 'hook' }] },
  },
} as Job;

/** The runs of a job by their results, the newest first; each a minute and its place in seconds long. */
function runsOf(...results: string[]): Run[] {
  return results.map((result, index) => {
    const number = results.length - index;
    const end = nowMs - (index + 1) * minuteInMs * 60;
    const isActive = result === 'RUNNING';
    return {
      run_id: String(100 + number),
      job_id: job.job_id,
      number_in_job: String(number),
      run_type: 'JOB_RUN',
      start_time: isActive ? nowMs - 30_000 : end - minuteInMs - number * 1000,
      end_time: isActive ? 0 : end,
      state: isActive
        ? { life_cycle_state: 'RUNNING' }
        : result === 'SKIPPED'
          ? { life_cycle_state: 'SKIPPED' }
          : { life_cycle_state: 'TERMINATED', result_state: result },
    } as Run;
  });
}

function viewOf(runs: readonly Run[] | undefined, more: Partial<JobKnowledge> = {}): JobView {
  const [first] = runs ?? [];
  const view = jobView({
    job,
    lastRun: first ? { kind: 'run', run: first } : { kind: runs ? 'none' : 'unknown' },
    isActive: runs?.some(({ state }) => state?.life_cycle_state === 'RUNNING') ?? false,
    ...(runs ? { runs: { runs, hasMore: false } } : {}),
    profile: { name: 'Local', isLocal: true, isProduction: false, isReadOnly: false },
    files: [],
    nowMs,
    ...more,
  });
  // As it goes to the page and is read there.
  const sent = read(toPage, JSON.parse(JSON.stringify({ type: 'job', view })));
  assert.deepEqual(sent?.type === 'job' ? sent.view : undefined, JSON.parse(JSON.stringify(view)));
  return view;
}
const idsOf = ({ actions, more = [] }: JobView): string[] => [
  ...actions.map(({ id }) => id),
  ...more.map(({ id }) => `+${id}`),
];
describe('the page of a job', () => {
  it('says first how the last run went and when the next one comes', () => {
    const failed = viewOf(runsOf('FAILED', 'SUCCESS'));
    assert.deepEqual([failed.title, failed.state.icon, failed.state.tone], ['nightly', 'error', 'bad']);
    assert.match(failed.subtitle, /^Last run #2: Failed 1 h ago · 1 min 2 s · next run in 17 h 0 min · Local$/);
    const [skipped, run] = runsOf('SKIPPED', 'FAILED');
    const behind = viewOf([skipped!, run!], { lastRun: { kind: 'run', run: run!, isSkippedSince: true } });
    assert.match(behind.subtitle, /^Last run #1: Failed .* · newer run skipped · next run in /);
    assert.equal(behind.state.icon, 'error');
    assert.match(viewOf([]).subtitle, /^No runs yet · next /);
    assert.match(viewOf(undefined).subtitle, /^Last run not loaded yet · /);
    assert.match(viewOf(runsOf('RUNNING')).subtitle, /^Last run #1: Running · 30 s · /);
    const bare = { ...job, settings: { name: 'bare' } } as Job;
    assert.equal(viewOf([], { job: bare }).subtitle, 'No runs yet · no schedule · Local');
  });

  it('says that there are no runs only where the service has none at all', () => {
    const none = viewOf([]);
    assert.match(none.noRuns ?? '', /^This job has no runs\. /);
    assert.equal(none.strip, undefined);
    const filtered = viewOf([], { runs: { runs: [], hasMore: true } });
    assert.equal(filtered.noRuns, undefined);
    assert.deepEqual(filtered.strip?.bars, []);
    assert.equal(viewOf(undefined).noRuns, 'Reading the last runs…');
    assert.equal(viewOf(undefined, { lastSeenMs: nowMs - minuteInMs }).noRuns, undefined);
    assert.equal(viewOf(undefined, { notice: { text: 'no', actions: [] } as never }).noRuns, undefined);
  });

  it('counts as success and failure only what came to its end by itself', () => {
    const rate = (...results: string[]): string | undefined => {
      const first = viewOf(runsOf(...results)).strip?.figures[0];
      return first && `${first.figure}: ${first.meaning}`;
    };
    assert.equal(rate('SUCCESS', 'FAILED', 'SUCCESS'), '67 %: 2 of 3 succeeded');
    assert.equal(
      rate('SUCCESS', 'CANCELED', 'SKIPPED', 'TIMEDOUT'),
      '50 %: 1 of 2 succeeded; cancelled and skipped left out',
    );
    assert.equal(rate('RUNNING'), undefined);
    assert.equal(rate(...Array<string>(49).fill('SUCCESS'), 'FAILED'), '98 %: 49 of 50 succeeded');
    assert.equal(rate('SUCCESS'), '100 %: 1 of 1 succeeded');
  });

  it('tells usual durations once there are enough runs to say so', () => {
    const figures = (count: number): string[] =>
      viewOf(runsOf(...Array<string>(count).fill('SUCCESS')))
        .strip?.figures.slice(1)
        .map(({ figure }) => figure) ?? [];
    assert.deepEqual(figures(4), []);
    assert.deepEqual(figures(5), ['1 min 3 s']);
    assert.deepEqual(figures(20), ['1 min 10 s', '1 min 19 s']);
    const slow = runsOf(...Array<string>(20).fill('SUCCESS')).map((run, index) =>
      index < 2 ? { ...run, start_time: (run.end_time ?? 0) - 600_000 } : run,
    );
    assert.deepEqual(
      viewOf(slow).strip?.lines.map(({ label }) => label),
      ['10 min 0 s (95 %)', '1 min 10 s (50 %)'],
    );
  });

  it('tells the next five runs in the time zone of the schedule', () => {
    const { next } = viewOf([]);
    assert.equal(next?.rows.length, 5);
    assert.match(next?.rows[0]?.at ?? '', /Sunday.*22.*6:00/);
    assert.deepEqual(
      [next?.rows[0]?.ahead, next?.note],
      ['in 17 h 0 min', 'Europe/Berlin; while the local service runs'],
    );
    const remote = { name: 'Prod', isLocal: false, isProduction: true, isReadOnly: true };
    assert.equal(viewOf([], { profile: remote }).next?.note, 'Europe/Berlin');
    const withSchedule = (given: object): JobView['next'] =>
      viewOf([], { job: { ...job, settings: { ...job.settings, schedule: given } } as Job }).next;
    const paused = withSchedule({ ...schedule, pause_status: 'PAUSED' });
    assert.deepEqual(paused?.rows, []);
    assert.match(paused?.none ?? '', /^None while the schedule is paused. Resumed, the next would be Sunday.*6:00/);
    assert.match(withSchedule({ ...schedule, quartz_cron_expression: 'never' })?.none ?? '', /cannot be read here/);
    assert.equal(viewOf([], { job: { ...job, settings: { name: 'x' } } as Job }).next, undefined);
    const soon = withSchedule({ quartz_cron_expression: '0 0 0/6 * * ?', timezone_id: 'UTC' })?.rows ?? [];
    assert.match(soon[0]?.at ?? '', /^6:00/, 'today needs no day');
    assert.match(soon[1]?.at ?? '', /Sunday.*22.*12:00/);
    const fixed = withSchedule({ quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'GMT+5:30' });
    assert.deepEqual(
      [fixed?.note, fixed?.rows[0]?.at.replaceAll('\u202f', ' ')],
      ['in your own time zone; while the local service runs', 'Sunday, Nov 22, 12:30 AM'],
      'a zone that editors do not know',
    );
  });

  it('offers what can be done now, and nothing where it can only be read or is not there', () => {
    assert.deepEqual(idsOf(viewOf(runsOf('FAILED'))), [
      ...['explain', 'runNow', 'runNowWithParameters', 'pause', '+debug', '+curl'],
    ]);
    assert.deepEqual(idsOf(viewOf(runsOf('RUNNING'))), [
      ...['runNow', 'runNowWithParameters', 'pause', 'cancelAll', '+debug', '+curl'],
    ]);
    assert.ok(idsOf(viewOf(runsOf('SUCCESS', 'RUNNING'))).includes('cancelAll'), 'one before the last goes on');
    const paused = { ...job, settings: { ...job.settings, schedule: { ...schedule, pause_status: 'PAUSED' } } } as Job;
    assert.deepEqual(idsOf(viewOf(runsOf('SUCCESS'), { job: paused })), [
      ...['runNow', 'runNowWithParameters', 'resume', 'debug', 'curl'],
    ]);
    const readOnly = { name: 'Prod', isLocal: false, isProduction: true, isReadOnly: true };
    assert.deepEqual(idsOf(viewOf(runsOf('FAILED'), { profile: readOnly })), ['explain']);
    assert.equal(viewOf(runsOf('FAILED'), { profile: readOnly }).production, 'Prod');
    const remote = viewOf([], { profile: { ...readOnly, isReadOnly: false } });
    assert.deepEqual(
      idsOf(remote),
      ['runNow', 'runNowWithParameters', 'pause', 'curl'],
      'debugged is only what runs here',
    );
    for (const view of [viewOf(runsOf('FAILED')), viewOf([]), viewOf(runsOf('FAILED'), { job: paused })])
      assert.ok(view.actions.filter(({ primary }) => primary).length <= 1);
  });
});
