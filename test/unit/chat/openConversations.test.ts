import assert from 'node:assert/strict';
import { AppError } from '../../../src/shared/errors.ts';
import { settle } from '../../support/fakeClock.ts';
import { chatWindows } from './chatWindows.ts';

describe('the conversations in memory', () => {
  const world = chatWindows();
  const { window, pass, begun } = world;
  const logged = (): string[] => world.logged;
  /** A window with two conversations; the second is on screen. */
  const ofTwo = async () => {
    const own = window();
    await own.conversations.open();
    const first = await begun(own, 'First');
    await own.conversations.showNew({});
    return { ...own, first, second: await begun(own, 'Second') };
  };

  it('are shown with their draft, and remembered; what was begun in the one before becomes a conversation', async () => {
    const own = window();
    const { conversations, ports } = own;
    await conversations.open();
    const first = await begun(own, 'First');
    world.storage.files.set(`${first}.draft.json`, {
      text: '{"text":"more","attachments":[],"queue":[]}',
      modifiedAtMs: 0,
    });
    await conversations.showNew({});
    const left = conversations.currentId;
    void ports.drafts.change(left, { text: '', attachments: [{ label: 'a.py', text: 'x' }] });
    const other = window();
    await other.conversations.open();
    await conversations.show(first);
    assert.deepEqual([conversations.currentId, ports.editor.remembered], [first, first]);
    assert.equal(conversations.get(left)?.conversation.title, 'a.py');
    assert.equal(world.storage.files.has(`${left}.draft.json`), true);
    await other.conversations.show(first);
    assert.equal(other.conversations.draft.text, 'more');
    await conversations.showNew({});
    const begunId = conversations.currentId;
    void ports.drafts.change(begunId, { text: 'half' });
    await assert.rejects(conversations.show('gone'));
    assert.deepEqual([conversations.currentId, conversations.get(begunId)], [begunId, undefined]);
    // One that exists keeps its title, whatever is begun in it.
    await conversations.show(first);
    void ports.drafts.change(first, { text: 'more words' });
    await conversations.show(left);
    assert.equal(conversations.get(first)?.conversation.title, 'First');
  });

  it('are new when one is asked for, but stay the one that has not begun', async () => {
    const own = window();
    const { conversations, ports } = own;
    await conversations.open();
    await conversations.showNew({ endpoint: 'm' });
    assert.deepEqual(
      [conversations.currentId, conversations.draft.endpoint, ports.editor.remembered],
      ['c1', 'm', 'c1'],
    );
    void ports.drafts.change('c1', { parameters: { n: 2 }, task: 'embedding' });
    await conversations.showNew({});
    const { endpoint, parameters, task } = conversations.draft;
    assert.deepEqual([conversations.currentId, endpoint, parameters, task], ['c1', undefined, undefined, undefined]);
    await begun(own, 'First');
    await conversations.showNew({});
    assert.deepEqual([conversations.currentId, ports.drafts.has('c2'), ports.editor.remembered], ['c2', false, 'c2']);
    assert.deepEqual(
      conversations.recent.map(({ title }) => title),
      ['First'],
    );
  });

  it('are unread where an answer ended that nobody looked at, until they are shown', async () => {
    const { conversations, told, first, second } = await ofTwo();
    told.length = 0;
    await pass();
    await conversations.answered(second);
    assert.deepEqual(
      [conversations.isUnread(second), told, world.clock.pending],
      [false, [], 1],
      'another may have written',
    );
    await conversations.answered(first);
    assert.deepEqual([conversations.isUnread(first), conversations.isUnread(second), told], [true, false, ['changed']]);
    assert.equal(world.storage.files.has(`${first}.unread`), true);
    await conversations.show(first);
    assert.deepEqual([conversations.isUnread(first), world.storage.files.has(`${first}.unread`)], [false, false]);
    world.storage.note = () => {
      throw new Error('full');
    };
    await conversations.answered(second);
    assert.ok(logged().includes(`debug Conversation ${second} could not be marked: full`));
  });

  it('are deleted with their answers ended, and another is on screen then', async () => {
    const { conversations, first, second } = await ofTwo();
    const store = await conversations.load(first);
    const done: string[] = [];
    const { stop, dispose } = store;
    store.stop = (...given) => (done.push('stopped'), stop.apply(store, given));
    store.dispose = () => (done.push('disposed'), dispose.call(store));
    await conversations.delete(first);
    assert.deepEqual(
      [done.join(), conversations.get(first), conversations.currentId],
      ['stopped,disposed', undefined, second],
    );
    assert.deepEqual(
      conversations.recent.map(({ id }) => id),
      [second],
    );
    await conversations.delete(second);
    assert.deepEqual(
      [conversations.current, conversations.recent, conversations.currentId === second],
      [undefined, [], false],
    );
  });

  describe('of a window that comes back', () => {
    const before = async (): Promise<string> => {
      const own = window();
      await own.conversations.open();
      const id = await begun(own, 'First');
      own.conversations.dispose();
      await own.ports.history.settled();
      return id;
    };

    it('are shown as they were, once', async () => {
      const id = await before();
      world.storage.files.set(`${id}.draft.json`, {
        text: '{"text":"more","attachments":[],"queue":[]}',
        modifiedAtMs: 0,
      });
      const { conversations, ports } = window();
      ports.editor.remembered = id;
      await Promise.all([conversations.open(), conversations.open()]);
      assert.deepEqual(
        [conversations.currentId, conversations.current?.conversation.title, conversations.draft.text],
        [id, 'First', 'more'],
      );
      assert.equal(world.clock.pending, 1, 'it may be another by now');
      await conversations.showNew({});
      ports.editor.remembered = id;
      await conversations.open();
      assert.notEqual(conversations.currentId, id);
    });

    it('are the one that never began, if something was typed into it', async () => {
      await before();
      world.storage.files.set('never.draft.json', {
        text: '{"text":"half","attachments":[],"queue":[]}',
        modifiedAtMs: world.clock.now(),
      });
      world.storage.files.set('empty.draft.json', {
        text: '{"text":"","attachments":[],"queue":[]}',
        modifiedAtMs: world.clock.now(),
      });
      const [typed, empty] = [window(), window()];
      typed.ports.editor.remembered = 'never';
      empty.ports.editor.remembered = 'empty';
      await typed.conversations.open();
      await empty.conversations.open();
      assert.deepEqual([typed.conversations.currentId, typed.conversations.draft.text], ['never', 'half']);
      assert.notEqual(empty.conversations.currentId, 'empty');
    });

    it('are new where the last one cannot be read, which is told', async () => {
      const id = await before();
      const { conversations, ports, told } = window();
      ports.editor.remembered = id;
      const { load } = ports.history;
      ports.history.load = () => Promise.reject(new Error('damaged'));
      await conversations.open();
      ports.history.load = load;
      assert.notEqual(conversations.currentId, id);
      assert.deepEqual(
        [told, logged().at(-1)],
        [['failed: damaged'], 'warn The last conversation could not be opened: damaged'],
      );
    });
  });

  it('end their answers with the reason, and are on disk then', async () => {
    const own = window();
    const { conversations, ports } = own;
    await conversations.open();
    const first = await begun(own, 'First');
    const store = await conversations.load(first);
    const reasons: unknown[] = [];
    store.stop = (reason) => (reasons.push(reason), Promise.reject(new Error('too late')));
    void ports.drafts.change(first, { text: 'half' });
    const reason = new AppError('aborted', 'The window closes.');
    let isSettled = false;
    ports.history.settled = async () => {
      await settle();
      isSettled = true;
    };
    await conversations.close(reason);
    assert.deepEqual([isSettled, reasons, world.storage.files.has(`${first}.draft.json`)], [true, [reason], true]);
  });
});
