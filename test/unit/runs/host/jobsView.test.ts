import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type * as real from 'vscode';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { localProfile } from '../../../../src/connection/connection.ts';
import type { PollAttention, PollAttentionOptions, Runs } from '../../../../src/runs/host/registerRuns.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { plainArrangement, type Arrangement } from '../../../../src/runs/tree/arrangement.ts';
import { OpenTasks } from '../../../../src/runs/tree/openTasks.ts';
import type { TreeElement } from '../../../../src/runs/tree/treeElements.ts';
import { TreeModel } from '../../../../src/runs/tree/treeModel.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { FakeConnections, staging } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { runsServices } from '../../../support/editorStandIn/runsServices.ts';
import { eventually } from '../../../support/eventually.ts';

// Import it now, so that schedules are computed synchronously.
await import('../../../../src/runs/scheduleTimes.ts');
const { JobsTree, registerOpenRow } = await import('../../../../src/runs/host/jobsTree.ts');
const { registerRuns } = await import('../../../../src/runs/host/registerRuns.ts');
const { viewWords } = await import('../../../../src/runs/host/jobsView.ts');
const { KeptArrangement } = await import('../../../../src/runs/host/keptArrangement.ts');
const { KeptRows } = await import('../../../../src/runs/host/jobsView.ts');
const { pollAttention } = await import('../../../../src/runs/host/registerRuns.ts');

