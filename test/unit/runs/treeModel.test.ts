import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { plainArrangement, type Arrangement } from '../../../src/runs/arrangement.ts';
import { groupAttempts } from '../../../src/runs/attempts.ts';
import { formatAge } from '../../../src/runs/format.ts';
import { outputText } from '../../../src/runs/outputText.ts';
import { RunStore } from '../../../src/runs/runStore.ts';
import { TreeModel } from '../../../src/runs/treeModel.ts';
import type { TreeNode } from '../../../src/runs/treeRows.ts';
import { AppError } from '../../../src/shared/errors.ts';

const now = Date.UTC(2026, 2, 1, 12);
const ended = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };

function build(): { store: RunStore; model: TreeModel } {
  const store = new RunStore();
  return { store, model: new TreeModel({ profileId: 'local', store, now: () => now }) };
}

function childrenOf(model: TreeModel, node: TreeNode | undefined): TreeNode[] {
  assert.ok(node);
  const children = model.children(node);
  assert.notEqual(children, 'notLoaded');
  return children as TreeNode[];
}

describe('TreeModel', () => {
  it('keeps every digit of an INT64 id, in ids and in details', () => {
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

  it('shows a job as running while a run goes on, also where a later one was skipped', () => {
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
    assert.equal(model.roots()[0]?.description, 'Running · 1 min 3 s');
  });

  it('sorts jobs by name, names the nameless and separates one-time runs', () => {
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
      childrenOf(model, group()).map((node) => [node.label, node.description]),
      [
        ['ad hoc', 'Succeeded'],
        ['Load older runs…', undefined],
      ],
    );
  });

  it('draws a one-time run that has a job id of its own under the one-time runs, and names no job', () => {
    const { store, model } = build();
    const run: Run = {
      run_id: '5',
      job_id: '77',
      run_name: 'ad hoc',
      run_type: 'SUBMIT_RUN',
      trigger: 'ONE_TIME',
      state: ended,
    };
    store.setJobs([{ job_id: '1', settings: { name: 'alpha' } }], now);
    store.mergeRuns([run], now);
    store.setOneTimeRuns([run], false, now);
    const roots = model.roots();
    assert.deepEqual(
      roots.map((node) => node.label),
      ['alpha', 'One-time runs'],
    );
    assert.deepEqual(
      childrenOf(model, roots[1]).map((node) => node.label),
      ['ad hoc'],
    );
    assert.ok(!outputText('ad hoc', {}, run, now).includes('77'));
  });

  it('shows an unknown state in its own words with its own icon', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    store.setRunsOf(
      '1',
      [
        {
          run_id: '5',
          job_id: '1',
          number_in_job: '1',
          run_type: 'JOB_RUN',
          state: { life_cycle_state: 'HIBERNATING' },
        },
      ],
      false,
      now,
    );
    const [run] = childrenOf(model, model.roots()[0]);
    assert.equal(run?.description, 'HIBERNATING');
    assert.equal(run?.icon?.id, 'question');
    assert.equal(run?.accessibleLabel, 'Run #1, HIBERNATING');
  });

  it('does not confuse "not asked yet", "none" and "failed"', () => {
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

  it('groups the attempts of a run under the newest', () => {
    const attempt = (id: string, number: number): Run => ({
      run_id: id,
      job_id: '1',
      original_attempt_run_id: '10',
      attempt_number: number,
      run_type: 'JOB_RUN',
      number_in_job: '1',
      state: ended,
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

  it('says that a job has no run only where that is known', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    const [unknown] = model.roots();
    assert.deepEqual(
      [unknown?.accessibleLabel, unknown?.description],
      ['Job a, other task, last run not asked for yet', 'last run not asked for yet'],
    );
    store.setRunsOf('1', [], false, now);
    const [none] = model.roots();
    assert.deepEqual([none?.accessibleLabel, none?.description], ['Job a, other task, no runs yet', 'no runs yet']);
    assert.notDeepEqual(unknown?.icon, none?.icon);
  });

  it('does not claim that a job has no runs once the last one that was known is removed: it is asked again', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    store.setRunsOf('1', [{ run_id: '5', job_id: '1', run_type: 'JOB_RUN', state: ended }], false, now);
    store.removeRun('5');
    const [job] = model.roots();
    assert.equal(job?.description, 'last run not asked for yet');
    assert.equal(model.children(job as TreeNode), 'notLoaded');
    assert.deepEqual(
      [...store.jobsToAsk()].map(({ job_id: id }) => id),
      ['1'],
    );
  });

  it('says in a row of its own that entries of a list could not be read', () => {
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

  it('counts in words and tells the day of what is not current', () => {
    const store = new RunStore();
    let time = now;
    const model = new TreeModel({ profileId: 'local', store, now: () => time });
    const jobs = Array.from({ length: 1001 }, (_, index) => ({
      job_id: String(index + 1),
      settings: { name: String(index).padStart(4, '0') },
    }));
    store.setJobs(jobs, now);
    const run = { run_id: '5', job_id: '1001', run_type: 'JOB_RUN', start_time: now - 7000 };
    store.setRunsOf('1001', [{ ...run, state: { life_cycle_state: 'RUNNING' } }], false, now);
    assert.equal(model.roots().at(-1)?.description, '1 job · 1 active');
    store.markStale(new AppError('unavailable', 'The local service is stopped.'));
    assert.equal(model.roots().at(-1)?.description, '1 job', 'it may have ended since');
    const node = (): TreeNode => childrenOf(model, model.job('1001'))[0] as TreeNode;
    store.mergeRuns([{ ...run, end_time: now - 1000, state: ended }], now);
    store.markStale(new AppError('unavailable', 'The local service is stopped.'));
    const today = node().description ?? '';
    assert.match(today, /^Succeeded \d+:\d\d:\d\d.* · 6 s$/, 'a moment, which stays true, and no age');
    time += 3 * 86_400_000;
    assert.ok((node().description ?? '').length > today.length, 'a time without a day is one of today');
    store.mergeRuns([{ ...run, end_time: time - 59.5 * 86_400_000, state: ended }], time);
    assert.equal(model.details(node()).find(([name]) => name === 'Kept for')?.[1], '1 more day');
  });

  it('stands still, in icon, words and time, once it is not current', () => {
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
    assert.deepEqual([going?.icon?.id, going?.description?.endsWith(' · 7 s')], ['sync~spin', true]);
    store.markStale(new AppError('unavailable', 'The local service is stopped.'));
    time += 600_000;
    const [, job] = model.roots();
    const [run] = childrenOf(model, job);
    assert.deepEqual([job?.icon?.id, job?.description], ['sync', 'Running when last seen · 7 s']);
    assert.match(run?.description ?? '', /^Running when last seen · 7 s$/);
    assert.equal(run?.icon?.id, 'sync');
  });

  it('shows runs and jobs whose times are no moments, with the numbers as they came', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a' }, created_time: 9e15 }], now);
    const odd: Run = {
      run_id: '6',
      job_id: '1',
      run_type: 'JOB_RUN',
      number_in_job: '1',
      start_time: 9e15,
      end_time: -9e15,
      state: ended,
    };
    store.setRunsOf('1', [odd], false, now);
    const [job] = model.roots();
    assert.ok(job);
    assert.ok(model.details(job).some(([, value]) => value === '9000000000000000'));
    const [run] = childrenOf(model, job);
    assert.equal(run?.description, 'Succeeded -9000000000000000');
    assert.ok(run);
    assert.ok(!model.details(run).some(([name]) => name === 'Kept for'));
    assert.match(outputText('#1', {}, odd, now), /started 9000000000000000/);
    assert.equal(formatAge(9e15, now), undefined);
  });

  it('has the runs of all jobs by time, each under the name of its job', () => {
    const store = new RunStore();
    let arrangement: Arrangement = { ...plainArrangement, by: 'time' };
    const model = new TreeModel({ profileId: 'local', store, now: () => now, arrangement: () => arrangement });
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    const of = (id: string, start: number, more: Partial<Run> = {}): Run => ({
      run_id: id,
      job_id: '1',
      number_in_job: id,
      run_type: 'JOB_RUN',
      start_time: now - start,
      end_time: now,
      state: ended,
      ...more,
    });
    assert.deepEqual(model.roots(), [], 'they were not asked for yet');
    store.setAllRuns(
      [of('5', 100), of('4', 200, { job_id: '9', run_type: 'SUBMIT_RUN', run_name: 'ad hoc' })],
      true,
      now,
    );
    const labels = (): string[] => model.roots().map(({ label }) => label);
    assert.deepEqual(labels(), ['a #5', 'ad hoc', 'Load older runs…']);
    const [first] = model.roots();
    assert.deepEqual(
      [first?.id, first?.expandable, first?.description],
      ['local/time/run/5', false, 'Succeeded just now · 100 ms'],
    );
    store.mergeRuns([of('6', 50), of('3', 300, { job_id: '8' })], now);
    assert.deepEqual(labels(), ['a #6', 'a #5', 'ad hoc', 'Load older runs…'], 'between 4 and 3 there may be others');
    store.setAllRuns(
      [of('4', 200, { job_id: '9', run_type: 'SUBMIT_RUN', run_name: 'ad hoc' }), of('2', 400)],
      false,
      now,
      {
        older: true,
      },
    );
    assert.deepEqual(labels(), ['a #6', 'a #5', 'ad hoc', 'a #2']);
    arrangement = { ...arrangement, text: 'hoc' };
    assert.deepEqual(labels(), ['ad hoc']);
    assert.deepEqual(model.counts, { shown: 1, all: 4, unasked: 0 });
    assert.deepEqual([model.job('1'), model.oneTime(), model.ranges()], [undefined, undefined, []]);
  });

  it('marks favourites and what a schedule is, for eyes, ears and menus', () => {
    const store = new RunStore();
    const model = new TreeModel({ profileId: 'local', store, now: () => now, pinned: () => new Set(['2']) });
    const schedule = { quartz_cron_expression: '0 0 8 * * ?', timezone_id: 'UTC' };
    store.setJobs(
      [
        { job_id: '1', settings: { name: 'a', schedule: { ...schedule, pause_status: 'PAUSED' } } },
        { job_id: '2', settings: { name: 'b', schedule } },
      ] as never,
      now,
    );
    const [pinned, other] = model.roots();
    assert.deepEqual([pinned?.label, pinned?.description], ['b', '★ · last run not asked for yet · scheduled']);
    assert.match(pinned?.context ?? '', /^job otherTask pinned scheduled$/);
    assert.match(pinned?.accessibleLabel ?? '', /, favourite$/);
    assert.match(other?.context ?? '', /^job otherTask paused$/);
    assert.doesNotMatch(other?.accessibleLabel ?? '', /favourite/);
  });

  it('gives thousands of jobs in pieces, by name, and says of each piece what is broken in it', () => {
    const { store, model } = build();
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

  it('tells what can be done with a node', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a', notebook_task: { notebook_path: '/n' } } }], now);
    store.setRunsOf(
      '1',
      [
        {
          run_id: '6',
          job_id: '1',
          run_type: 'JOB_RUN',
          task: { notebook_task: {} },
          state: { life_cycle_state: 'RUNNING' },
          run_page_url: 'http://127.0.0.1:8000/runs/6/key',
        },
        {
          run_id: '5',
          job_id: '1',
          run_type: 'JOB_RUN',
          task: { notebook_task: {} },
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
      ['run notebook_task active ofJob pageOfThisMachine', 'run notebook_task terminal ofJob'],
    );
  });
});
