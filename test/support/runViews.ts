import type { Job, Run } from '../../src/api/schema/jobs/schemas.ts';
import { jobView } from '../../src/runs/page/jobView.ts';
import type { JobView, RunView } from '../../src/runs/page/pageProtocol.ts';

/** A run that failed at its third attempt, with all that its page can show. */
export const failedRunView: RunView = {
  kind: 'run',
  state: { icon: 'error', tone: 'bad', spins: false },
  title: 'Failed after 4 min 12 s',
  subtitle: 'nightly-billing #218 · attempt 3 of 3 · ended 06:07, 2 h 0 min ago · Local',
  actions: [
    { id: 'explain', label: 'Explain', icon: 'comment-discussion', primary: true },
    { id: 'repeat', label: 'Run Again', icon: 'play' },
    { id: 'text', label: 'Open Output as Text', icon: 'go-to-file' },
  ],
  message: 'ZeroDivisionError: division by zero',
  messageNote: 'The task exited with code 1.',
  frame: {
    name: 'rate_for',
    place: { file: '/w/billing/rates.py', line: 42 },
    label: 'billing/rates.py:42',
    lines: [
      { number: 40, text: 'def rate_for(plan, days):', isFailing: false },
      { number: 41, text: '    total = sum(day.amount for day in days)', isFailing: false },
      { number: 42, text: '    return total / len(days)', isFailing: true },
      { number: 43, text: '', isFailing: false },
      { number: 44, text: 'def invoice(account, month):', isFailing: false },
    ],
  },
  callers: [
    { label: 'billing/invoice.py:18', place: { file: '/w/billing/invoice.py', line: 18 } },
    { label: 'billing/main.py:77', place: { file: '/w/billing/main.py', line: 77 } },
  ],
  time: [
    { label: 'Set-up 41 s', tone: 'none', durationInMs: 41_000 },
    { label: 'Execution 3 min 24 s', tone: 'bad', durationInMs: 204_000 },
    { label: 'Clean-up 7 s', tone: 'none', durationInMs: 7000 },
  ],
  attempts: [0, 1, 2].map((index) => ({
    label: `Attempt ${index + 1}`,
    state: { icon: 'error', tone: 'bad', spins: false },
    from: [0, 0.25, 0.4][index] ?? 0,
    to: [0.15, 0.38, 1][index] ?? 1,
    duration: ['1 min 3 s', '1 min 2 s', '4 min 12 s'][index] ?? '',
    runId: String(216 + index),
    isThis: index === 2,
  })),
  parameters: {
    note: '1 of 3 set for this run',
    isList: true,
    isJobKnown: true,
    rows: [
      { name: '1', sent: '--date', inJob: '--date', isOverridden: false },
      { name: '2', sent: '2026-11-20', inJob: '{{yesterday}}', isOverridden: true },
      { name: '3', sent: '--strict', inJob: '--strict', isOverridden: false },
    ],
  },
  facts: [
    { name: 'Job', values: [{ label: 'nightly-billing', jobId: '884422' }] },
    { name: 'Task', values: [{ label: 'Python file /billing/main.py' }] },
    { name: 'Cluster', values: [{ label: 'etl-shared, existing' }] },
    { name: 'Run ID', values: [{ label: '9223372036854770218' }], copies: '9223372036854770218' },
    { name: 'Kept', values: [{ label: '58 more days' }] },
  ],
  output: { note: '', isGoing: false, end: 'End of output.', versions: 'Python 3.11.2, pandas 2.2.1' },
};

/** A run that goes on. */
export const runningRunView: RunView = {
  ...failedRunView,
  state: { icon: 'loading', tone: 'now', spins: true },
  title: 'Running for 1 min 52 s',
  subtitle: 'etl-users #77 · started 21:12 · Local',
  actions: [{ id: 'cancel', label: 'Cancel Run', icon: 'debug-stop' }],
  message: undefined,
  messageNote: undefined,
  frame: undefined,
  callers: [],
  attempts: [],
  parameters: undefined,
  time: [
    { label: 'Set-up 38 s', tone: 'none', durationInMs: 38_000 },
    { label: 'Execution 1 min 14 s', tone: 'now', durationInMs: 74_000, isLive: true },
  ],
  output: { note: 'as it comes', isGoing: true, end: '' },
};

