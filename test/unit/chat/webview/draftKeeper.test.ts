import assert from 'node:assert/strict';
import { DraftKeeper, type UnsentDraft } from '../../../../src/chat/webview/draftKeeper.ts';
import { leavePage, pageTimers, usePage } from '../../../support/editorStandIn/page.ts';

describe('what is typed in the chat', () => {
  let sent: unknown[];
  let stored: UnsentDraft;
  let saving: ((value: unknown) => void)[];
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    [sent, stored, saving] = [[], undefined, []];
    pageTimers.length = 0;
  });
  const keeper = (unsent?: UnsentDraft): DraftKeeper =>
    new DraftKeeper(
      ({ atMs: _atMs, ...draft }) => {
        sent.push(draft);
        return new Promise((resolve) => saving.push(resolve));
      },
      (draft) => (stored = draft),
      unsent,
    );
  /** What was sent is on disk. */
  const saved = async (): Promise<void> => {
    for (const resolve of saving.splice(0)) resolve(undefined);
    await Promise.resolve();
    await Promise.resolve();
  };
  const kept = (): unknown => {
    const { atMs: _atMs, ...rest } = stored ?? {};
    return stored && rest;
  };
  const passTime = (): void => {
    for (const work of pageTimers.splice(0)) work();
  };

  it('is handed over at once, and then what came since, some times a second', async () => {
    const drafts = keeper();
    assert.equal(drafts.take({ id: 'a', text: 'old' }), 'old');
    drafts.change({ text: 'w' });
    drafts.change({ text: 'wh' });
    drafts.change({ text: 'why' });
    assert.deepEqual([sent, kept()], [[{ id: 'a', text: 'w' }], { id: 'a', text: 'why' }]);
    await saved();
    assert.deepEqual(kept(), { id: 'a', text: 'why' }, 'the rest is still to be sent');
    passTime();
    assert.deepEqual(
      [sent.slice(1), kept()],
      [[{ id: 'a', text: 'why' }], { id: 'a', text: 'why' }],
      'not on disk yet',
    );
    await saved();
    assert.equal(stored, undefined);
    passTime();
    assert.equal(sent.length, 2);
    drafts.change({ text: 'why?' });
    assert.equal(sent.length, 3);
  });

  it('is kept whole while parts of it are on their way', async () => {
    const drafts = keeper();
    drafts.take({ id: 'a', text: '' });
    drafts.change({ text: 'why' });
    drafts.change({ edit: { turnId: 't', text: 'e' } });
    assert.deepEqual(kept(), { id: 'a', text: 'why', edit: { turnId: 't', text: 'e' } });
    passTime();
    drafts.change({ toolResults: { answerId: 'n', contents: ['5'] } });
    assert.deepEqual(kept(), {
      id: 'a',
      text: 'why',
      edit: { turnId: 't', text: 'e' },
      toolResults: { answerId: 'n', contents: ['5'] },
    });
    passTime();
    await saved();
    assert.equal(stored, undefined);
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

  it('that is on disk since, or was sent after it, is not put back', () => {
    const unsent = { id: 'a', atMs: 1000, text: 'of before' };
    assert.equal(keeper(unsent).take({ id: 'a', text: 'of then', atMs: 1000 }), 'of then');
    assert.equal(keeper(unsent).take({ id: 'a', text: '', atMs: 2000 }), '');
    assert.deepEqual(sent, []);
    assert.equal(keeper(unsent).take({ id: 'a', text: 'older', atMs: 999 }), 'of before');
    assert.deepEqual(sent, [{ id: 'a', text: 'of before' }]);
  });

  it('stays with its conversation where it was not taken over and another came into sight', async () => {
    const drafts = keeper();
    const early = drafts.whileSent(async () => false);
    drafts.take({ id: 'a', text: '' });
    assert.equal(await early, false, 'until one is known, it belongs to the one that comes');
    drafts.change({ text: 'w' });
    drafts.change({ text: 'why' });
    const [there, elsewhere] = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()];
    const stays = drafts.whileSent(() => (sent.push('send'), there.promise));
    assert.deepEqual(sent, [{ id: 'a', text: 'w' }, { id: 'a', text: 'why' }, 'send'], 'first what was typed of it');
    there.resolve(false);
    assert.equal(await stays, false);
    const leaves = drafts.whileSent(() => elsewhere.promise);
    drafts.take({ id: 'b', text: '' });
    assert.equal(drafts.id, 'b');
    elsewhere.resolve(false);
    assert.equal(await leaves, true);
    assert.equal(await drafts.whileSent(async () => true), true);
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
