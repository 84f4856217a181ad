import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/shared/event.ts';
import { editor, shownTexts, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { holdTrail } from '../../../support/trail.ts';

const { Reviews } = await import('../../../../src/commands/host/editorUi.ts');

describe('a change that waits for a word', () => {
  holdTrail(import.meta.url);
  const now = standIn.Uri.parse('file:///work/a.py');
  const after = standIn.Uri.parse('millrace-compare:/review/1/a.py');
  const changed = new Emitter<{ closed: unknown[] }>();
  let closed: unknown[];
  let reviews: InstanceType<typeof Reviews>;

  beforeEach(() => {
    editor.reset();
    closed = [];
    const input = new standIn.TabInputTextDiff(now, after);
    Object.assign(standIn.window.tabGroups, {
      all: [{ tabs: [{ input }, { input: {} }] }],
      onDidChangeTabs: changed.event,
      close: async (tabs: unknown[]) => void closed.push(...tabs),
    });
    reviews = new Reviews();
  });
  const ask = (): Promise<string | undefined> =>
    reviews.ask([now, after] as never, 'title', 'Really?', ['Apply and Run Again', 'Other']);
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('gets it from its message, and closes its tab', async () => {
    editor.answer = () => 'Other';
    assert.equal(await ask(), 'Other');
    assert.equal(closed.length, 1);
    editor.answer = () => 'Discard';
    assert.equal(await ask(), undefined);
    assert.deepEqual(editor.executed[0], ['vscode.diff', now, after, 'title', { preview: false }]);
  });

  it('shows the words of a model as they are, and no link of theirs', async () => {
    editor.answer = () => 'Discard';
    const actions = ['Apply'];
    await reviews.ask([now, after] as never, 'title', '[all is well](command:workbench.action.quit)', actions);
    assert.deepEqual(shownTexts(), ['information: [all is well] (command:workbench.action.quit) [Apply | Discard]']);
  });

  it('says so where its message is answered after the tab was closed', async () => {
    const late = Promise.withResolvers<string>();
    editor.answer = () => late.promise as never;
    const asked = ask();
    await turn();
    changed.fire({ closed: [{ input: new standIn.TabInputTextDiff(now, after) }] });
    assert.equal(await asked, undefined);
    late.resolve('Apply and Run Again');
    await turn();
    await turn();
    assert.match(editor.shown.at(-1)?.text ?? '', /already decided/);
  });

  it('waits on where the message is put away, and gets it from the title or from the tab that is closed', async () => {
    for (const [act, expected] of [
      [() => reviews.settle(String(after), true), 'Apply and Run Again'],
      [() => reviews.settle(String(after), false), undefined],
      [() => changed.fire({ closed: [{ input: new standIn.TabInputTextDiff(now, after) }] }), undefined],
    ] as const) {
      let answer: string | undefined | null = null;
      void ask().then((given) => (answer = given));
      await turn();
      reviews.settle('millrace-compare:/review/2/a.py', true);
      changed.fire({ closed: [{ input: {} }] });
      await turn();
      assert.equal(answer, null);
      act();
      await turn();
      assert.equal(answer, expected);
      assert.equal(changed.hasListeners, false);
    }
  });
});