const results = ['SUCCESS', 'FAILED', 'TIMEDOUT', 'CANCELED', 'SKIPPED'];

/** A job with 50 runs of all results, on a schedule, with a file of the workspace. */
export function busyJobView(nowMs = Date.UTC(2026, 10, 21, 12)): JobView {
  const runs = Array.from({ length: 50 }, (_, index): Run => {
    const number = 218 - index;
    const result = index === 0 ? 'FAILED' : (results[[9, 27, 35, 36].indexOf(index) + 1] ?? 'SUCCESS');
    const durationInMs = result === 'TIMEDOUT' ? 900_000 : 180_000 + ((number * 7919) % 60) * 1000;
    const end = nowMs - index * 86_400_000 - 7_200_000;
    return {
      run_id: `92233720368547${number}`,
      job_id: '884422',
      number_in_job: String(number),
      run_type: 'JOB_RUN',
      start_time: result === 'SKIPPED' ? end : end - durationInMs,
      end_time: end,
      state:
        result === 'SKIPPED'
          ? { life_cycle_state: 'SKIPPED' }
          : { life_cycle_state: 'TERMINATED', result_state: result },
    } as Run;
  });
  const job = {
    job_id: '884422',
    creator_user_name: 'mara@example.com',
    settings: {
      name: 'nightly-billing',
      existing_cluster_id: 'etl-shared',
      spark_python_task: { python_file: '/billing/main.py', parameters: ['--date', '{{yesterday}}', '--strict'] },
      libraries: [{ pypi: { package: 'pandas==2.2.3' } }, { pypi: { package: 'pyarrow==17.0.0' } }],
      schedule: { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'Europe/Berlin' },
      max_retries: 2,
      min_retry_interval_millis: 60_000,
      timeout_seconds: 900,
      max_concurrent_runs: 1,
      email_notifications: { on_failure: ['oncall@acme.example'] },
    },
  } as Job;
  const [last] = runs;
  return jobView({
    job,
    lastRun: last ? { kind: 'run', run: last } : { kind: 'none' },
    isActive: runs.some(({ state }) => state?.life_cycle_state === 'RUNNING'),
    runs: { runs, hasMore: true },
    profile: { name: 'Local', isLocal: true, isProduction: false, isReadOnly: false },
    taskPlace: { file: '/billing/main.py', line: 1 },
    files: [
      {
        name: 'jobs/nightly-billing.job.yml',
        sync: {
          kind: 'both',
          rows: [
            { setting: 'max_retries', last: '1', job: '1', file: '2', deploy: 'Changes it' },
            {
              setting: 'email_notifications.on_failure',
              last: '',
              job: '["oncall@acme.example"]',
              file: '',
              deploy: 'Removes it, compared with the change there',
            },
          ],
        },
      },
    ],
    nowMs,
  });
}

type RunTaskView = NonNullable<RunView['tasks']>[number];
const taskView = (key: string, depth: number, upstream: string[], more: Partial<RunTaskView> = {}): RunTaskView => ({
  key,
  depth,
  upstream,
  state: { icon: 'pass', tone: 'good', spins: false },
  words: 'Succeeded',
  duration: '41 s',
  isHeldBack: false,
  isShown: false,
  ...more,
});
const failed: Partial<RunTaskView> = {
  state: { icon: 'error', tone: 'bad', spins: false },
  words: 'Failed',
  duration: '12 s',
  isShown: true,
};
const heldBack: Partial<RunTaskView> = {
  state: { icon: 'debug-step-over', tone: 'none', spins: false },
  words: 'Upstream failed',
  duration: '',
  isHeldBack: true,
};

/** A run of several tasks, one of which failed. */
export const failedTasksView: RunView = {
  ...failedRunView,
  tasks: [
    taskView('ingest_orders', 0, []),
    taskView('ingest_rates', 0, []),
    taskView('clean_orders', 1, ['ingest_orders'], failed),
    taskView('join', 2, ['clean_orders', 'ingest_rates'], heldBack),
    taskView('report', 3, ['join'], heldBack),
  ],
};
