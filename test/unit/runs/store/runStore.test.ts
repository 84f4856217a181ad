import assert from 'node:assert/strict';
import type { Run, Job } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunLists, type PageOf } from '../../../../src/runs/store/runLists.ts';
import { RunsOfJobs } from '../../../../src/runs/store/runsOfJobs.ts';
import { RunStore, type StoreChange } from '../../../../src/runs/store/runStore.ts';
import { sameJobToReaders, sameToReaders } from '../../../../src/runs/store/sameToReaders.ts';
import { ended, now } from '../tree/builtTree.ts';

describe('RunStore', () => {
  const now = Date.UTC(2026, 2, 1, 12);
  const ended = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
  const ofJob = (id: string, state: Run['state'] = ended): Run => ({
    run_id: id,
    job_id: '1',
    run_type: 'JOB_RUN',
    start_time: now + Number(id),
    state,
  });

  it('redraws only rows of active runs on a tick', () => {
    const store = new RunStore();
    const changes: unknown[] = [];
    store.setJobs([{ job_id: '1' }, { job_id: '2' }], now);
    store.mergeRuns([ofJob('5'), { ...ofJob('6'), job_id: '2', state: { life_cycle_state: 'RUNNING' } }], now);
    store.onDidChange((change) => changes.push(change));
    store.tick();
    assert.deepEqual(changes.splice(0), [{ kind: 'runs', jobIds: new Set(['2']), oneTime: false }]);
    store.mergeRuns([{ run_id: '9', run_type: 'SUBMIT_RUN', state: { life_cycle_state: 'RUNNING' } }], now);
    changes.length = 0;
    store.tick();
    assert.deepEqual(changes.splice(0), [{ kind: 'runs', jobIds: new Set(['2']), oneTime: true }]);
    store.mergeRuns(
      [
        { ...ofJob('6'), job_id: '2' },
        { run_id: '9', run_type: 'SUBMIT_RUN', state: ended },
      ],
      now,
    );
    changes.length = 0;
    store.tick();
    assert.deepEqual(changes, []);
  });

  it('reports the end of each run once, if the run was active before', () => {
    const store = new RunStore();
    const finished: string[] = [];
    store.onDidFinishRun((item) => finished.push(item.run.run_id));
    store.mergeRuns(
      [
        { run_id: '1', job_id: '1', state: { life_cycle_state: 'RUNNING' } },
        { run_id: '2', job_id: '1', state: ended },
      ],
      now,
    );
    store.mergeRuns([{ run_id: '1', job_id: '1', state: ended }], now);
    store.mergeRuns([{ run_id: '1', job_id: '1', state: ended }], now);
    assert.deepEqual(finished, ['1']);
  });

  it('reports only changes', () => {
    const store = new RunStore();
    store.setJobs([{ job_id: '1' }, { job_id: '2' }], now);
    store.mergeRuns(
      [
        { run_id: '1', job_id: '1', run_type: 'JOB_RUN', state: ended },
        { run_id: '2', job_id: '2', run_type: 'JOB_RUN', state: { life_cycle_state: 'PENDING' } },
      ],
      now,
    );
    const changes: unknown[] = [];
    store.onDidChange((change) => changes.push(change));
    store.mergeRuns(
      [
        { run_id: '1', job_id: '1', run_type: 'JOB_RUN', state: ended },
        { run_id: '2', job_id: '2', run_type: 'JOB_RUN', state: { life_cycle_state: 'RUNNING' } },
      ],
      now,
    );
    store.mergeRuns([{ run_id: '1', job_id: '1', run_type: 'JOB_RUN', state: ended }], now);
    store.setJobs([{ job_id: '1' }, { job_id: '2' }], now);
    assert.deepEqual(changes, [{ kind: 'runs', jobIds: new Set(['2']), oneTime: false }]);
    store.setJobs([{ job_id: '1' }, { job_id: '2', settings: { name: 'renamed' } }], now);
    store.setJobs([{ job_id: '1' }], now);
    assert.deepEqual(changes.slice(1), [{ kind: 'all' }, { kind: 'all' }]);
  });

  it('reports the end of a run that was started here, even if it was never active', () => {
    const store = new RunStore();
    const finished: string[] = [];
    store.onDidFinishRun((item) => finished.push(item.run.run_id));
    store.expect('1');
    store.mergeRuns([ofJob('1', { life_cycle_state: 'SKIPPED' }), ofJob('2')], now);
    assert.deepEqual([finished, [...store.expectedRunIds]], [['1'], []]);
    store.expect('2');
    assert.equal(store.expectedRunIds.size, 0, 'it is known');
  });

  it('keeps newer data than a slow page contains', () => {
    const store = new RunStore();
    store.setJobs([{ job_id: '1' }], now);
    store.mergeRuns([ofJob('7', { life_cycle_state: 'RUNNING' }), ofJob('6')], now);
    const finished: string[] = [];
    store.onDidFinishRun((item) => finished.push(item.run.run_id));
    store.setRunsOf('1', [ofJob('6', { life_cycle_state: 'RUNNING' }), ofJob('5')], false, now);
    assert.deepEqual(
      store.runsOf('1')?.runs.map((run) => [run.run_id, run.state?.life_cycle_state]),
      [
        ['7', 'RUNNING'],
        ['6', 'TERMINATED'],
        ['5', 'TERMINATED'],
      ],
    );
    store.mergeRuns([ofJob('6')], now);
    assert.deepEqual(finished, []);
    store.mergeRuns([{ ...ofJob('6', { life_cycle_state: 'RUNNING' }), start_time: now + 60_000 }], now);
    assert.equal(store.run('6')?.state?.life_cycle_state, 'RUNNING', 'an emptied service gives its ids out again');
  });

  it('limits its size but keeps the listed runs', () => {
    const store = new RunStore();
    store.setJobs([{ job_id: '1' }], now);
    store.setRunsOf('1', [ofJob('1')], false, now);
    store.mergeRuns([ofJob('2', { life_cycle_state: 'RUNNING' })], now);
    const others = Array.from({ length: 5001 }, (_, index): Run => ({
      run_id: String(10 + index),
      job_id: '2',
      run_type: 'JOB_RUN',
      start_time: now + index,
      state: ended,
    }));
    store.mergeRuns(others, now);
    assert.deepEqual([store.endedRuns.length + store.activeRuns.length, store.latestRun('2')?.run_id], [2500, '5010']);
    assert.deepEqual(
      store.runsOf('1')?.runs.map((run) => run.run_id),
      ['2', '1'],
    );
  });
});

