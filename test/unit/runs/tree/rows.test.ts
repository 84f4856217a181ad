import assert from 'node:assert/strict';
import type { Run, Job } from '../../../../src/api/schema/jobs/schemas.ts';
import { groupAttempts } from '../../../../src/runs/attempts.ts';
import { runColors, type DebugPhase } from '../../../../src/runs/runState.ts';
import type { ScheduleTimes } from '../../../../src/runs/scheduleTimes.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { plainArrangement } from '../../../../src/runs/tree/arrangement.ts';
import { jobDetails } from '../../../../src/runs/tree/rowDetails.ts';
import { TreeModel } from '../../../../src/runs/tree/treeModel.ts';
import { type TreeNode, type TreeRowsOptions, TreeRows } from '../../../../src/runs/tree/treeRows.ts';
import { viewPicture } from '../../../../src/runs/tree/viewPicture.ts';
import { AppError, type ErrorKind } from '../../../../src/shared/errors.ts';

const now = Date.UTC(2026, 2, 1, 12);
const ended = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
function build(options: Partial<TreeRowsOptions> = {}): { store: RunStore; model: TreeModel } {
  const store = new RunStore();
  return { store, model: new TreeModel({ profileId: 'local', store, now: () => now, ...options }) };
}
function childrenOf(model: TreeModel, node: TreeNode | undefined): TreeNode[] {
  assert.ok(node);
  const children = model.children(node);
  assert.notEqual(children, 'notLoaded');
  return children as TreeNode[];
}
const nowMs = Date.UTC(2026, 2, 15, 12);
const minute = 60_000;
const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC', pause_status: 'UNPAUSED' };
const times = (next: number | undefined): ScheduleTimes =>
  ({
    next: (given: typeof schedule) => (given.quartz_cron_expression === schedule.quartz_cron_expression ? next : 1),
    words: ({ quartz_cron_expression: expression }: typeof schedule) => `words of ${expression}`,
  }) as unknown as ScheduleTimes;
/** Replaces the narrow no-break space before AM and PM with a plain space. */
const told = (rows: readonly (readonly [string, string])[]): string[] =>
  rows.map((row) => row.join(': ').replaceAll('\u202f', ' '));

