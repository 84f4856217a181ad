import type { JobView, RunView } from '../../../../src/runs/page/pageProtocol.ts';

const good = { icon: 'pass', tone: 'good', spins: false } as const;
const bad = { icon: 'error', tone: 'bad', spins: false } as const;
const going = { icon: 'loading', tone: 'now', spins: true } as const;
export const place = { file: '/w/etl.py', line: 7 };

export const failed: RunView = {
  kind: 'run',
  state: bad,
  title: 'etl #5',
  subtitle: 'Failed',
  production: 'P',
  actions: [
    { id: 'again', label: 'Run Again', icon: 'play', primary: true },
    { id: 'export', label: 'Export' },
  ],
  notice: { text: 'No answer', detail: 'since noon', actions: [{ id: 'retry', label: 'Try Again' }] },
  message: 'ValueError: no',
  messageNote: 'in the last cell',
  frame: {
    name: 'load',
    place,
    label: 'etl.py, line 7',
    note: 'changed since',
    lines: [
      { number: 6, text: '', isFailing: false },
      { number: 7, text: '  raise ValueError', isFailing: true },
    ],
  },
  more: [{ id: 'text', label: 'As Text' }],
  limit: { text: 'The job allows 1 h:', link: { label: 'timeout_seconds', action: 'jobFile' } },
  hidden: ['/lib/x.py:9, call', '/lib/y.py:8'],
  callers: [
    { label: 'a.py', place: { file: '/w/a.py', line: 1 } },
    { label: 'b.py', runId: '4' },
  ],
  result: { label: 'Result', text: '42' },
  time: [
    { label: 'Setup 1 s', tone: 'none', striped: true, durationInMs: 1000 },
    { label: 'Execution 3 s', tone: 'bad', durationInMs: 3000, isLive: true },
    { label: 'Cleanup', tone: 'good', durationInMs: 0 },
  ],
  attempts: [
    { label: '1st', state: good, from: 0, to: 0.25, duration: '1 s', runId: '4', isThis: false },
    { label: '2nd', state: bad, from: 0.25, to: 0.251, duration: '3 s', runId: '5', isThis: true },
  ],
  parameters: {
    note: '1 changed',
    isList: false,
    isJobKnown: true,
    rows: [
      { name: 'day', sent: 'mon', inJob: 'sun', isOverridden: true },
      { name: 'size', sent: '3', inJob: '3', isOverridden: false },
    ],
  },
  facts: [
    { name: 'Job', values: [{ label: 'etl', jobId: '9' }] },
    { name: 'Run ID', values: [{ label: '5' }, { label: 'as file', action: 'details' }], copies: '5' },
  ],
  output: { note: 'cut', isGoing: false, end: 'That was all.' },
};
const bar = { words: 'took 2 s', state: good, striped: false, hollow: false, height: 0.5 };
export const job: JobView = {
  kind: 'job',
  state: good,
  title: 'etl',
  subtitle: 'Every day',
  production: 'P',
  actions: [{ id: 'run', label: 'Run Now', icon: 'play', primary: true }],
  strip: {
    title: 'Last 3 Runs',
    figures: [{ figure: '2 s', meaning: 'median' }],
    bars: [
      { ...bar, runId: '1', name: '#1', height: 1 },
      { ...bar, runId: '2', name: '#2', state: bad, striped: true, height: 0 },
      { ...bar, runId: '3', name: '#3', state: going, hollow: true },
    ],
    lines: [{ at: 0.5, label: 'median' }],
    keys: [
      { label: 'Succeeded', tone: 'good', striped: false, hollow: false },
      { label: 'Skipped', tone: 'none', striped: true, hollow: false },
      { label: 'Going', tone: 'now', striped: false, hollow: true },
    ],
  },
  next: { note: 'UTC', rows: [{ at: 'Monday', ahead: 'in 2 h' }], none: 'paused' },
  facts: [{ name: 'Retries', values: [{ label: '3' }] }],
  files: [
    {
      link: { label: 'job.yaml', action: 'file0' },
      state: { icon: 'warning', tone: 'look', spins: false },
      words: 'Changed there',
      actions: [{ id: 'pull0', label: 'Pull', primary: true }],
      rows: [{ setting: 'max_retries', last: '', job: '2', file: '', deploy: 'Removes it' }],
    },
    { link: { label: 'other.yaml', action: 'file1' }, words: 'Deployed', actions: [], rows: [] },
  ],
  noFile: { words: 'No file', actions: [{ id: 'openAsFile', label: 'Open' }] },
};
