import assert from 'node:assert/strict';
import { DraftKeeper, type UnsentDraft } from '../../../../src/chat/webview/draftKeeper.ts';
import { leavePage, pageTimers, usePage } from '../../../support/editorStandIn/page.ts';

describe('what is typed in the chat', () => {
  let sent: unknown[];
  let stored: UnsentDraft;
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    [sent, stored] = [[], undefined];
    pageTimers.length = 0;
  });
  const keeper = (unsent?: UnsentDraft): DraftKeeper =>
    new DraftKeeper(
      (draft) => sent.push(draft),
      (draft) => (stored = draft),
      unsent,
    );
  const passTime = (): void => {
    for (const work of pageTimers.splice(0)) work();
  };

  it('is handed over at once, and then what came since, some times a second', () => {
    const drafts = keeper();
    assert.equal(drafts.take({ id: 'a', text: 'old' }), 'old');
    drafts.change({ text: 'w' });
    drafts.change({ text: 'wh' });
    drafts.change({ text: 'why' });
    assert.deepEqual([sent, stored], [[{ id: 'a', text: 'w' }], { id: 'a', text: 'why' }]);
    passTime();
    assert.deepEqual([sent.slice(1), stored], [[{ id: 'a', text: 'why' }], undefined]);
    passTime();
    assert.equal(sent.length, 2);
    drafts.change({ text: 'why?' });
    assert.equal(sent.length, 3);
  });

  it('is not lost where it was typed before the first conversation was known', () => {
    const drafts = keeper();
    drafts.change({ text: 'w' });
    drafts.change({ text: 'why' });
    assert.deepEqual(sent, []);
    assert.equal(drafts.take({ id: 'a' }), 'why');
    assert.deepEqual(sent, [{ id: 'a', text: 'why' }]);
    passTime();
    assert.equal(sent.length, 1);
    const kept = keeper();
    kept.change({ text: 'new' });
    assert.equal(kept.take({ id: 'a', text: 'begun' }), 'begun\nnew', 'what was kept is not written over');
    const emptied = keeper();
    emptied.change({ text: 'x' });
    emptied.change({ text: '' });
    assert.equal(emptied.take({ id: 'a', text: 'begun' }), 'begun');
    emptied.flush();
    assert.deepEqual(sent.slice(2), [], 'nothing takes the kept text away');
  });

  it('belongs to the conversation in which it was typed', () => {
    const drafts = keeper();
    drafts.take({ id: 'a', text: '', edit: { turnId: 't', text: 'e' } });
    assert.deepEqual([drafts.editOf('t'), drafts.editOf('u')], ['e', undefined]);
    drafts.change({ text: 'x' });
    drafts.change({ text: 'xy' });
    assert.equal(drafts.take({ id: 'a', text: 'other' }), undefined, 'what is on screen is newer');
    assert.equal(drafts.take({ id: 'b', text: 'of b', toolResults: { answerId: 'n', contents: ['4'] } }), 'of b');
    assert.deepEqual(sent, [
      { id: 'a', text: 'x' },
      { id: 'a', text: 'xy' },
    ]);
    assert.deepEqual([drafts.editOf('t'), drafts.resultsOf('n'), drafts.resultsOf('m')], [undefined, ['4'], []]);
    drafts.change({ toolResults: { answerId: 'n', contents: ['5'] }, edit: { turnId: 't', text: 'f' } });
    assert.deepEqual([drafts.resultsOf('n'), drafts.editOf('t')], [['5'], 'f']);
  });

  it('that the page before could not send any more is neither lost nor put elsewhere', () => {
    const same = keeper({ id: 'a', text: 'newer' });
    assert.equal(same.take({ id: 'a', text: 'older', edit: { turnId: 't', text: 'e' } }), 'newer');
    assert.deepEqual([sent, same.editOf('t')], [[{ id: 'a', text: 'newer' }], 'e']);
    const other = keeper({ id: 'a', text: 'of a' });
    assert.equal(other.take({ id: 'b', text: 'of b' }), 'of b');
    assert.deepEqual(sent.slice(1), [{ id: 'a', text: 'of a' }]);
  });
});
