import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
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
  const shown = (rows: InstanceType<typeof KeptRows>, ...ids: string[]): void =>
    rows.shown(view as unknown as real.TreeView<TreeElement>, ids.map(element));
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

  it('are selected once they are there, unless another row is by then or the view is hidden', async () => {
    const first = open();
    editor.events.selection.fire({ selection: [element('run 5')] });
    editor.events.selection.fire({ selection: [] });
    first.dispose();
    const next = open();
    shown(next, 'job 1');
    view.visible = false;
    shown(next, 'run 5');
    assert.deepEqual(revealed, []);
    view.visible = true;
    unknown = 2;
    shown(next, 'job 1', 'run 5');
    while (revealed.length === 0) await pause(10);
    await pause(0);
    shown(next, 'run 5');
    assert.deepEqual([revealed, unknown], [['run 5'], -1], 'once');
    next.dispose();
    const last = open();
    editor.events.selection.fire({ selection: [element('job 9')] });
    shown(last, 'run 5');
    assert.deepEqual(revealed, ['run 5']);
    editor.events.selection.fire({ selection: [element('job 8')] });
    last.dispose();
    const other = open();
    editor.events.expanded.fire({ element: element('job 2') });
    shown(other, 'job 8');
    assert.deepEqual(revealed, ['run 5'], 'whoever opens rows looks for something else by now');
    editor.events.selection.fire({ selection: [element('job 9'), element('job 8')] });
    other.dispose();
    shown(open(), 'job 9');
    assert.deepEqual(revealed, ['run 5'], 'of several rows none');
  });
});
