import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type * as real from 'vscode';
import type { TreeElement } from '../../../../src/runs/tree/treeElements.ts';
import { editor, memento, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { KeptRows } = await import('../../../../src/runs/host/jobsView.ts');

describe('the rows that were open and selected', () => {
  holdTrail(import.meta.url);
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

  it('are none where what was kept is damaged', () => {
    kept.values['millrace.jobs.expanded'] = { length: 1 };
    kept.values['millrace.jobs.selected'] = 7;
    const rows = open();
    shown(rows, 'job 1');
    assert.deepEqual([rows.isExpanded('job 1'), revealed], [false, []]);
  });

  it('are looked for twenty times, a tenth of a second apart, and not after that nor in a window that closes', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const passing = async (durationInMs: number): Promise<number> => {
      const before = unknown;
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      mock.timers.tick(durationInMs);
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      return before - unknown;
    };
    try {
      kept.values['millrace.jobs.selected'] = 'run 5';
      const rows = open();
      unknown = 1000;
      shown(rows, 'run 5');
      assert.equal(unknown, 999);
      assert.deepEqual([await passing(99), await passing(1)], [0, 1]);
      for (let attempt = 0; attempt < 30; attempt += 1) await passing(100);
      assert.equal(unknown, 980);
      shown(rows, 'run 5');
      await passing(0);
      shown(rows, 'run 5');
      assert.deepEqual([await passing(100), unknown], [1, 977], 'drawn again it is looked for anew, by one timer');
      view.visible = false;
      await passing(100);
      assert.equal(unknown, 977, 'a view that is hidden meanwhile is not opened');
      view.visible = true;
      shown(rows, 'run 5');
      rows.dispose();
      await passing(100);
      assert.deepEqual([unknown, revealed], [976, []]);
      const next = open();
      unknown = 1;
      shown(next, 'run 5');
      editor.events.selection.fire({ selection: [element('job 1')] });
      await passing(100);
      assert.deepEqual(revealed, [], 'another row was selected meanwhile');
      next.dispose();
    } finally {
      mock.timers.reset();
    }
  });
});
