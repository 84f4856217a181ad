import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile } from '../../../../src/connection/connection.ts';
import { jobFacts, taskFileOf } from '../../../../src/runs/page/jobFacts.ts';
import { jobView, type JobKnowledge } from '../../../../src/runs/page/jobView.ts';
import { pageProfile } from '../../../../src/runs/page/pageProfile.ts';
import { runStrip } from '../../../../src/runs/page/runStrip.ts';
import { runView, type RunKnowledge } from '../../../../src/runs/page/runView.ts';
import { assertApproved } from '../../../support/approved.ts';

const nowMs = Date.UTC(2026, 0, 30, 12);
const minuteInMs = 60_000;
const states: Readonly<Record<string, object>> = {
  queued: { life_cycle_state: 'QUEUED' },
  pending: { life_cycle_state: 'PENDING' },
  running: { life_cycle_state: 'RUNNING' },
  finishing: { life_cycle_state: 'TERMINATING' },
  stopping: { life_cycle_state: 'TERMINATING', user_cancelled_or_timedout: true },
  succeeded: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
  failed: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
  'timed out': { life_cycle_state: 'TERMINATED', result_state: 'TIMEDOUT' },
  cancelled: { life_cycle_state: 'TERMINATED', result_state: 'CANCELED' },
  skipped: { life_cycle_state: 'SKIPPED' },
  'internal error': { life_cycle_state: 'INTERNAL_ERROR' },
  unknown: { life_cycle_state: 'BLOCKED' },
};
const profiles = {
  local: { name: 'Local', isLocal: true, isProduction: false, isReadOnly: false },
  production: { name: 'Team', isLocal: false, isProduction: true, isReadOnly: false },
  'read-only': { name: 'Team', isLocal: false, isProduction: false, isReadOnly: true },
};
const going = new Set(['queued', 'pending', 'running', 'finishing', 'stopping']);
const runOf = (state: string, more: object = {}): Run =>
  ({
    run_id: '7',
    job_id: '1',
    number_in_job: '3',
    run_type: 'JOB_RUN',
    start_time: nowMs - 3 * minuteInMs,
    end_time: going.has(state) ? 0 : nowMs - minuteInMs,
    state: states[state],
    ...more,
  }) as Run;
const pageOf = (run: Run, more: Partial<RunKnowledge> = {}) =>
  runView({
    run,
    attempts: [],
    profile: profiles.local,
    output: { note: '', isGoing: false, end: '' },
    nowMs,
    ...more,
  });
const jobOf = (settings: object): Job => ({ job_id: '1', settings }) as unknown as Job;
const pageOfJob = (settings: object, more: Partial<JobKnowledge> = {}) =>
  jobView({
    job: jobOf({ name: 'etl', ...settings }),
    lastRun: { kind: 'unknown' },
    isActive: false,
    profile: profiles.local,
    files: [],
    nowMs,
    ...more,
  });
const line = (name: string, what: unknown): string => `${name}: ${JSON.stringify(what)}\n`;
type Actions = readonly { id: string; primary?: boolean }[];
const ids = ({ actions, more = [] }: { actions: Actions; more?: Actions }): string =>
  [...actions.map(({ id, primary }) => (primary === true ? `${id}!` : id)), ...more.map(({ id }) => `+${id}`)].join(
    ' ',
  );

