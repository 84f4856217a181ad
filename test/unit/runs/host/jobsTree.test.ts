import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { plainArrangement, type Arrangement } from '../../../../src/runs/tree/arrangement.ts';
import type { TreeElement } from '../../../../src/runs/tree/treeElements.ts';
import { TreeModel } from '../../../../src/runs/tree/treeModel.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';

const { JobsTree, registerOpenRow } = await import('../../../../src/runs/host/jobsTree.ts');

const ended = { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: '<b> & [x](command:y)' };

describe('the tree of jobs in the editor', () => {
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
        [{ run_id: '5', job_id: '1', number_in_job: '1', run_type: 'JOB_RUN', state: ended }],
        true,
        Date.now(),
      );
    expanded = new Set();
    shown = [];
    tree = new JobsTree({
      store,
      model: () => model,
      firstPoll: () => looks.promise,
      ready: async () => void (readied += 1),
      pointedAt: (id) => pointedAt.push(id),
      loadRuns: (id) => loadRuns(id),
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

  it('draws a row with its name, icon, words for screen readers and what its menus go by', async () => {
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
    // What a command is given is lost while its row is drawn anew.
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

  it('says that rows are not current, and refreshes on a click there', async () => {
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

  it("puts a server's words into the tooltip as text, and asks first for the job that is pointed at", async () => {
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

  it('says in place of the runs why they could not be loaded, and asks again when told to', async () => {
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

  it('draws changes that come together once, only the rows that changed, and none after its end', async () => {
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