describe('TreeModel', () => {
  it('keeps every digit of an INT64 id in ids and details', () => {
    const { store, model } = build();
    store.setJobs(
      [{ job_id: '9007199254740993', settings: { name: 'big', notebook_task: { notebook_path: '/n' } } }],
      now,
    );
    store.setRunsOf(
      '9007199254740993',
      [
        {
          run_id: '9007199254740995',
          job_id: '9007199254740993',
          number_in_job: '1',
          run_type: 'JOB_RUN',
          state: ended,
        },
      ],
      false,
      now,
    );
    const [job] = model.roots();
    assert.equal(job?.id, 'local/job/9007199254740993');
    assert.ok(job);
    assert.deepEqual(model.details(job)[0], ['Job', '9007199254740993']);
    const [run] = childrenOf(model, job);
    assert.equal(run?.id, 'local/job/9007199254740993/run/9007199254740995');
    assert.ok(run);
    assert.deepEqual(model.details(run)[0], ['Run', '9007199254740995']);
  });

  it('shows a job as running or failed even if a newer run was skipped', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    store.mergeRuns(
      [
        {
          run_id: '5',
          job_id: '1',
          run_type: 'JOB_RUN',
          start_time: now - 63_000,
          state: { life_cycle_state: 'RUNNING' },
        },
        {
          run_id: '6',
          job_id: '1',
          run_type: 'JOB_RUN',
          start_time: now - 1000,
          state: { life_cycle_state: 'SKIPPED' },
        },
      ],
      now,
    );
    const [running] = model.roots();
    assert.deepEqual([running?.lead, running?.description], ['Running 1m', 'newer run skipped']);
    const failed = { life_cycle_state: 'TERMINATED', result_state: 'FAILED' };
    store.mergeRuns([{ ...store.run('5')!, end_time: now - 60_000, state: failed }], now);
    const [job] = model.roots();
    assert.deepEqual(
      [job?.lead, job?.description, job?.icon?.id],
      ['Failed 1m', 'newer run skipped', 'error'],
      'a run that was skipped says nothing of how the job goes',
    );
    assert.match(job?.accessibleLabel ?? '', /last run Failed 1 min ago · 3 s · newer run skipped$/);
  });

  it('starts the row of a job with its pause, state and age, so that a narrow view cuts the name', () => {
    const { store, model } = build();
    const paused = { ...schedule, pause_status: 'PAUSED' } as const;
    store.setJobs([{ job_id: '1', settings: { name: 'nightly', schedule: paused } }], now);
    const run = { run_id: '5', job_id: '1', run_type: 'JOB_RUN', start_time: now - 500_000, end_time: now - 360_000 };
    store.mergeRuns([{ ...run, state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' } }], now);
    const [job] = model.roots();
    assert.deepEqual([job?.lead, job?.label, job?.icon?.id], ['‖ Failed 6m', 'nightly', 'error']);
    store.mergeRuns([{ ...run, state: ended }], now);
    assert.deepEqual([model.roots()[0]?.lead, model.roots()[0]?.icon?.id], ['‖ Succeeded 6m', 'pass']);
  });

  it('sorts jobs by name and groups one-time runs', () => {
    const { store, model } = build();
    store.setJobs(
      [
        { job_id: '2', settings: { name: 'zeta' } },
        { job_id: '3', settings: {} },
        { job_id: '1', settings: { name: 'alpha' } },
      ],
      now,
    );
    store.mergeRuns([{ run_id: '5', run_name: 'ad hoc', run_type: 'SUBMIT_RUN', state: ended }], now);
    assert.deepEqual(
      model.roots().map((node) => node.label),
      ['alpha', 'Untitled', 'zeta', 'One-time runs'],
    );
    const group = (): TreeNode | undefined => model.roots()[3];
    assert.deepEqual(
      [model.children(group() as TreeNode), group()?.description],
      ['notLoaded', undefined],
      'there may be older ones',
    );
    store.setOneTimeRuns([{ run_id: '5', run_name: 'ad hoc', run_type: 'SUBMIT_RUN', state: ended }], true, now);
    assert.equal(group()?.description, '1+');
    assert.deepEqual(
      childrenOf(model, group()).map((node) => [node.label, node.lead]),
      [
        ['ad hoc', 'Succeeded'],
        ['Load older runs…', undefined],
      ],
    );
  });

  it('groups the attempts of a run under the newest', () => {
    const attempt = (id: string, number: number): Run => ({
      run_id: id,
      job_id: '1',
      original_attempt_run_id: '10',
      attempt_number: number,
      run_type: 'JOB_RUN',
      number_in_job: '1',
      state: ended,
      task: {},
    });
    assert.deepEqual(
      groupAttempts([attempt('12', 2), attempt('11', 1), attempt('10', 0)]).map((group) =>
        group.map((run) => run.run_id),
      ),
      [['12', '11', '10']],
    );
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    store.setRunsOf('1', [attempt('12', 2), attempt('11', 1), attempt('10', 0)], true, now);
    const [newest, more] = childrenOf(model, model.roots()[0]);
    assert.deepEqual([newest?.runId, newest?.expandable, more?.kind], ['12', true, 'more']);
    assert.deepEqual(
      childrenOf(model, newest).map((node) => node.runId),
      ['11', '10'],
    );
  });

  describe('of a run with several tasks', () => {
    const run: Run = {
      run_id: '5',
      job_id: '1',
      run_type: 'JOB_RUN',
      number_in_job: '1',
      start_time: now,
      state: ended,
    };
    const task = (task_key: string, run_id: string, result: string, start_time: number) => ({
      task_key,
      run_id,
      start_time,
      end_time: start_time + 5000,
      state: { life_cycle_state: 'TERMINATED', result_state: result },
    });
    const tasks = [
      task('second', '7', 'SUCCESS', now + 9),
      task('first', '6', 'SUCCESS', now + 5),
      task('broken', '8', 'FAILED', now + 20),
    ];
    const opened = () => {
      const built = build();
      built.store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
      built.store.setRunsOf('1', [run], false, now);
      const row = childrenOf(built.model, built.model.roots()[0])[0];
      assert.ok(row);
      return { ...built, row };
    };

    it('loads its tasks when it is opened, and shows the failed one first', () => {
      const { store, model, row } = opened();
      assert.equal(row.expandable, true);
      assert.equal(model.children(row), 'notLoaded');
      store.mergeRuns([{ ...run, tasks }], now);
      const rows = childrenOf(model, row);
      assert.deepEqual(
        rows.map(({ label }) => label),
        ['broken', 'first', 'second'],
      );
      assert.deepEqual([rows[0]?.runId, rows[0]?.taskKey, rows[0]?.description], ['5', 'broken', 'Failed · 5 s']);
      assert.ok(told(model.details(rows[0]!)).includes('State: Failed'));
    });

    it('keeps its tasks when the next list leaves them out', () => {
      const { store, model, row } = opened();
      store.mergeRuns([{ ...run, tasks }], now);
      store.mergeRuns([{ ...run, end_time: now + 60_000 }], now);
      assert.equal(childrenOf(model, row).length, 3);
    });

    it('opens into nothing more if it has none', () => {
      const { store, model } = opened();
      store.mergeRuns([{ ...run, tasks: [] }], now);
      assert.equal(childrenOf(model, model.roots()[0])[0]?.expandable, false);
    });
  });

  it('freezes icons, words and durations while it is stale', () => {
    const store = new RunStore();
    let time = now;
    const model = new TreeModel({ profileId: 'local', store, now: () => time });
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    store.setRunsOf(
      '1',
      [
        {
          run_id: '5',
          job_id: '1',
          number_in_job: '3',
          run_type: 'JOB_RUN',
          start_time: now - 7000,
          state: { life_cycle_state: 'RUNNING' },
        },
      ],
      false,
      now,
    );
    const going = childrenOf(model, model.roots()[0])[0];
    assert.deepEqual([going?.icon?.id, going?.description], ['loading~spin', 'Running 7s']);
    store.markStale(new AppError('unavailable', 'The local service is stopped.'));
    time += 600_000;
    const [, job] = model.roots();
    const [run] = childrenOf(model, job);
    assert.deepEqual([job?.icon?.id, job?.lead], ['sync-ignored', 'Running when last seen 7s']);
    assert.equal(run?.description, 'Running when last seen 7s');
    assert.equal(run?.icon?.id, 'sync-ignored');
  });

  it('marks a job as idle only if none of its runs is active', () => {
    const { store, model } = build();
    store.setJobs(
      ['1', '2', '3', '4'].map((id) => ({ job_id: id, settings: { name: id } })),
      now,
    );
    const run = (id: string, jobId: string, state: Run['state']): Run =>
      ({ run_id: id, job_id: jobId, run_type: 'JOB_RUN', start_time: now + Number(id), state }) as Run;
    const running = { life_cycle_state: 'RUNNING' };
    store.mergeRuns([run('5', '1', running), run('6', '1', ended), run('7', '2', ended)], now);
    store.settle(['3']);
    const idle = () =>
      model
        .roots()
        .filter(({ context }) => context.split(' ').includes('idle'))
        .map(({ jobId }) => jobId);
    assert.deepEqual(idle(), ['2', '3']);
    store.mergeRuns([run('5', '1', ended)], now);
    assert.deepEqual(idle(), ['1', '2', '3']);
    store.markStale(new AppError('network', 'x'));
    assert.deepEqual(idle(), []);
  });

  it('gives each row the context of its menus', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a', notebook_task: { notebook_path: '/n' } } }], now);
    store.setRunsOf(
      '1',
      [
        {
          run_id: '6',
          job_id: '1',
          run_type: 'JOB_RUN',
          task: { notebook_task: { notebook_path: '/a' } },
          state: { life_cycle_state: 'RUNNING' },
          run_page_url: 'http://127.0.0.1:8000/runs/6/key',
        },
        {
          run_id: '5',
          job_id: '1',
          run_type: 'JOB_RUN',
          task: { notebook_task: { notebook_path: '/a' } },
          state: ended,
          run_page_url: 'https://acme.example/runs/5',
        },
      ],
      false,
      now,
    );
    assert.deepEqual(
      model.roots().map((node) => node.context),
      ['job notebook_task active'],
    );
    assert.deepEqual(
      childrenOf(model, model.roots()[0]).map((node) => node.context),
      ['run notebook_task active cancellable ofJob pageOfThisMachine', 'run notebook_task terminal ofJob'],
    );
  });
});

describe('the lists of TreeModel', () => {
  it('distinguish lists that are not loaded, empty and stale', () => {
    const { store, model } = build();
    assert.deepEqual(model.roots(), []);
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    const [job] = model.roots();
    assert.equal(model.children(job as TreeNode), 'notLoaded');
    store.setRunsOf('1', [], false, now);
    assert.deepEqual(
      childrenOf(model, model.roots()[0]).map((node) => node.label),
      ['No runs yet'],
    );
    store.markStale(new AppError('network', 'The service does not answer.', { remedy: 'Start it.' }));
    const [stale, ...rest] = model.roots();
    assert.equal(stale?.context, 'stale');
    assert.equal(stale?.description, 'The service does not answer. Start it.');
    assert.equal(rest.length, 1, 'what was known is still shown');
  });

  it('distinguish an unknown last run from no runs', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    const [unknown] = model.roots();
    assert.deepEqual(
      [unknown?.accessibleLabel, unknown?.description],
      ['Job a, other task, last run not loaded yet', 'last run not loaded yet'],
    );
    store.setRunsOf('1', [], false, now);
    const [none] = model.roots();
    assert.deepEqual([none?.accessibleLabel, none?.description], ['Job a, other task, no runs yet', 'no runs yet']);
    assert.notDeepEqual(unknown?.icon, none?.icon);
  });

  it('show a warning row if entries could not be read', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    store.setSkipped('jobs', 'jobs/list: 1 of 2 entries could not be read and are left out.');
    const [row, job] = model.roots();
    assert.ok(row);
    assert.deepEqual(
      [row.kind, row.label, row.description, row.icon?.id, job?.label],
      [
        'message',
        'Some jobs are missing',
        'jobs/list: 1 of 2 entries could not be read and are left out.',
        'warning',
        'a',
      ],
    );
    assert.ok(row.accessibleLabel.includes('1 of 2 entries'));
    assert.deepEqual(model.details(row), [['Reason', row.description]]);
    store.setSkipped('jobs', undefined);
    assert.deepEqual(
      model.roots().map(({ label }) => label),
      ['a'],
    );
  });

  it('split thousands of jobs into groups and count the failed and active ones', () => {
    const { store, model } = build({ arrangement: () => ({ ...plainArrangement, sort: 'name' }) });
    const names = Array.from({ length: 2500 }, (_, index) => `job ${String(index).padStart(4, '0')}`);
    store.setJobs(
      names.map((name, index) => ({ job_id: String(index + 1), settings: { name } })),
      now,
    );
    store.mergeRuns(
      [
        {
          run_id: '1',
          job_id: '1001',
          run_type: 'JOB_RUN',
          state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
        },
        { run_id: '2', job_id: '1500', run_type: 'JOB_RUN', state: { life_cycle_state: 'RUNNING' } },
      ],
      now,
    );
    const roots = model.roots();
    assert.equal(roots.length, 1002);
    const [first, second] = roots.slice(1000);
    assert.deepEqual([first?.label, first?.description], ['job 1000 … job 1999', '1000 jobs · 1 failed · 1 active']);
    assert.deepEqual([second?.label, second?.description], ['job 2000 … job 2499', '500 jobs']);
    const shown = [...roots.slice(0, 1000), ...childrenOf(model, first), ...childrenOf(model, second)];
    assert.deepEqual(
      shown.map((node) => node.label),
      names,
    );
  });
});