describe('what pages show in every state', () => {
  it('of a run is what was approved', () => {
    const lines: string[] = [];
    for (const state of Object.keys(states))
      for (const [name, profile] of Object.entries(profiles)) {
        const view = pageOf(runOf(state), { profile });
        lines.push(line(`${state}, ${name}`, [view.title, view.state, view.production, ids(view)]));
      }
    for (const state of ['succeeded', 'failed', 'running'])
      for (const [told, error] of [
        [undefined, undefined],
        ['', ' '],
        [' told ', undefined],
        ['', ' why '],
        ['told', 'why'],
        ['told why', 'why'],
        ['told', 'why it was told'],
      ]) {
        const { message, messageNote } = pageOf(runOf(state, { state: { ...states[state], state_message: told } }), {
          error,
        });
        lines.push(line(`${state}, ${told}, ${error}`, [message, messageNote]));
      }
    for (const state of ['succeeded', 'running'])
      for (const notebookOutput of [{}, { result: '' }, { result: 'x' }, { result: 'x', truncated: true }])
        lines.push(
          line(`${state}, ${JSON.stringify(notebookOutput)}`, pageOf(runOf(state), { notebookOutput }).result),
        );
    for (const state of Object.keys(states))
      for (const [setup, execution, cleanup] of [
        [0, 0, 0],
        [10_000, 0, 0],
        [10_000, 60_000, 5000],
      ]) {
        const durations = { setup_duration: setup, execution_duration: execution, cleanup_duration: cleanup };
        lines.push(line(`${state}, ${setup} ${execution} ${cleanup}`, pageOf(runOf(state, durations)).time));
      }
    for (const [place, kind] of [
      ['https://x.example/1', 'notebook_task'],
      ['http://x.example/1', 'spark_python_task'],
      ['https://127.0.0.1:8/1', 'notebook_task'],
      ['http://localhost:8/1', 'notebook_task'],
      ['http://localhost/1', 'notebook_task'],
      ['http://localhosts.example/1', 'notebook_task'],
      ['http://[::1]:8/1', 'notebook_task'],
      ['https://x.example/?of=http://localhost:8/1', 'notebook_task'],
      ['ftp://x.example/1', 'notebook_task'],
      ['javascript:https://x.example', 'notebook_task'],
    ] as const)
      for (const state of ['succeeded', 'running'])
        lines.push(
          line(`${state}, ${place}`, ids(pageOf(runOf(state, { run_page_url: place, task: { [kind]: {} } })))),
        );
    assertApproved('run-views', lines.join(''));
  });

  it('of the attempts of a run is what was approved', () => {
    const attempt = (number: number, state: string, more: object = {}): Run =>
      runOf(state, {
        run_id: String(number),
        attempt_number: number,
        start_time: nowMs - (9 - 2 * number) * minuteInMs,
        end_time: going.has(state) ? 0 : nowMs - (8 - 2 * number) * minuteInMs,
        ...more,
      });
    const lines = Object.entries({
      none: [],
      one: [attempt(0, 'failed')],
      two: [attempt(0, 'failed'), attempt(1, 'running')],
      'three, one without a time': [
        attempt(0, 'failed'),
        attempt(1, 'failed', { start_time: 0 }),
        attempt(2, 'running'),
      ],
      'two, one of no time': [attempt(0, 'failed'), attempt(1, 'succeeded', { start_time: 9e15 })],
    }).flatMap(([name, attempts]) =>
      [undefined, nowMs - 30_000].map((lastSeenMs) => {
        const run = attempts.at(-1) ?? attempt(0, 'failed');
        const view = pageOf(run, { attempts, ...(lastSeenMs === undefined ? {} : { lastSeenMs }) });
        return line(`${name}${lastSeenMs === undefined ? '' : ', seen last'}`, [view.subtitle, view.attempts]);
      }),
    );
    for (const [name, more] of Object.entries({
      'ended now': { end_time: nowMs },
      'ended long ago': { end_time: nowMs - 90 * 24 * 60 * minuteInMs },
      'ended at no time': { end_time: 9e15 },
      'never begun': { start_time: 0, end_time: 0 },
      'of the second attempt': { attempt_number: 1 },
    }))
      lines.push(line(name, pageOf(runOf('failed', more)).subtitle));
    assertApproved('run-attempts', lines.join(''));
  });

  it('of the last runs of a job is what was approved', () => {
    const clock = { nowMs, seenMs: nowMs, isCurrent: true };
    const took = (state: string, ...seconds: number[]): Run[] =>
      seconds.map((second, index) =>
        runOf(state, {
          run_id: `${state}${index}`,
          number_in_job: String(index),
          start_time: nowMs - 1000 * second - minuteInMs,
          end_time: nowMs - minuteInMs,
        }),
      );
    const spread = Array.from({ length: 20 }, (_, index) => (index * 7) % 20);
    const lines = Object.entries({
      none: [],
      'one that was skipped': took('skipped', 1),
      'some that were cancelled': [...took('succeeded', 3, 1), ...took('cancelled', 2)],
      'some that were skipped': [...took('succeeded', 3, 1), ...took('skipped', 2)],
      'one failure of two hundred': [...took('failed', 1), ...took('succeeded', ...Array<number>(49).fill(2))],
      'four good ones': took('succeeded', 9, 1, 5, 3),
      'five good ones': took('succeeded', 9, 1, 5, 3, 7),
      'five good ones among others': [...took('failed', 100), ...took('succeeded', 9, 1, 5, 3, 7)],
      'twenty near each other': took('succeeded', ...spread.map((each) => 100 + each)),
      'twenty far from each other': took('succeeded', ...spread.map((each) => 1 + each)),
      'every state': Object.keys(states).flatMap((state, index) => took(state, index + 1)),
    }).map(([name, runs]) => {
      const { bars, ...strip } = runStrip(runs, false, clock);
      return line(name, [strip, bars.slice(0, 12).map(({ words: _words, ...rest }) => rest)]);
    });
    assertApproved('run-strips', lines.join(''));
  });

  it('of a job is what was approved', () => {
    const lines: string[] = [];
    const python = { spark_python_task: { python_file: '/a.py' } };
    for (const settings of [
      { spark_python_task: { python_file: '' } },
      { spark_python_task: { python_file: 7 } },
      { spark_python_task: { python_file: '/a.py', parameters: ['x'] } },
      { spark_python_task: { python_file: '/a.py', parameters: null } },
      { spark_python_task: { python_file: '/a.py', parameters: 'x' } },
      { notebook_task: { notebook_path: '/n', base_parameters: { a: '1', b: '2' } } },
      { notebook_task: null },
      { spark_jar_task: { main_class_name: 'a.B', parameters: ['1', '2'] } },
      { pipeline_task: { pipeline_id: 'p', parameters: ['1'] } },
      { run_job_task: { job_id: 5 } },
      ...[-1, 0, 1, 5].map((max_retries) => ({ ...python, max_retries })),
      { ...python, max_retries: 1, min_retry_interval_millis: 90_000, retry_on_timeout: true },
      ...[0, 1, 2].map((max_concurrent_runs) => ({ ...python, max_concurrent_runs })),
      ...['UNPAUSED', 'PAUSED'].map((pause_status) => ({
        ...python,
        schedule: { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC', pause_status },
      })),
      { ...python, schedule: { quartz_cron_expression: 'odd', timezone_id: 'UTC', pause_status: 'PAUSED' } },
      { ...python, email_notifications: { on_start: [], on_failure: ['a@b.example', 7, 'c@d.example'] } },
      { ...python, webhook_notifications: { on_success: [{ id: 'w' }, null, {}], on_start: 'x' } },
      { ...python, timeout_seconds: 90 },
      undefined,
    ])
      lines.push(
        line(JSON.stringify(settings ?? null), [
          taskFileOf(jobOf(settings as never)) ?? null,
          jobFacts(jobOf(settings as never), undefined, nowMs).map(({ name, values }) => [
            name,
            values.map(({ label }) => label).join(', '),
          ]),
        ]),
      );
    const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'Nowhere/City' };
    for (const state of ['failed', 'timed out', 'internal error', 'succeeded', 'running'])
      for (const [name, profile] of Object.entries(profiles)) {
        const settings = { schedule: { ...schedule, pause_status: state === 'running' ? 'UNPAUSED' : 'PAUSED' } };
        const lastRun = { kind: 'run', run: runOf(state) } as const;
        for (const lastSeenMs of [undefined, nowMs - 1000]) {
          const seen = lastSeenMs === undefined ? {} : { lastSeenMs };
          const view = pageOfJob(settings, { lastRun, profile, isActive: state === 'running', ...seen });
          lines.push(line(`${state}, ${name}, ${lastSeenMs ?? 'now'}`, [view.subtitle, ids(view), view.next]));
        }
      }
    for (const kind of ['none', 'unknown'] as const)
      for (const settings of [{}, { schedule: { ...schedule, timezone_id: 'UTC' } }]) {
        const view = pageOfJob(settings, { lastRun: { kind } });
        lines.push(
          line(`${kind}, ${Object.keys(settings).join()}`, [view.subtitle, ids(view), view.next, view.noRuns]),
        );
      }
    for (const profile of [undefined, localProfile, { ...localProfile, kind: 'remote', production: true } as const])
      lines.push(line(profile?.kind ?? 'no profile', pageProfile(profile)));
    assertApproved('job-views', lines.join(''));
  });
});
