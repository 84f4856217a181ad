import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { toPage, type RunView } from '../../../../src/runs/page/pageProtocol.ts';
import { runView, type RunKnowledge } from '../../../../src/runs/page/runView.ts';
import { read } from '../../../../src/shared/shape.ts';

const nowMs = Date.UTC(2026, 10, 21, 12);
const job = {
  job_id: '1',
  settings: { name: 'etl', spark_python_task: { python_file: '/a.py', parameters: ['--x', '1'] } },
} as Job;
const ended = (result: string, more: object = {}): Run =>
  ({
    run_id: '7',
    job_id: '1',
    number_in_job: '3',
    run_type: 'JOB_RUN',
    start_time: nowMs - 100_000,
    end_time: nowMs - 10_000,
    setup_duration: 10_000,
    execution_duration: 75_000,
    cleanup_duration: 5000,
    state: { life_cycle_state: 'TERMINATED', result_state: result, state_message: '' },
    ...more,
  }) as Run;
const active = (life: string, more: object = {}): Run =>
  ended('', {
    end_time: 0,
    setup_duration: 0,
    execution_duration: 0,
    cleanup_duration: 0,
    state: { life_cycle_state: life },
    ...more,
  });

function viewOf(run: Run, more: Partial<RunKnowledge> = {}): ReturnType<typeof runView> {
  const view = runView({
    run,
    job,
    attempts: [],
    profile: { name: 'Local', isLocal: true, isProduction: false, isReadOnly: false },
    output: { note: '', isGoing: false, end: '' },
    nowMs,
    ...more,
  });
  // As it goes to the page and is read there.
  const sent = read(toPage, JSON.parse(JSON.stringify({ type: 'run', view })));
  assert.deepEqual(sent?.type === 'run' ? sent.view : undefined, JSON.parse(JSON.stringify(view)));
  return view;
}

const idsOf = ({ actions, more = [] }: RunView): string[] => [
  ...actions.map(({ id, primary }) => (primary ? `${id}!` : id)),
  ...more.map(({ id }) => `+${id}`),
];

