import assert from 'node:assert/strict';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import type { TreeElement } from '../../../../src/runs/tree/treeElements.ts';
import { assertApproved } from '../../../support/approved.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/fakeClock.ts';
import { inWords } from '../../../support/trail.ts';

const { JobsTree } = await import('../../../../src/runs/host/jobsTree.ts');
type Options = ConstructorParameters<typeof JobsTree>[0];

/** A tree whose model has these details of every row. */
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
    loadAllRuns: async () => undefined,
    isExpanded: (id) => id === 'open',
    shown: () => undefined,
    ...more,
  });
}

describe('the rows of the jobs view, as the editor is given them', () => {
  beforeEach(() => editor.reset());

  it('have every field that was approved, by what the row is of', () => {
    const pointedAt: string[] = [];
    const tree = treeOf({ pointedAt: (id) => pointedAt.push(id) });
    const plain = { label: '*a*', context: 'c', accessibleLabel: 'Row a', profileId: 'p', expandable: false };
    const icon = { id: 'error', color: 'millrace.runFailed' };
    const rows: Record<string, object> = {
      'a job': { kind: 'job', jobId: '1', icon, description: 'Failed', expandable: true },
      'a job that is open': { kind: 'job', jobId: '1', icon, expandable: true, id: 'open' },
      'a job without an id': { kind: 'job', icon },
      'a run': { kind: 'run', jobId: '1', runId: '5', icon, context: 'run terminal' },
      'a run with an icon in no colour': { kind: 'run', runId: '6', icon: { id: 'error' } },
      'a run without an icon': { kind: 'run', runId: '7' },
      'more runs': { kind: 'more', jobId: '1' },
      'a range': { kind: 'range', expandable: true },
      'a message': { kind: 'message', icon: { id: 'info' } },
      'a message that is mended by a look': { kind: 'message', context: 'stale' },
    };
    const told = Object.entries(rows).map(([name, row]) => {
      const element = { id: name, node: { id: name, ...plain, ...row } } as unknown as TreeElement;
      const item = tree.getTreeItem(element);
      pointedAt.length = 0;
      const resolved = tree.resolveTreeItem(item, element);
      assert.equal(resolved, item);
      return `${name}: ${inWords(item)}${pointedAt.map((id) => `, pointed at ${id}`).join('')}\n`;
    });
    assertApproved('jobs-tree-items', told.join(''));
    tree.dispose();
  });

  it('turn nothing that follows them by a name that is written from right to left', () => {
    const tree = treeOf();
    const labelOf = (label: string): unknown =>
      tree.getTreeItem({ id: '1', node: { id: '1', kind: 'job', label, context: '' } } as never).label;
    assert.deepEqual(['etl', 'لیلة'].map(labelOf), ['etl', '\u2068لیلة\u2069']);
    tree.dispose();
  });

  it('at the top are asked for once, by however many calls, and for each look that is asked for after that', async () => {
    let asked = 0;
    const store = new RunStore();
    store.setJobs([], 1);
    const roots = Promise.withResolvers<void>();
    const model = { isByTime: true, roots: () => [], order: '', ranges: () => [] };
    const tree = treeOf({
      store,
      model: () => model as never,
      loadAllRuns: () => {
        asked += 1;
        return roots.promise;
      },
    });
    const both = Promise.all([tree.getChildren(), tree.getChildren()]);
    await settle();
    assert.equal(asked, 1);
    roots.reject(new Error('Away.'));
    const [[first], [second]] = await both;
    assert.deepEqual([first?.node.description, second?.node.description], ['Away.', 'Away.']);
    assert.equal(inWords(first?.node), inWords(second?.node));
    const [again] = await tree.getChildren();
    assert.deepEqual([asked, again?.node.description, again?.id], [1, 'Away.', first?.id]);
    tree.retryFailed();
    await tree.getChildren();
    assert.equal(asked, 2);
    tree.dispose();
  });
});