describe('a removal from RunStore', () => {
  const running = { life_cycle_state: 'RUNNING' };
  const run = (id: string, jobId: string | undefined = '1', more: object = {}): Run =>
    ({ run_id: id, job_id: jobId, run_type: 'JOB_RUN', start_time: now + Number(id), state: ended, ...more }) as Run;
  const once = (id: string, more: object = {}): Run => run(id, undefined, { run_type: 'SUBMIT_RUN', ...more });

  let store: RunStore;
  let changes: StoreChange[];
  beforeEach(() => {
    store = new RunStore();
    store.setJobs([{ job_id: '1' }, { job_id: '2' }], now);
    changes = [];
    store.onDidChange((change) => changes.push(change));
  });
  /** Returns whether a change affects what views show. */
  const isNews = (change: () => void): boolean => {
    const { version } = store;
    change();
    return store.version !== version;
  };

  it('forgets the removed job', () => {
    store.setRunsOf('1', [], false, now);
    assert.equal(store.jobsByName.length, 2);
    changes.length = 0;
    assert.equal(
      isNews(() => store.removeJob('1')),
      true,
    );
    assert.deepEqual(changes, [{ kind: 'all' }]);
    assert.deepEqual(
      [store.job('1'), store.isSettled('1'), store.runsOf('1'), store.lastRun('1').kind, store.jobsByName.length],
      [undefined, false, undefined, 'unknown', 1],
    );
  });

  it("forgets the removed run and requests its job's last run", () => {
    store.expect('9');
    store.mergeRuns([run('5', '1', { state: running }), run('4'), once('6', { state: running })], now);
    store.setRunsOf('1', [run('5', '1', { state: running })], false, now);
    changes.length = 0;
    for (const id of ['9', '6', '5'])
      assert.equal(
        isNews(() => store.removeRun(id)),
        true,
        id,
      );
    assert.deepEqual(changes, [{ kind: 'all' }, { kind: 'all' }, { kind: 'all' }]);
    assert.deepEqual(
      [[...store.expectedRunIds], store.activeRuns, store.hasOneTimeRuns, store.hasActiveRun('1'), store.run('5')],
      [[], [], false, false, undefined],
    );
    assert.deepEqual([store.latestRun('1')?.run_id, store.isSettled('1'), store.runsOf('1')], ['4', false, undefined]);
  });
});

