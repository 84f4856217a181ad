import type { RunView } from '../../src/runs/page/pageProtocol.ts';

/** A run that failed at its third attempt, with all that its page can show. */
export const failedRunView: RunView = {
  kind: 'run',
  state: { icon: 'error', tone: 'bad', spins: false },
  title: 'Failed after 4 min 12 s',
  subtitle: 'nightly-billing #218 · attempt 3 of 3 · ended 06:07, 2 h 0 min ago · Local',
  actions: [
    { id: 'explain', label: 'Explain', icon: 'comment-discussion', primary: true },
    { id: 'repeat', label: 'Run Again…', icon: 'play' },
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
    note: '1 of 3 given for this run',
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
  output: { note: '', isGoing: false, end: 'End of output.' },
};

/** A run that goes on. */
export const runningRunView: RunView = {
  ...failedRunView,
  state: { icon: 'sync', tone: 'now', spins: true },
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