describe('the row of a run', () => {
  const run = (id: string, more: object = {}): Run =>
    ({
      run_id: id,
      job_id: '1',
      number_in_job: id,
      run_type: 'JOB_RUN',
      start_time: now - 60_000,
      end_time: now - 30_000,
      state: ended,
      ...more,
    }) as Run;
  function rowsOf(options: Partial<TreeRowsOptions> = {}): { store: RunStore; rows: TreeRows } {
    const store = new RunStore();
    return { store, rows: new TreeRows({ profileId: 'p', store, now: () => now, ...options }) };
  }
  it('recognizes run pages on this machine', () => {
    const { rows } = rowsOf();
    const isOfThisMachine = (url: string): boolean =>
      rows.run(run('5', { run_page_url: url }), false).context.endsWith(' pageOfThisMachine');
    const here = [
      'http://127.0.0.1:8/x',
      'https://127.1.2.3/',
      'http://localhost:8',
      'http://localhost/',
      'http://[::1]:8/',
    ];
    const elsewhere = [
      'https://x.example/?of=http://localhost:8/',
      'http://localhosts/',
      'http://1270.example',
      'ftp://localhost/',
      '',
    ];
    assert.deepEqual(
      here.map(isOfThisMachine),
      here.map(() => true),
    );
    assert.deepEqual(
      elsewhere.map(isOfThisMachine),
      elsewhere.map(() => false),
    );
  });
});

