import assert from 'node:assert/strict';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { editor } from '../../../support/editorStandIn/editorStandIn.ts';

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

  it('turn nothing that follows them by a name that is written from right to left', () => {
    const tree = treeOf();
    const labelOf = (label: string): unknown =>
      tree.getTreeItem({ id: '1', node: { id: '1', kind: 'job', label, context: '' } } as never).label;
    assert.deepEqual(['etl', 'لیلة'].map(labelOf), ['etl', '\u2068لیلة\u2069']);
    tree.dispose();
  });
});