describe('JobsTree', () => {
  const ended = { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: '<b> & [x](command:y)' };

  let store: RunStore;
  let model: TreeModel;
  let tree: InstanceType<typeof JobsTree>;
  let pointedAt: string[];
  let expanded: Set<string>;
  let shown: string[][];
  let looks: PromiseWithResolvers<void>;
  let loadRuns: (jobId: string | undefined) => Promise<void>;
  let loadAllRuns: () => Promise<void>;
  let arrangement: Arrangement;
  let loadTasks: (runId: string) => Promise<void>;
  let readied: number;
  let fired: (TreeElement | TreeElement[] | undefined)[];

  beforeEach(() => {
    editor.reset();
    store = new RunStore();
    arrangement = plainArrangement;
    model = new TreeModel({ profileId: 'local', store, now: () => Date.now(), arrangement: () => arrangement });
    loadAllRuns = async () =>
      store.setAllRuns([{ run_id: '5', run_type: 'SUBMIT_RUN', state: ended }], false, Date.now());
    pointedAt = [];
    readied = 0;
    looks = Promise.withResolvers<void>();
    loadRuns = async (jobId) =>
      store.setRunsOf(
        jobId ?? '',
        [{ run_id: '5', job_id: '1', number_in_job: '1', run_type: 'JOB_RUN', state: ended, task: {} }],
        true,
        Date.now(),
      );
    loadTasks = async () => undefined;
    expanded = new Set();
    shown = [];
    tree = new JobsTree({
      store,
      model: () => model,
      firstPoll: () => looks.promise,
      ready: async () => void (readied += 1),
      pointedAt: (id) => pointedAt.push(id),
      loadRuns: (id) => loadRuns(id),
      loadTasks: (id) => loadTasks(id),
      loadAllRuns: () => loadAllRuns(),
      isExpanded: (id) => expanded.has(id),
      shown: (elements) => shown.push(elements.map(({ id }) => id)),
    });
    fired = [];
    tree.onDidChangeTreeData((elements) => fired.push(elements as TreeElement[]));
  });
  afterEach(() => {
    tree.dispose();
    mock.timers.reset();
  });

  const addJob = (): void => store.setJobs([{ job_id: '1', settings: { name: '*a*' } }], Date.now());
  const only = async (parent?: TreeElement): Promise<TreeElement> => {
    const [first] = await tree.getChildren(parent);
    assert.ok(first);
    return first;
  };

  it('draws a row with its name, icon, accessible label and context', async () => {
    addJob();
    const job = await only();
    const item = tree.getTreeItem(job);
    assert.equal(item.id, job.node.id);
    assert.equal(item.collapsibleState, 1);
    assert.equal(item.contextValue, ` ${job.node.context} `);
    assert.deepEqual(item.accessibilityInformation, { label: job.node.accessibleLabel, role: 'treeitem' });
    assert.equal(item.command, undefined);
    const [run, more] = await tree.getChildren(job);
    assert.ok(run && more);
    const row = tree.getTreeItem(run);
    assert.deepEqual([row.collapsibleState, row.description], [0, run.node.description]);
    assert.equal((row.iconPath as unknown as { id: string; color: { id: string } }).id, run.node.icon?.id);
    assert.equal((row.iconPath as unknown as { id: string; color: { id: string } }).color.id, run.node.icon?.color);
    assert.equal(row.iconPath, tree.getTreeItem(run).iconPath);
    // The editor loses a command's arguments while it redraws the row.
    for (const each of [run, more])
      assert.deepEqual(tree.getTreeItem(each).command, { command: 'millrace.jobs.openRow', title: each.node.label });
    const view: { selection: TreeElement[] } = { selection: [] };
    const registration = registerOpenRow(view);
    const clicked = editor.commands.get('millrace.jobs.openRow')?.() as Promise<void>;
    assert.deepEqual(editor.executed, [], 'the editor knows no row while it draws all of them');
    await pause(60);
    view.selection = [run];
    await clicked;
    for (const each of [more, job]) {
      view.selection = [each];
      await editor.commands.get('millrace.jobs.openRow')?.();
    }
    assert.deepEqual(editor.executed, [
      ['millrace.openRun', run],
      ['millrace.jobs.loadMore', more],
    ]);
    registration.dispose();
  });

  it('marks stale rows and refreshes on click', async () => {
    addJob();
    store.markStale(new AppError('unavailable', 'away'));
    const rows = await tree.getChildren();
    assert.deepEqual(
      rows.map((row) => tree.getTreeItem(row).command?.command),
      ['millrace.jobs.openRow', undefined],
    );
    registerOpenRow({ selection: rows });
    await editor.commands.get('millrace.jobs.openRow')?.();
    assert.deepEqual(editor.executed, [['millrace.jobs.refresh', rows[0]]]);
  });

  it("escapes the server's text in tooltips and loads the hovered job first", async () => {
    addJob();
    const job = await only();
    const text = String((tree.resolveTreeItem({}, job).tooltip as unknown as { value: string }).value);
    assert.ok(text.startsWith('**&#42;a&#42;**\n\n'), text);
    assert.deepEqual(pointedAt, ['1']);
    const run = await only(job);
    const details = String((tree.resolveTreeItem({}, run).tooltip as unknown as { value: string }).value);
    assert.doesNotMatch(details, /<b>|\]\(|command:/);
    assert.match(details, /&#60;b&#62; &#38; &#91;x&#93;/);
    assert.deepEqual(pointedAt, ['1']);
  });

  it('shows why the runs could not be loaded, and retries on request', async () => {
    addJob();
    const job = await only();
    loadRuns = () => Promise.reject(new AppError('forbidden', 'Not yours.', { remedy: 'Ask.' }));
    const failure = await only(job);
    const item = tree.getTreeItem(failure);
    assert.deepEqual(
      [item.label, item.description, (item.iconPath as unknown as { id: string }).id, item.collapsibleState],
      ['The runs could not be loaded', 'Not yours. Ask.', 'warning', 0],
    );
    assert.equal(item.command?.command, 'millrace.jobs.openRow');
    assert.match(item.accessibilityInformation?.label ?? '', /could not be loaded. Not yours/);
    tree.retryFailed();
    assert.deepEqual(fired, [[job]]);
    tree.retryFailed();
    assert.equal(fired.length, 1);
  });

  it('batches changes and redraws only the rows that changed', async () => {
    store.setJobs(
      [
        { job_id: '1', settings: { name: 'a' } },
        { job_id: '2', settings: { name: 'b' } },
      ],
      Date.now(),
    );
    const [job] = await tree.getChildren();
    await pause(60);
    fired.length = 0;
    store.mergeRuns(
      [{ run_id: '5', job_id: '1', run_type: 'JOB_RUN', state: { life_cycle_state: 'RUNNING' } }],
      Date.now(),
    );
    store.mergeRuns([{ run_id: '5', job_id: '1', run_type: 'JOB_RUN', state: ended }], Date.now());
    assert.deepEqual(fired, []);
    await pause(80);
    assert.deepEqual(fired, [[job]]);
    store.clear();
    await pause(80);
    assert.deepEqual(fired.slice(1), [undefined]);
    addJob();
    tree.dispose();
    await pause(80);
    assert.equal(fired.length, 2);
  });
});

describe('the tasks of an open run', () => {
  const run: Run = {
    run_id: '5',
    job_id: '1',
    run_type: 'JOB_RUN',
    state: { life_cycle_state: 'RUNNING' },
    start_time: 1,
  };
  const tasks = [
    { task_key: 'a', run_id: '6' },
    { task_key: 'b', run_id: '7' },
  ];

  it('are requested when it is opened, and once after each poll while it goes on', async () => {
    const store = new RunStore();
    let requests = 0;
    const openTasks = new OpenTasks({
      store,
      async load() {
        requests += 1;
        store.mergeRuns([{ ...run, tasks }], 1);
      },
    });
    const poll = async (state: Run['state']): Promise<number> => {
      store.mergeRuns([{ ...run, state }], 1);
      for (let draws = 0; draws < 3; draws += 1) {
        openTasks.refresh(['5']);
        await pause(0);
      }
      return requests;
    };
    assert.equal(await poll(run.state), 0, 'never opened');
    await openTasks.read('5');
    assert.equal(await poll(run.state), 2);
    assert.equal(await poll({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' }), 3);
  });
});

describe('a row of the jobs view', () => {
  type Options = ConstructorParameters<typeof JobsTree>[0];
  /** Creates a tree whose model returns these details for every row. */
  function treeOf(more: Partial<Options> = {}): InstanceType<typeof JobsTree> {
    return new JobsTree({
      store: new RunStore(),
      model: () =>
        ({
          details: () => [
            ['Job', '1'],
            ['State', '<b> *so*  and\nso'],
          ],
        }) as never,
      firstPoll: async () => undefined,
      ready: async () => undefined,
      pointedAt: () => undefined,
      loadRuns: async () => undefined,
      loadTasks: async () => undefined,
      loadAllRuns: async () => undefined,
      isExpanded: (id) => id === 'open',
      shown: () => undefined,
      ...more,
    });
  }

  beforeEach(() => editor.reset());

  it('isolates a right-to-left name', () => {
    const tree = treeOf();
    const labelOf = (label: string): unknown =>
      tree.getTreeItem({ id: '1', node: { id: '1', kind: 'job', label, context: '' } } as never).label;
    assert.deepEqual(['etl', 'لیلة'].map(labelOf), ['etl', '\u2068لیلة\u2069']);
    tree.dispose();
  });
});

describe("the jobs view's runs", () => {
  const ended = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
  const run = (runId: string, state: object): Run =>
    ({
      run_id: runId,
      job_id: '1',
      number_in_job: runId,
      run_type: 'JOB_RUN',
      start_time: 1,
      end_time: 2,
      state,
    }) as Run;
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  interface Tree {
    getChildren(element?: unknown): Promise<{ id: string; node: { context: string; description: string } }[]>;
    getTreeItem(element: unknown): { contextValue: string };
    onDidChangeTreeData(listener: (elements: unknown) => void): unknown;
  }

  let connections: FakeConnections;
  let runs: Runs;
  let all: Run[];
  let asked: { job_id?: string; limit?: number }[];
  let answer: (() => Promise<void>) | undefined;
  let drawn: number;
  let changed: Emitter<void>;
  let seenMs: number | undefined;
  let phase: 'held' | undefined;
  let others: object[];
  let failures: unknown[];
  const tree = (): Tree => editor.view['treeDataProvider'] as Tree;

  beforeEach(() => {
    editor.reset();
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: 1_000_000 });
    [all, asked, answer, drawn] = [[], [], undefined, 0];
    [seenMs, phase, others, failures] = [undefined, undefined, [], []];
    changed = new Emitter();
    connections = new FakeConnections({
      jobs: {
        list: async () => [{ job_id: '1', settings: { name: 'etl' } }, ...others],
        listRuns: async (question: { job_id?: string; limit?: number }) => {
          asked.push(question);
          await answer?.();
          return { runs: all, has_more: false };
        },
      },
    });
    connections.current = staging;
    runs = registerRuns(
      connections,
      runsServices({
        changesElsewhere: { seenMs: (jobId) => (jobId === '1' ? seenMs : undefined), onDidChange: changed.event },
        debuggedRuns: { phaseOf: () => phase, onDidChange: changed.event },
        presentFailure: (...failure) => failures.push(failure),
      }),
    );
    tree().onDidChangeTreeData(() => (drawn += 1));
  });
  afterEach(() => {
    runs.dispose();
    mock.timers.reset();
  });
  const pass = async (durationInMs: number): Promise<void> => {
    mock.timers.tick(durationInMs);
    await settle();
  };
  const rows = async (): Promise<string> => {
    const [job] = await tree().getChildren();
    return `${job?.node.context} ${job?.node.description}`;
  };
  const seen = async (...known: Run[]): Promise<void> => {
    all = known;
    await runs.refresh();
    await rows();
    await pass(200);
    drawn = 0;
  };

  it('ignore a reply that arrives after a change of profile', async () => {
    await seen();
    await runs.arrangement.change({ by: 'time' });
    const late = Promise.withResolvers<void>();
    answer = () => late.promise;
    all = [run('5', ended)];
    const loaded = assert.rejects(runs.loadMoreRuns(undefined));
    await settle();
    answer = undefined;
    connections.change({ ...staging, id: 'other' });
    late.resolve();
    await loaded;
    assert.equal(runs.store.allRuns, undefined);
  });

  it('are not requested from a local service that was never used', async () => {
    connections.change(localProfile);
    await pass(0);
    connections.isUsed = false;
    asked.length = 0;
    await runs.loadRuns('1', 5);
    await runs.loadMoreRuns('1');
    await runs.arrangement.change({ by: 'time' });
    await runs.loadMoreRuns(undefined);
    assert.deepEqual(asked, []);
  });
});

describe('the jobs view', () => {
  interface Question {
    job_id?: string;
    limit?: number;
    offset?: number;
    run_type?: string;
    active_only?: boolean;
  }
  const running = { life_cycle_state: 'RUNNING' };
  const succeeded = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
  const run = (runId: string, state: object): Run =>
    ({ run_id: runId, job_id: '1', number_in_job: runId, run_type: 'JOB_RUN', start_time: 1, state }) as Run;

  let connections: FakeConnections;
  let runs: Runs;
  let all: Run[];
  let settings: object;
  let asked: { question: Question; options: { signal: AbortSignal; retry?: string } }[];
  let failures: unknown[];
  let kept: ReturnType<typeof memento>;
  let causesAsked: string[];
  let cause: string | undefined;

  beforeEach(() => {
    editor.reset();
    [all, asked, failures, causesAsked] = [[], [], [], []];
    settings = { name: 'etl' };
    const jobs = {
      list: async () => [{ job_id: '1', settings }],
      listRuns: async (question: Question, options: { signal: AbortSignal; retry?: string }) => {
        asked.push({ question, options });
        return {
          runs: all.filter(({ state }) => question.active_only !== true || state?.life_cycle_state === 'RUNNING'),
          has_more: false,
        };
      },
      getRun: async (runId: string) => all.find((one) => one.run_id === runId),
    };
    connections = new FakeConnections({ jobs });
    connections.current = staging;
    kept = memento();
    cause = undefined;
    runs = registerRuns(
      connections,
      runsServices({
        memento: kept,
        causeOf: async (profile, { run: { run_id: runId } }) => {
          causesAsked.push(`${profile.id} ${runId}`);
          return cause;
        },
        presentFailure: (...failure) => failures.push(failure),
      }),
    );
  });
  afterEach(() => runs.dispose());
  /** Redraws as the editor does after a change of the rows. */
  const drawn = async (): Promise<void> => {
    await pause(60);
    await (editor.view['treeDataProvider'] as { getChildren(): Promise<unknown> }).getChildren();
    await pause(10);
  };

  it('does not count stale runs as active', async () => {
    all = [run('5', running)];
    await runs.refresh();
    connections.client = {
      jobs: { list: () => Promise.reject(new Error('gone')), listRuns: () => Promise.reject(new Error('gone')) },
    };
    await runs.refresh().catch(() => undefined);
    assert.equal(runs.store.freshness.kind, 'stale');
    assert.equal(editor.view['badge'], undefined);
  });

  it('reports the end of a run that was started here, once, and opens its page on request', async () => {
    all = [run('5', running), run('6', running)];
    await runs.refresh();
    runs.watch('staging', '5');
    all = [run('5', succeeded), run('6', succeeded)];
    await runs.refresh();
    await runs.refresh();
    assert.equal(shownTexts().length, 1);
    assert.match(shownTexts()[0] ?? '', /etl .*5.* on Staging: Succeeded/);
    editor.answer = ({ actions }) => actions[0];
    runs.watch('staging', '6');
    assert.equal(shownTexts().length, 2);
    await eventually(() =>
      assert.deepEqual(
        editor.executed.find(([command]) => command === 'millrace.openRun'),
        ['millrace.openRun', { profileId: 'staging', runId: '6' }],
      ),
    );
    assert.deepEqual(failures, []);
  });

  it('keeps waiting for a run while another profile is current', async () => {
    all = [run('5', running)];
    await runs.refresh();
    runs.watch('staging', '5');
    connections.change(localProfile);
    assert.equal(runs.store.expectedRunIds.has('5'), false);
    connections.change(staging);
    assert.equal(runs.store.expectedRunIds.has('5'), true);
    all = [run('5', succeeded)];
    await runs.refresh();
    assert.match(shownTexts()[0] ?? '', /on Staging: Succeeded/);
  });

  it('sends no requests while it is hidden, unless a run is watched', async () => {
    editor.view['visible'] = false;
    standIn.window.state = { focused: false };
    editor.events.visibility.fire(undefined);
    await pause(20);
    connections.calls.length = 0;
    connections.change({ ...staging, id: 'other' });
    await pause(50);
    assert.deepEqual(connections.calls, []);
    runs.watch('other', '5');
    await pause(50);
    assert.notDeepEqual(connections.calls, []);
  });

  it('shows and remembers the filter', async () => {
    all = [run('5', succeeded)];
    await runs.refresh();
    await runs.arrangement.change({ states: ['succeeded'] });
    await drawn();
    assert.equal(editor.view['description'], 'Staging · succeeded');
    assert.equal(editor.view['message'], '1 of 1 jobs match: succeeded');
    assert.ok(editor.executed.some((call) => String(call) === 'setContext,millrace.jobsFiltered,true'));
    // A message would hide the button that clears the filter.
    await runs.arrangement.change({ states: ['failed'] });
    await drawn();
    assert.deepEqual([editor.view['description'], editor.view['message']], ['Staging · failed', undefined]);
    await runs.arrangement.pin('staging', ['1'], true);
    runs.dispose();
    runs = registerRuns(connections, runsServices({ memento: kept }));
    assert.equal(editor.view['description'], 'Staging · failed');
    assert.deepEqual([...runs.arrangement.pinned('staging')], ['1']);
    assert.equal(runs.arrangement.pinned('local').size, 0);
  });
});

describe('the words of the jobs view', () => {
  beforeEach(() => editor.reset());
  const words = (change: Partial<Arrangement>, model: object = {}): readonly (string | undefined)[] => {
    const { description, message } = viewWords('Local', { ...plainArrangement, ...change }, {
      isByTime: false,
      counts: { shown: 2, all: 40, unasked: 0 },
      ...model,
    } as unknown as TreeModel);
    return [description, message];
  };

  it('are the profile, the order and the filter', () => {
    assert.deepEqual(words({}), ['Local', undefined]);
    assert.deepEqual(words({ sort: 'lastRun' }), ['Local · by last run', undefined]);
    assert.deepEqual(words({ sort: 'nextRun' }), ['Local · by next run', undefined]);
    assert.deepEqual(words({ sort: 'nextRun' }, { isByTime: true }), ['Local · all runs by time', undefined]);
    assert.deepEqual(words({ sort: 'lastRun', text: 'etl' }), [
      'Local · by last run · "etl"',
      '2 of 40 jobs match: "etl"',
    ]);
  });

  it('count the rows that match and those that are still unknown', () => {
    assert.deepEqual(words({ text: 'etl' }, { counts: { shown: 1, all: 40, unasked: 3 } }), [
      'Local · "etl"',
      '1 of 40 jobs match: "etl". The last results of 3 more jobs are still unknown.',
    ]);
    assert.deepEqual(words({ text: 'etl' }, { isByTime: true, counts: { shown: 5, all: 9, unasked: 0 } }), [
      'Local · all runs by time · "etl"',
      '5 of 9 loaded runs match: "etl"',
    ]);
  });
});

describe('the kept arrangement', () => {
  it('keeps the favorites of each profile', async () => {
    const kept = memento();
    const first = new KeptArrangement(kept);
    let told = 0;
    first.onDidChange(() => (told += 1));
    assert.equal(first.pinned('p').size, 0);
    await first.pin('p', ['1', '2'], true);
    await first.pin('q', ['3'], true);
    await first.pin('p', ['1', '9'], false);
    assert.deepEqual([told, [...first.pinned('p')], [...first.pinned('q')]], [3, ['2'], ['3']]);
    assert.equal(first.pinned('p'), first.pinned('p'), 'the same set while nothing changes');
    const next = new KeptArrangement(kept);
    assert.deepEqual([[...next.pinned('p')], [...next.pinned('q')], next.pinned('r').size], [['2'], ['3'], 0]);
    await next.pin('q', ['3'], false);
    assert.deepEqual(Object.values(kept.values), [{ p: ['2'] }]);
  });

  it('keeps the filter and the order', async () => {
    const kept = memento();
    await new KeptArrangement(kept).change({ sort: 'lastRun', text: 'etl' });
    const { sort, text } = new KeptArrangement(kept).current;
    assert.deepEqual([sort, text], ['lastRun', 'etl']);
  });

  it('ignores damaged data', () => {
    const key = 'millrace.jobs.pinned';
    for (const [damaged, pins] of [
      ['x', []],
      [null, []],
      [{ p: 'x', q: 5 }, []],
      [{ p: ['1', 2, null] }, ['1']],
    ] as const)
      assert.deepEqual([...new KeptArrangement(memento({ [key]: damaged })).pinned('p')], pins);
  });
});

describe('the kept rows', () => {
  let kept: ReturnType<typeof memento>;
  let revealed: string[];
  /** How many times the editor fails to find the row. */
  let unknown: number;
  let view: { visible: boolean };

  beforeEach(() => {
    editor.reset();
    kept = memento();
    revealed = [];
    unknown = 0;
    view = {
      ...standIn.window.createTreeView('jobs', {}),
      visible: true,
      reveal: async (element: TreeElement, options: object) => {
        assert.deepEqual(options, { select: true, focus: false, expand: false });
        if (unknown-- > 0) throw new Error('Tree element not found');
        revealed.push(element.id);
      },
    } as never;
  });
  const element = (id: string): TreeElement => ({ id }) as TreeElement;
  function open(): InstanceType<typeof KeptRows> {
    const rows = new KeptRows(kept);
    rows.follow(view as unknown as real.TreeView<TreeElement>);
    return rows;
  }

  it('are the last twenty expanded rows', () => {
    const first = open();
    for (let number = 1; number <= 22; number += 1) editor.events.expanded.fire({ element: element(`job ${number}`) });
    editor.events.expanded.fire({ element: element('job 3') });
    editor.events.collapsed.fire({ element: element('job 22') });
    first.dispose();
    const next = open();
    const expected = [1, 2, 3, 4, 21, 22].map((number) => [number, [3, 4, 21].includes(number)]);
    assert.deepEqual(
      [1, 2, 3, 4, 21, 22].map((number) => [number, next.isExpanded(`job ${number}`)]),
      expected,
    );
    next.dispose();
    editor.events.expanded.fire({ element: element('later') });
    assert.equal(open().isExpanded('later'), false);
  });

  it('include the selected one, which is selected again once the editor knows it', async () => {
    const first = open();
    editor.events.selection.fire({ selection: [element('job 7')] });
    first.dispose();
    unknown = 2;
    const next = open();
    next.shown(view as unknown as real.TreeView<TreeElement>, [element('job 6'), element('job 7')]);
    await eventually(() => assert.deepEqual(revealed, ['job 7']));
    next.dispose();
  });
});

describe("the poller's attention", () => {
  let looks: string[];
  let seen: { isVisible: boolean; areGoing: boolean; active: number };
  let attention: PollAttention;
  let visibility: Emitter<boolean>;
  let known: Emitter<never>;
  const set = (change: Partial<typeof seen>): string | undefined => {
    Object.assign(seen, change);
    attention.update();
    return looks.at(-1);
  };

  beforeEach(() => {
    editor.reset();
    looks = [];
    seen = { isVisible: false, areGoing: false, active: 0 };
    [visibility, known] = [new Emitter(), new Emitter()];
    const options = {
      poller: { setAttention: (look: string) => void looks.push(look) },
      store: {
        get activeRuns() {
          return Array.from({ length: seen.active });
        },
        onDidChange: known.event,
      },
      view: {
        get isVisible() {
          return seen.isVisible;
        },
        onDidChangeVisibility: visibility.event,
      },
      started: {
        get areGoing() {
          return seen.areGoing;
        },
      },
    } as unknown as PollAttentionOptions;
    attention = pollAttention(options);
  });
  afterEach(() => attention.dispose());

  it('is full while the view is visible in a focused window', () => {
    assert.deepEqual([set({}), set({ isVisible: true })], ['none', 'full']);
    standIn.window.state = { focused: false };
    assert.equal(set({}), 'none');
  });

  it('is slow while only the number of active runs is visible', () => {
    assert.equal(set({ active: 1 }), 'slow');
    standIn.window.state = { focused: false };
    assert.equal(set({}), 'none');
  });

  it('is full while a page is open', () => {
    const [one, other] = [attention.attend(), attention.attend()];
    assert.equal(looks.at(-1), 'full');
    one.dispose();
    assert.equal(looks.at(-1), 'full');
    other.dispose();
    assert.deepEqual(looks, ['full', 'full', 'full', 'none']);
  });
});
