import assert from 'node:assert/strict';
import type * as real from 'vscode';
import type { TreeElement } from '../../../../src/runs/tree/treeElements.ts';
import { editor, memento, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { KeptRows } = await import('../../../../src/runs/host/keptRows.ts');

describe('the rows that were open and selected', () => {
  let kept: ReturnType<typeof memento>;
  let revealed: string[];
  /** So often the editor does not know the row yet. */
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

  it('are open in the next window, the last twenty of them', () => {
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
});