describe('the details of a job', () => {
  const jobOf = (settings: object, more: object = {}): Job => ({ job_id: '7', settings, ...more }) as unknown as Job;

  it('list everything that is known', () => {
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

describe('the row of a debugged run', () => {
  const rows = (phase: DebugPhase | undefined): unknown[] => {
    const { store, model } = build({ debugPhase: (runId) => (runId === '5' ? phase : undefined) });
    store.setJobs([{ job_id: '1', settings: { name: 'a', spark_python_task: { python_file: '/a.py' } } }], now);
    const going = {
      job_id: '1',
      run_type: 'JOB_RUN',
      start_time: now - 63_000,
      state: { life_cycle_state: 'RUNNING' },
    };
    const runs = ['5', '4'].map((id) => ({ ...going, run_id: id, number_in_job: id }));
    store.mergeRuns(runs, now);
    store.setRunsOf('1', runs, false, now);
    const job = model.roots()[0];
    return [job, ...childrenOf(model, job)].map((node) => [node?.lead ?? node?.description, node?.icon]);
  };
  const plain = ['Running 1m', { id: 'loading~spin', color: runColors.active }];

  it('has its own icons while it runs and while it is paused', () => {
    const going = ['Running in the debugger 1m', { id: 'debug-alt', color: runColors.active }];
    assert.deepEqual(rows('going'), [going, going, plain]);
    const held = ['Paused in the debugger 1m', { id: 'debug-pause', color: runColors.waiting }];
    assert.deepEqual(rows('held'), [held, held, plain]);
    assert.deepEqual(rows(undefined), [plain, plain, plain]);
  });
});

describe('the picture of an empty view', () => {
  const without = (kind: ErrorKind, status?: number): string =>
    viewPicture({ kind: 'stale', updatedMs: undefined, error: new AppError(kind, 'x', status ? { status } : {}) });

  it('shows the reason', () => {
    assert.equal(viewPicture({ kind: 'empty' }), 'loading');
    assert.equal(without('unauthenticated'), 'signedOut');
    assert.equal(without('unauthenticated', 401), 'refused');
    assert.equal(without('forbidden', 403), 'refused');
    for (const kind of ['network', 'timeout', 'tls', 'server', 'rateLimited', 'cutOff'] as const)
      assert.equal(without(kind), 'offline', kind);
    assert.deepEqual(
      [without('unavailable'), without('untrusted'), without('protocol'), without('internal')],
      ['stopped', 'untrusted', 'failed', 'failed'],
    );
  });
});