describe('the page of a run', () => {
  it('says first how it went, in words, colour and icon', () => {
    const heads = (
      [
        [ended('SUCCESS')],
        [ended('FAILED')],
        [ended('TIMEDOUT')],
        [ended('CANCELED')],
        [active('SKIPPED')],
        [active('INTERNAL_ERROR')],
        [active('RUNNING')],
        [active('PENDING')],
        [active('QUEUED')],
        [active('RUNNING'), { lastSeenMs: nowMs - 50_000 }],
        [active('PENDING'), { lastSeenMs: nowMs - 50_000 }],
        [active('BLOCKED')],
      ] as [Run, Partial<RunKnowledge>?][]
    ).map(([run, more]) => {
      const { title, state } = viewOf(run, more);
      return `${title} | ${state.tone}${state.spins ? ', spins' : ''}`;
    });
    assert.deepEqual(heads, [
      'Succeeded in 1 min 30 s | good',
      'Failed after 1 min 30 s | bad',
      'Timed out after 1 min 30 s | bad',
      'Cancelled after 1 min 30 s | none',
      'Skipped | none',
      'Internal error | bad',
      'Running for 1 min 40 s | now, spins',
      'Pending for 1 min 40 s | now, spins',
      'Queued for 1 min 40 s | none',
      'Running for 50 s when last seen | none',
      'Pending for 50 s when last seen | none',
      'BLOCKED | none',
    ]);
  });

  it('offers what can be done with it, and nothing that the profile refuses', () => {
    const actions = (run: Run, more: Partial<RunKnowledge> = {}): string[] => idsOf(viewOf(run, more));
    const readOnly = { profile: { name: 'P', isLocal: false, isProduction: true, isReadOnly: true } };
    assert.deepEqual(actions(ended('FAILED')), [
      ...['explain!', 'fix', 'debug', 'repeat'],
      ...['+text', '+replay', '+repeatWithChanges', '+compare', '+curl'],
    ]);
    // A file that was missing, for one: nothing began that could be halted.
    assert.ok(!actions(ended('FAILED', { execution_duration: 0 })).includes('debug'));
    const succeeded = ['repeat', 'text', 'replay', 'repeatWithChanges', '+compare', '+curl'];
    assert.deepEqual(actions(ended('SUCCESS')), succeeded);
    assert.deepEqual(actions(active('RUNNING')), ['cancel', 'text', 'curl']);
    assert.deepEqual(
      actions(active('RUNNING', { state: { life_cycle_state: 'TERMINATING', result_state: 'CANCELED' } })),
      ['text', 'curl'],
    );
    assert.deepEqual(actions(ended('FAILED'), readOnly), ['explain!', 'text', 'replay', 'compare', 'curl']);
    assert.deepEqual(actions(ended('SUCCESS', { task: { notebook_task: {} }, run_page_url: 'https://x.example/1' })), [
      ...['repeat', 'text', 'replay', 'repeatWithChanges'],
      ...['+compare', '+export', '+browser', '+curl'],
    ]);
    assert.deepEqual(actions(ended('SUCCESS', { run_page_url: 'http://127.0.0.1:1/x' })), succeeded);
    assert.deepEqual(
      viewOf(active('RUNNING'), { lastSeenMs: nowMs }).actions.map(({ id }) => id),
      ['text', 'curl'],
      'of what is not there now',
    );
    assert.equal(viewOf(ended('FAILED'), readOnly).production, 'P');
  });

  it('says why it failed once', () => {
    const said = (message: string, error?: string): unknown[] => {
      const view = viewOf(
        ended('FAILED', { state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: message } }),
        { error },
      );
      return [view.message, view.messageNote];
    };
    assert.deepEqual(said('ValueError: no', 'ValueError: no'), ['ValueError: no', undefined]);
    assert.deepEqual(said('Cell 2 failed.', 'ValueError: no'), ['ValueError: no', 'Cell 2 failed.']);
    assert.deepEqual(said('It failed: ValueError: no', 'ValueError: no'), ['It failed: ValueError: no', undefined]);
    assert.deepEqual(said('', undefined), [undefined, undefined]);
    assert.deepEqual(said('In run'), [undefined, undefined], 'services say so of every run that goes on');
  });

  it('shows set-up, execution and clean-up, also of a run that goes on', () => {
    const time = (run: Run): string[] =>
      viewOf(run).time.map(({ label, tone, isLive }) => `${label} ${tone}${isLive ? ' live' : ''}`);
    assert.deepEqual(time(ended('FAILED')), ['Set-up 10 s none', 'Execution 1 min 15 s bad', 'Clean-up 5 s none']);
    assert.equal(viewOf(ended('TIMEDOUT')).time[1]?.striped, true);
    assert.deepEqual(time(active('RUNNING', { setup_duration: 40_000 })), [
      'Set-up 40 s none',
      'Execution 1 min 0 s now live',
    ]);
    assert.deepEqual(time(active('TERMINATING', { setup_duration: 40_000, execution_duration: 50_000 })), [
      'Set-up 40 s none',
      'Execution 50 s none',
      'Clean-up 10 s now live',
    ]);
    assert.deepEqual(time(active('PENDING')), ['Set-up 1 min 40 s none live']);
    assert.deepEqual(viewOf(active('PENDING'), { lastSeenMs: nowMs }).time, [
      { label: 'Set-up 1 min 40 s', durationInMs: 100_000, tone: 'none', isLive: false },
    ]);
    const cancelled = { life_cycle_state: 'PENDING', result_state: 'CANCELED' };
    assert.deepEqual(time(active('PENDING', { state: cancelled })), ['Set-up 1 min 40 s none live']);
    assert.deepEqual(time(active('TERMINATING', { setup_duration: 40_000 })), ['Total 1 min 40 s now live']);
    for (const state of ['BLOCKED', 'QUEUED']) assert.deepEqual(time(active(state)), ['Total 1 min 40 s none']);
    // It is over, and when it ended is not known.
    assert.deepEqual(time(active('SKIPPED')), []);
  });

  it('tells parameters as they were sent and as they are in the job', () => {
    const task = { spark_python_task: { python_file: '/a.py', parameters: ['--x', '1'] } };
    const now = { ...job, settings: { ...job.settings, ...task } };
    const asInJob = viewOf(ended('SUCCESS', { task }), { job: now }).parameters;
    assert.equal(asInJob?.note, 'as in the job now');
    const given = viewOf(ended('SUCCESS', { task, overriding_parameters: { python_params: ['--x', '2', 'more'] } }), {
      job: now,
    }).parameters;
    assert.equal(given?.note, '2 of 3 given for this run');
    assert.deepEqual(given?.rows, [
      { name: '1', sent: '--x', inJob: '--x', isOverridden: false },
      { name: '2', sent: '2', inJob: '1', isOverridden: true },
      { name: '3', sent: 'more', inJob: '', isOverridden: true },
    ]);
    const inNotebook = { notebook_task: { notebook_path: '/n', base_parameters: { a: '1', b: '2' } } };
    const notebook = viewOf(
      ended('SUCCESS', {
        task: inNotebook,
        overriding_parameters: { notebook_params: { b: '3', c: '4' } },
      }),
      { job: { ...job, settings: { ...job.settings, ...inNotebook } } },
    ).parameters;
    assert.deepEqual(
      notebook?.rows.map(({ name, sent, inJob, isOverridden }) => [name, sent, inJob, isOverridden]),
      [
        ['a', '1', '1', false],
        ['b', '3', '2', true],
        ['c', '4', '', true],
      ],
    );
    assert.equal(viewOf(ended('SUCCESS')).parameters, undefined);
  });

  it('says which of all attempts it is, also of one before the last', () => {
    const attempts = [0, 1, 2].map((number) => ended('FAILED', { run_id: String(number), attempt_number: number }));
    const said = (run: Run, all: readonly Run[]): string | undefined =>
      viewOf(run, { attempts: all })
        .subtitle.split(' · ')
        .find((part) => part.startsWith('attempt'));
    assert.deepEqual(
      attempts.map((run) => said(run, attempts)),
      ['attempt 1 of 3', 'attempt 2 of 3', 'attempt 3 of 3'],
    );
    assert.equal(said(ended('FAILED'), [ended('FAILED'), ended('FAILED', { attempt_number: 1 })]), 'attempt 1 of 2');
    assert.equal(said(ended('FAILED', { attempt_number: 4 }), []), 'attempt 5 of 5');
  });

  it('cancels nothing twice', () => {
    const state = (life: string, more: object) => active(life, { state: { life_cycle_state: life, ...more } });
    for (const run of [
      state('RUNNING', { result_state: 'TIMEDOUT' }),
      state('RUNNING', { result_state: 'CANCELED' }),
      state('RUNNING', { user_cancelled_or_timedout: true }),
    ])
      assert.deepEqual(
        viewOf(run).actions.map(({ id }) => id),
        ['text', 'curl'],
      );
    for (const life of ['QUEUED', 'PENDING', 'RUNNING', 'TERMINATING', 'BLOCKED'])
      assert.ok(
        viewOf(active(life)).actions.some(({ id }) => id === 'cancel'),
        life,
      );
  });
});