describe('RunsOfJobs', () => {
  const states = {
    good: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
    going: { life_cycle_state: 'RUNNING' },
    waiting: { life_cycle_state: 'PENDING' },
    skipped: { life_cycle_state: 'SKIPPED' },
  };

  let runs: Map<string, Run>;
  let ofJobs: RunsOfJobs;
  const add = (id: number, state: keyof typeof states, jobId = '1'): void => {
    runs.set(String(id), { run_id: String(id), job_id: jobId, start_time: id, state: states[state] } as Run);
    ofJobs.add(jobId, String(id));
  };
  const last = (jobId = '1'): string => {
    const known = ofJobs.last(jobId);
    return known.kind === 'run' ? `${known.run.run_id}${known.isSkippedSince ? ' skipped since' : ''}` : known.kind;
  };
  beforeEach(() => {
    runs = new Map();
    ofJobs = new RunsOfJobs(runs);
  });

  it('returns the newest run, or unknown until the job is settled', () => {
    assert.equal(last(), 'unknown');
    assert.equal(ofJobs.settle('1'), true);
    assert.equal(ofJobs.settle('1'), false, 'no news');
    assert.equal(last(), 'none');
    add(5, 'good');
    assert.equal(last(), '5');
    assert.equal(ofJobs.settle('1'), false, 'one is known');
    add(3, 'good');
    assert.equal(last(), '5');
    add(7, 'going');
    assert.equal(last(), '7');
    ofJobs.remove('1', '7');
    assert.equal(last(), '5');
    assert.equal(last('2'), 'unknown');
    ofJobs.clear();
    assert.deepEqual([last(), [...ofJobs.jobIds]], ['unknown', []]);
  });

  it('prefers executing runs over newer waiting ones, and any over newer skipped ones', () => {
    for (const [ids, expected] of [
      [{ 1: 'going', 2: 'going', 3: 'skipped' }, '2 skipped since'],
      [{ 2: 'going', 1: 'going', 3: 'skipped' }, '2 skipped since'],
      [{ 3: 'skipped', 2: 'good', 1: 'going' }, '1 skipped since'],
      [{ 1: 'going', 2: 'good' }, '2'],
      [{ 1: 'going', 2: 'waiting' }, '1'],
      [{ 1: 'waiting', 2: 'waiting' }, '2'],
      [{ 1: 'good', 2: 'skipped' }, '1 skipped since'],
      [{ 1: 'good', 2: 'good', 3: 'skipped', 4: 'skipped' }, '2 skipped since'],
      [{ 1: 'skipped', 2: 'good' }, '2'],
      [{ 1: 'skipped', 2: 'skipped' }, '2'],
    ] as const) {
      for (const order of [Object.keys(ids), Object.keys(ids).toReversed()]) {
        runs.clear();
        ofJobs.clear();
        for (const id of order) add(Number(id), (ids as Record<string, keyof typeof states>)[id] ?? 'good');
        assert.equal(last(), expected, JSON.stringify(ids));
      }
    }
  });
});

