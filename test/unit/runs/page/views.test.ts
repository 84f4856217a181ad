import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { jobFileView, type FileSync } from '../../../../src/runs/page/jobFileView.ts';
import { jobView, type JobKnowledge } from '../../../../src/runs/page/jobView.ts';
import {
  toPage,
  type RunView,
  type JobView,
  type RunStrip,
  type JobFileView,
} from '../../../../src/runs/page/pageProtocol.ts';
import { parametersShown, runFacts } from '../../../../src/runs/page/runFacts.ts';
import { runStrip } from '../../../../src/runs/page/runStrip.ts';
import { runView, type RunKnowledge, stateOf } from '../../../../src/runs/page/runView.ts';
import { tabIcon, type DeclaredColor } from '../../../../src/runs/page/tabIcon.ts';
import { runStatus } from '../../../../src/runs/runState.ts';
import { read } from '../../../../src/shared/shape.ts';
import { root } from '../../../support/paths.ts';

describe('the run view', () => {
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
    // Send the view through the protocol, as a page receives it.
    const sent = read(toPage, JSON.parse(JSON.stringify({ type: 'run', view })));
    assert.deepEqual(sent?.type === 'run' ? sent.view : undefined, JSON.parse(JSON.stringify(view)));
    return view;
  }
  const idsOf = ({ actions, more = [] }: RunView): string[] => [
    ...actions.map(({ id, primary }) => (primary ? `${id}!` : id)),
    ...more.map(({ id }) => `+${id}`),
  ];

  it('starts with the outcome in words, color and icon', () => {
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
        [active('SUSPENDED')],
      ] as [Run, Partial<RunKnowledge>?][]
    ).map(([run, more]) => {
      const { title, state } = viewOf(run, more);
      return `${title} | ${state.tone}${state.spins ? ', spins' : ''}`;
    });
    assert.deepEqual(heads, [
      'Succeeded in 1 min 15 s | good',
      'Failed after 1 min 15 s | bad',
      'Timed out after 1 min 15 s | bad',
      'Canceled after 1 min 15 s | none',
      'Skipped | none',
      'Internal error | bad',
      'Running for 1 min 40 s | now, spins',
      'Pending for 1 min 40 s | now, spins',
      'Queued for 1 min 40 s | none',
      'Running for 50 s when last seen | none',
      'Pending for 50 s when last seen | none',
      'SUSPENDED | none',
    ]);
  });

  it('offers the actions that apply and that the profile allows', () => {
    const actions = (run: Run, more: Partial<RunKnowledge> = {}): string[] => idsOf(viewOf(run, more));
    const readOnly = { profile: { name: 'P', isLocal: false, isProduction: true, isReadOnly: true } };
    assert.deepEqual(actions(ended('FAILED')), [
      ...['explain!', 'fix', 'debug', 'repeat'],
      ...['+text', '+replay', '+repeatWithChanges', '+compare', '+curl'],
    ]);
    // Without an execution, for example if the file was missing, there is nothing to debug.
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
      ...['cells', 'repeat', 'text', 'replay'],
      ...['+repeatWithChanges', '+compare', '+export', '+browser', '+curl'],
    ]);
    assert.deepEqual(actions(ended('SUCCESS', { run_page_url: 'http://127.0.0.1:1/x' })), succeeded);
    assert.deepEqual(
      viewOf(active('RUNNING'), { lastSeenMs: nowMs }).actions.map(({ id }) => id),
      ['text', 'curl'],
      'of what is not there now',
    );
    assert.equal(viewOf(ended('FAILED'), readOnly).production, 'P');
  });

  it("shows the job's time limit for a run that timed out, with a link to the setting", () => {
    const limited = { job: { ...job, settings: { ...job.settings, timeout_seconds: 2 } } as Job };
    assert.deepEqual(viewOf(ended('TIMEDOUT'), limited).limit?.link, { label: 'timeout_seconds', action: 'jobFile' });
    assert.equal(viewOf(ended('FAILED'), limited).limit, undefined);
  });

  it('compares the duration of a run with the usual one, unless it failed', () => {
    const usual = { usualMs: 61_000 };
    assert.match(viewOf(active('RUNNING'), usual).subtitle, /1 min 1 s/);
    assert.doesNotMatch(viewOf(ended('FAILED'), usual).subtitle, /1 min 1 s/);
  });

  it('shows the reason for a failure once', () => {
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

  it('numbers the attempt among all attempts', () => {
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

  it('offers to cancel a run only once', () => {
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
    for (const life of ['QUEUED', 'PENDING', 'RUNNING', 'TERMINATING', 'SUSPENDED'])
      assert.ok(
        viewOf(active(life)).actions.some(({ id }) => id === 'cancel'),
        life,
      );
  });
});

describe('the facts of a run', () => {
  const now = Date.UTC(2026, 0, 30, 12);
  const day = 24 * 60 * 60 * 1000;
  const ended = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
  const runOf = (more: object): Run => ({ run_id: '5', ...more }) as unknown as Run;
  const jobOf = (settings: object): Job => ({ job_id: '7', settings }) as unknown as Job;
  const python = (parameters?: unknown): object => ({ spark_python_task: { python_file: '/p.py', parameters } });

  it('show how long a run is kept, unless it is deleted', () => {
    const run = runOf({ state: ended, end_time: now - 59 * day });
    const kept = (isGone?: boolean) =>
      runFacts(run, undefined, now, { isGone }).find(({ name }) => name === 'Kept')?.values[0]?.label;
    const until = new Date(now + day).toLocaleDateString(undefined, {
      year: 'numeric',
      month: 'short',
      day: 'numeric',
    });
    const words = `1 more day, until ${until}`;
    assert.deepEqual([kept(), kept(false), kept(true)], [words, words, undefined]);
    run.end_time = now - 60 * day;
    assert.equal(kept(), undefined, 'nobody says how much longer');
  });

  it('show the trigger of the first attempt for a retry', () => {
    const run = runOf({ trigger: 'RETRY' });
    const trigger = (first?: object) =>
      runFacts(run, undefined, now, { first: first && runOf(first) }).find(({ name }) => name === 'Trigger')?.values[0]
        ?.label;
    const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC' };
    assert.deepEqual(
      [trigger({ trigger: 'PERIODIC', schedule }), trigger({ trigger: 'ONE_TIME' }), trigger({ trigger: 'NEW' })],
      [
        'Retry. First attempt: Schedule: At 06:00 every day, UTC',
        'Retry. First attempt: Manual or API',
        'Retry. First attempt: NEW',
      ],
    );
    for (const first of [undefined, {}, { trigger: 'RETRY' }])
      assert.equal(trigger(first), 'Retry of an earlier attempt');
  });

  it('show whether the job would now send the same parameters', () => {
    const noteOf = (sent: string[], inJob: string[]): string | undefined =>
      parametersShown(runOf({ task: python(sent) }), jobOf(python(inJob)))?.note;
    assert.equal(noteOf(['a', 'b'], ['a', 'b']), 'as in the job');
    for (const inJob of [['a', 'c'], ['c', 'b'], ['b', 'a'], ['a'], ['a', 'b', 'c']])
      assert.equal(noteOf(['a', 'b'], inJob), 'the job has others now', inJob.join());
  });
});

describe("the icon of a page's tab", () => {
  const { contributes } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    contributes: { colors: readonly DeclaredColor[] };
  };
  const states = [
    { life_cycle_state: 'QUEUED' },
    // A run that starts, executes or finishes has the same icon.
    { life_cycle_state: 'RUNNING' },
    { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
    { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
    { life_cycle_state: 'TERMINATED', result_state: 'TIMEDOUT' },
    { life_cycle_state: 'TERMINATED', result_state: 'CANCELED' },
    { life_cycle_state: 'SKIPPED' },
    { life_cycle_state: 'INTERNAL_ERROR' },
    { life_cycle_state: 'NOBODY_KNOWS' },
  ];
  function drawn(uri: string): string {
    const [kind, content = ''] = uri.split(',');
    assert.equal(kind, 'data:image/svg+xml;base64');
    return atob(content);
  }

  it('differs for each outcome', () => {
    const pictures = states.map((state) => drawn(tabIcon(stateOf(runStatus({ state })), contributes.colors).dark));
    for (const [index, picture] of pictures.entries()) {
      assert.match(picture, /<path /, JSON.stringify(states[index]));
      assert.equal(pictures.indexOf(picture), index, JSON.stringify(states[index]));
    }
  });
});

describe('the job view', () => {
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
  /** Returns runs with these results, newest first. Run n takes one minute and n seconds. */
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
    // Send the view through the protocol, as a page receives it.
    const sent = read(toPage, JSON.parse(JSON.stringify({ type: 'job', view })));
    assert.deepEqual(sent?.type === 'job' ? sent.view : undefined, JSON.parse(JSON.stringify(view)));
    return view;
  }
  const idsOf = ({ actions, more = [] }: JobView): string[] => [
    ...actions.map(({ id }) => id),
    ...more.map(({ id }) => `+${id}`),
  ];

  it('starts with the last and the next run', () => {
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

  it('reports that there are no runs only if the service has none', () => {
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

  it('lists the next five runs in the time zone of the schedule', () => {
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
    assert.match(paused?.none ?? '', /^None while the schedule is paused. The next run would be Sunday.*6:00/);
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

  it('offers the actions that apply and that the profile allows', () => {
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

describe('the strip of the last runs', () => {
  const nowMs = Date.UTC(2026, 0, 30, 12);
  const clock = { nowMs, seenMs: nowMs, isCurrent: true };
  let made = 0;
  const run = (result: string, seconds: number, more: object = {}): Run => {
    made += 1;
    return {
      run_id: String(made),
      job_id: '1',
      number_in_job: String(made),
      run_type: 'JOB_RUN',
      start_time: nowMs - 60_000 - seconds * 1000,
      end_time: nowMs - 60_000,
      state: { life_cycle_state: 'TERMINATED', result_state: result },
      ...more,
    } as Run;
  };
  const going = (life: string, seconds: number): Run =>
    run('', 0, { start_time: nowMs - seconds * 1000, end_time: 0, state: { life_cycle_state: life } });
  const many = (count: number, result = 'SUCCESS', seconds = 10): Run[] =>
    Array.from({ length: count }, () => run(result, seconds));
  const ramp = (count: number, from = 1): Run[] => Array.from({ length: count }, (_, at) => run('SUCCESS', from + at));
  const of = (runs: readonly Run[], hasMore = false): RunStrip => runStrip(runs, hasMore, clock);
  const figures = (runs: readonly Run[]): string[] =>
    of(runs).figures.map(({ figure, meaning }) => `${figure} ${meaning}`);

  it('computes the success rate without canceled, skipped and active runs', () => {
    assert.deepEqual(figures([]), []);
    assert.deepEqual(figures([going('RUNNING', 1), run('CANCELED', 1), going('SKIPPED', 1)]), []);
    assert.deepEqual(figures([run('SUCCESS', 1), going('RUNNING', 1), going('QUEUED', 1)]), ['100 % 1 of 1 succeeded']);
    assert.deepEqual(figures([run('FAILED', 1), going('INTERNAL_ERROR', 1), run('TIMEDOUT', 1), run('SUCCESS', 1)]), [
      '25 % 1 of 4 succeeded',
    ]);
    const leftOut = 'succeeded; canceled and skipped runs left out';
    assert.deepEqual(figures([run('SUCCESS', 1), run('CANCELED', 1)]), [`100 % 1 of 1 ${leftOut}`]);
    assert.deepEqual(figures([run('FAILED', 1), going('SKIPPED', 1)]), [`0 % 0 of 1 ${leftOut}`]);
    assert.deepEqual(figures([...many(2), run('FAILED', 1)]), ['67 % 2 of 3 succeeded']);
  });

  it('shows the median from five successful runs on, and the 95th percentile from twenty', () => {
    const durations = (runs: readonly Run[]): string[] => figures(runs).slice(1);
    const half = 'or less for half of the successful runs';
    assert.deepEqual(durations(ramp(4)), []);
    assert.deepEqual(durations([...ramp(4), run('FAILED', 9)]), []);
    assert.deepEqual(durations(ramp(5)), [`3 s ${half}`]);
    assert.deepEqual(durations(ramp(6)), [`3 s ${half}`]);
    assert.deepEqual(durations([...ramp(5, 8).toReversed(), ...many(9, 'FAILED', 1)]), [`10 s ${half}`]);
    assert.deepEqual(durations(ramp(19)), [`10 s ${half}`]);
    assert.deepEqual(durations(ramp(20)), [`10 s ${half}`, '19 s or less for 95 % of them']);
    assert.deepEqual(durations(ramp(40)), [`20 s ${half}`, '38 s or less for 95 % of them']);
  });

  it('draws a line at each duration, unless their labels would overlap', () => {
    const lines = (runs: readonly Run[]): string[] => of(runs).lines.map(({ at, label }) => `${at} ${label}`);
    assert.deepEqual(lines(ramp(4)), []);
    assert.deepEqual(lines([...ramp(5), run('FAILED', 12)]), ['0.25 3 s (50 %)']);
    assert.deepEqual(lines([...many(15, 'SUCCESS', 6), ...many(5, 'SUCCESS', 8), run('FAILED', 10)]), [
      '0.8 8 s (95 %)',
      '0.6 6 s (50 %)',
    ]);
    assert.deepEqual(lines([...many(15, 'SUCCESS', 61), ...many(5, 'SUCCESS', 80), run('FAILED', 100)]), [
      '0.8 1 min 20 s (95 %)',
    ]);
  });
});

describe('the view of a job file', () => {
  const profile = { name: 'Team', isLocal: false, isProduction: false, isReadOnly: false };
  const rows: FileSync['rows'] = [{ setting: 'a', last: '1', job: '1', file: '2', deploy: 'Changes it' }];
  const viewOf = (kind: FileSync['kind'], more = {}, isCurrent = true): JobFileView =>
    jobFileView({ name: 'etl.job.yml', sync: { kind, rows } }, 3, { ...profile, ...more }, isCurrent);
  const idsOf = ({ actions }: JobFileView): string => actions.map(({ id }) => id).join(' ');

  it('shows where the file changed and offers to deploy or pull', () => {
    const kinds = ['same', 'here', 'there', 'both', 'differs', 'broken'] as const;
    assert.deepEqual(
      kinds.map((kind) => {
        const view = viewOf(kind);
        return [view.words, view.state?.tone, idsOf(view)];
      }),
      [
        ['In sync with Team', 'good', 'compare3'],
        ['Changed here since the last deploy to Team', 'look', 'compare3 deploy3'],
        ['Changed on Team since the last deploy', 'look', 'compare3 pull3'],
        ['Changed here and on Team since the last deploy', 'look', 'compare3 deploy3 pull3'],
        ['Differs from the job on Team; the last deploy is unknown', 'none', 'compare3 deploy3 pull3'],
        ['Has errors, so it cannot be compared or deployed', 'bad', ''],
      ],
    );
    assert.deepEqual(viewOf('both').rows, rows);
    assert.deepEqual(viewOf('both').link, { label: 'etl.job.yml', action: 'file3' });
  });
});