describe('RunLists', () => {
  let runs: Map<string, Run>;
  let lists: RunLists;
  const run = (id: number, more: Partial<Run> = {}): Run => {
    const made = { run_id: String(id), job_id: '1', run_type: 'JOB_RUN', start_time: id, ...more } as Run;
    runs.set(made.run_id, made);
    return made;
  };
  const idsOf = (of: PageOf): string[] | undefined => lists.get(of)?.runs.map((each) => each.run_id);
  beforeEach(() => {
    runs = new Map();
    lists = new RunLists(runs);
  });

  it('keeps runs that started after the request at the top', () => {
    run(9);
    assert.equal(lists.set({ jobId: '1' }, [], false, ['9']), true);
    assert.deepEqual(idsOf({ jobId: '1' }), ['9']);
    run(3);
    run(10);
    assert.equal(lists.set({ jobId: '1' }, [run(5), run(4)], true, ['3', '9', '10', '5', '77']), true);
    assert.deepEqual(lists.get({ jobId: '1' }), {
      runs: [10, 9, 5, 4].map((id) => runs.get(String(id))),
      hasMore: true,
    });
    assert.equal(lists.set({ jobId: '1' }, [run(5), run(4)], true, ['9', '10']), false, 'the same page');
    assert.equal(lists.set({ jobId: '1' }, [run(5), run(4)], false, ['9', '10']), true, 'it ends there');
  });

  it('contains each run once', () => {
    assert.equal(lists.set('all', [run(4), run(9), run(6)], true, ['4', '6', '9']), true);
    assert.deepEqual(idsOf('all'), ['4', '9', '6']);
  });

  it('adds a run to the lists that it belongs to', () => {
    for (const whose of [{ jobId: '1' }, { jobId: '2' }, 'oneTime', 'all'] as const) lists.set(whose, [], false, []);
    for (const id of [5, 7, 6]) lists.add(run(id));
    lists.add(run(6));
    lists.add(run(8, { run_type: 'SUBMIT_RUN' }));
    assert.deepEqual(
      [idsOf({ jobId: '1' }), idsOf({ jobId: '2' }), idsOf('oneTime'), idsOf('all')],
      [['7', '6', '5'], [], ['8'], ['8', '7', '6', '5']],
    );
    assert.equal(idsOf({ jobId: '3' }), undefined, 'it was not asked for');
  });

  it('adds no run older than an incomplete list', () => {
    lists.set('all', [run(9), run(5)], true, []);
    for (const id of [4, 6]) lists.add(run(id));
    assert.deepEqual(idsOf('all'), ['9', '6', '5']);
    lists.append([run(5), run(3)], false);
    assert.deepEqual([idsOf('all'), lists.get('all')?.hasMore], [['9', '6', '5', '3'], false]);
    lists.add(run(1));
    assert.deepEqual(idsOf('all')?.at(-1), '1');
  });
});

describe('two versions', () => {
  const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC', pause_status: 'UNPAUSED' };
  const settings = { name: 'a', notebook_task: { notebook_path: '/n' }, max_retries: 1, schedule };
  const job = { job_id: '1', creator_user_name: 'ada', settings };
  const state = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS', state_message: 'done' };
  const run = { run_id: '1', state, start_time: 1, end_time: 2, attempt_number: 0, setup_duration: 1 };

  it('of a job differ if a row would change', () => {
    const differs = (after: object, before: object | undefined = job): boolean =>
      !sameJobToReaders(before as Job | undefined, after as Job);
    const changed = [
      { ...job, creator_user_name: 'bob' },
      { ...job, settings: { ...settings, name: 'b' } },
      { ...job, settings: { ...settings, notebook_task: undefined, spark_python_task: { python_file: '/a.py' } } },
      { ...job, settings: { ...settings, schedule: undefined } },
      { ...job, settings: { ...settings, schedule: { ...schedule, quartz_cron_expression: '0 0 7 * * ?' } } },
      { ...job, settings: { ...settings, schedule: { ...schedule, timezone_id: 'Asia/Tokyo' } } },
      { ...job, settings: { ...settings, schedule: { ...schedule, pause_status: 'PAUSED' } } },
      { ...job, settings: undefined },
    ];
    for (const after of changed) assert.ok(differs(after) && differs(job, after), JSON.stringify(after));
    assert.ok(!sameJobToReaders(undefined, {} as Job), 'what was not there before');
    assert.ok(!differs(structuredClone(job)));
    assert.ok(!differs({ ...job, settings: { ...settings, max_retries: 2 } }), 'no row shows it');
  });

  it('of a run differ if a row would change', () => {
    const differs = (after: object): boolean => !sameToReaders(run as Run, after as Run);
    const changed = [
      { ...run, state: { ...state, life_cycle_state: 'RUNNING' } },
      { ...run, state: { ...state, result_state: 'FAILED' } },
      { ...run, state: { ...state, state_message: 'other' } },
      { ...run, state: undefined },
      { ...run, start_time: 0 },
      { ...run, end_time: 3 },
      { ...run, attempt_number: 1 },
    ];
    for (const after of changed) assert.ok(differs(after), JSON.stringify(after));
    assert.ok(!differs(structuredClone(run)));
    assert.ok(!differs({ ...run, setup_duration: 2 }), 'no row shows it');
  });
});
