import assert from 'node:assert/strict';
import type { ConversationEvent } from '../../../src/chat/conversationEvent.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { type Logger, silentLogger } from '../../../src/shared/log.ts';
import { MemoryStorage } from '../../support/chatHarness/memoryStorage.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';
import { openWindow, type Window } from './chatWindows.ts';

describe('the conversations in memory', () => {
  let storage: MemoryStorage;
  let clock: FakeClock;
  let logged: string[];
  let log: Logger;
  let windows: Window[];
  let ids: number;

  beforeEach(() => {
    [storage, clock, logged, windows, ids] = [new MemoryStorage(), new FakeClock(), [], [], 0];
    const note = (level: string) => (text: string) => void logged.push(`${level} ${text}`);
    log = { ...silentLogger, debug: note('debug'), warn: note('warn'), error: note('error') };
  });
  afterEach(() => {
    for (const { conversations } of windows) conversations.dispose();
  });

  const window = (): Window => {
    const opened = openWindow(storage, clock, log, () => `c${++ids}`);
    windows.push(opened);
    return opened;
  };
  const pass = async (ms = 250): Promise<void> => {
    await clock.advance(ms);
    for (let turn = 0; turn < 8; turn += 1) await settle();
  };
  /** A conversation that has begun, with its first words. */
  const begun = async ({ conversations }: Window, text: string): Promise<string> => {
    const store = await conversations.begin(text);
    await store.record(userTurn(text));
    await conversations.refreshRecent();
    return store.conversation.id;
  };
  const userTurn = (text: string): ConversationEvent =>
    ({
      type: 'userAdded',
      id: `u-${text}`,
      parentId: null,
      text,
      attachments: [],
      toolResults: [],
      atMs: clock.now(),
    }) as never;

  it('begin with one that does not exist yet, under an id of its own', async () => {
    const { conversations } = window();
    assert.deepEqual([conversations.currentId, conversations.current, conversations.recent], ['c1', undefined, []]);
    await conversations.open();
    assert.deepEqual([conversations.currentId, conversations.draft.text], ['c1', '']);
  });

  it('begin with what was chosen for them, which is then no draft any more', async () => {
    const own = window();
    const { conversations, ports, told } = own;
    await conversations.open();
    void ports.drafts.change('c1', { text: 'why', endpoint: 'm', task: 'completion', parameters: { temperature: 1 } });
    const store = await conversations.begin('Why so slow?');
    const { id, title, profile, endpoint, task, parameters } = store.conversation;
    assert.deepEqual(
      { id, title, profile, endpoint, task, parameters },
      {
        id: 'c1',
        title: 'Why so slow?',
        profile: { id: 'local', name: 'Local' },
        endpoint: 'm',
        task: 'completion',
        parameters: { temperature: 1 },
      },
    );
    assert.deepEqual(told, ['created', 'endpointChosen', 'parametersChanged']);
    const { text, ...draft } = conversations.draft;
    assert.deepEqual([text, draft.endpoint, draft.task, draft.parameters], ['why', undefined, undefined, undefined]);
    assert.deepEqual(
      [conversations.current === store, conversations.get('c1') === store, ports.editor.remembered],
      [true, true, 'c1'],
    );
    const plain = window();
    await plain.conversations.begin('Plain');
    assert.deepEqual(plain.told, ['created']);
  });

  it('are read once, and told of only while they are on screen', async () => {
    const own = window();
    const { conversations, told } = own;
    await conversations.open();
    const first = await begun(own, 'First');
    await conversations.showNew({});
    const second = await begun(own, 'Second');
    assert.notEqual(first, second);
    const loaded = await conversations.load(first);
    assert.equal(await conversations.load(first), loaded);
    told.length = 0;
    await loaded.record({ type: 'renamed', title: 'Other', atMs: 1 });
    assert.deepEqual(told, []);
    await conversations.current?.record({ type: 'renamed', title: 'This', atMs: 1 });
    assert.deepEqual(told, ['renamed']);
    const other = window();
    const [one, again] = await Promise.all([other.conversations.load(first), other.conversations.load(first)]);
    assert.equal(one, again, 'loaded twice at once; the first one wins');
  });

  it('are shown with their draft, and remembered; what was begun in the one before becomes a conversation', async () => {
    const own = window();
    const { conversations, ports } = own;
    await conversations.open();
    const first = await begun(own, 'First');
    storage.files.set(`${first}.draft.json`, { text: '{"text":"more","attachments":[],"queue":[]}', modifiedAtMs: 0 });
    await conversations.showNew({});
    const left = conversations.currentId;
    void ports.drafts.change(left, { text: '', attachments: [{ label: 'a.py', text: 'x' }] });
    const other = window();
    await other.conversations.open();
    await conversations.show(first);
    assert.deepEqual([conversations.currentId, ports.editor.remembered], [first, first]);
    assert.equal(conversations.get(left)?.conversation.title, 'a.py');
    assert.equal(storage.files.has(`${left}.draft.json`), true);
    await other.conversations.show(first);
    assert.equal(other.conversations.draft.text, 'more');
    await assert.rejects(conversations.show('gone'));
    assert.equal(conversations.currentId, first, 'what cannot be read is not shown');
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

  it('lead those before by their last change, and leave out those without content', async () => {
    const own = window();
    const { conversations, told } = own;
    await conversations.open();
    await conversations.begin('Empty');
    await conversations.refreshRecent();
    assert.deepEqual(conversations.recent, []);
    await conversations.current?.record(userTurn('x'));
    await conversations.refreshRecent();
    assert.deepEqual(
      conversations.recent.map(({ id }) => id),
      ['c1'],
    );
    told.length = 0;
    storage.list = () => Promise.reject(new Error('disk gone'));
    await conversations.refreshRecent();
    assert.deepEqual(
      conversations.recent.map(({ id }) => id),
      ['c1'],
      'what was known stays',
    );
    assert.deepEqual(
      [told, logged.filter((line) => line.startsWith('warn'))],
      [['failed: disk gone'], ['warn The conversations could not be listed: disk gone']],
    );
  });

  it('are unread where an answer ended that nobody looked at, until they are shown', async () => {
    const own = window();
    const { conversations, told } = own;
    await conversations.open();
    const first = await begun(own, 'First');
    await conversations.showNew({});
    const second = await begun(own, 'Second');
    told.length = 0;
    await conversations.answered(second);
    assert.deepEqual([conversations.isUnread(second), told], [false, []]);
    await conversations.answered(first);
    assert.deepEqual([conversations.isUnread(first), conversations.isUnread(second), told], [true, false, ['changed']]);
    assert.equal(storage.files.has(`${first}.unread`), true);
    await conversations.show(first);
    assert.deepEqual([conversations.isUnread(first), storage.files.has(`${first}.unread`)], [false, false]);
    storage.note = () => {
      throw new Error('full');
    };
    await conversations.answered(second);
    assert.ok(logged.includes(`debug Conversation ${second} could not be marked: full`));
  });

  it('are deleted with their answers ended, and another is on screen then', async () => {
    const own = window();
    const { conversations } = own;
    await conversations.open();
    const first = await begun(own, 'First');
    await conversations.showNew({});
    const second = await begun(own, 'Second');
    const store = await conversations.load(first);
    let isStopped = false;
    const { stop } = store;
    store.stop = (...given) => ((isStopped = true), stop.apply(store, given));
    await conversations.delete(first);
    assert.deepEqual([isStopped, conversations.get(first), conversations.currentId], [true, undefined, second]);
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

  it('say what could not be saved', async () => {
    const own = window();
    await own.conversations.open();
    await begun(own, 'First');
    own.told.length = 0;
    storage.failAppendAfter = 0;
    await own.conversations.current?.record({ type: 'renamed', title: 'x', atMs: 1 });
    await pass();
    assert.ok(
      own.told.some((each) => each.startsWith('failed: ')),
      own.told.join(),
    );
    assert.ok(logged.some((line) => line.startsWith('error ')));
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
      storage.files.set(`${id}.draft.json`, { text: '{"text":"more","attachments":[],"queue":[]}', modifiedAtMs: 0 });
      const { conversations, ports } = window();
      ports.editor.remembered = id;
      await Promise.all([conversations.open(), conversations.open()]);
      assert.deepEqual(
        [conversations.currentId, conversations.current?.conversation.title, conversations.draft.text],
        [id, 'First', 'more'],
      );
      await conversations.showNew({});
      await conversations.open();
      assert.notEqual(conversations.currentId, id);
    });

    it('are the one that never began, if something was typed into it', async () => {
      await before();
      storage.files.set('never.draft.json', {
        text: '{"text":"half","attachments":[],"queue":[]}',
        modifiedAtMs: clock.now(),
      });
      storage.files.set('empty.draft.json', {
        text: '{"text":"","attachments":[],"queue":[]}',
        modifiedAtMs: clock.now(),
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
        [told, logged.at(-1)],
        [['failed: damaged'], 'warn The last conversation could not be opened: damaged'],
      );
    });

    it('lose what was deleted long ago, drafts too', async () => {
      const old = clock.now() - 90 * 24 * 60 * 60 * 1000;
      storage.files.set('gone.jsonl.deleted', { text: '', modifiedAtMs: old });
      storage.files.set('never.draft.json', { text: '{}', modifiedAtMs: old });
      await window().conversations.open();
      assert.deepEqual([...storage.files.keys()], []);
      storage.list = () => Promise.reject(new Error('no'));
      await window().conversations.open();
      assert.ok(logged.includes('warn Deleted conversations could not be removed: no'));
    });
  });

  describe('of another window', () => {
    const both = async (): Promise<[here: Window, there: Window, id: string]> => {
      const here = window();
      await here.conversations.open();
      const id = await begun(here, 'First');
      const there = window();
      await there.conversations.open();
      await there.conversations.show(id);
      await pass();
      here.told.length = there.told.length = 0;
      return [here, there, id];
    };

    it('are followed a quarter of a second after they were written', async () => {
      const [here, there] = await both();
      await there.conversations.current?.record({ type: 'renamed', title: 'There', atMs: 1 });
      await pass(249);
      assert.deepEqual([here.told, here.conversations.current?.conversation.title], [[], 'First']);
      await pass(1);
      assert.deepEqual([here.told, here.conversations.current?.conversation.title], [['replaced'], 'There']);
    });

    it('change what is attached and queued, and which are unread', async () => {
      const [here, there, id] = await both();
      void there.ports.drafts.change(id, { attachments: [{ label: 'b.py', text: 'y' }] });
      await there.ports.drafts.flush();
      await pass();
      assert.deepEqual([here.told, here.conversations.draft.attachments.length], [['changed'], 1]);
      here.told.length = 0;
      await there.ports.history.markUnread('another', true);
      await pass();
      assert.deepEqual(here.told, ['changed']);
    });

    it('mark none as unread that is on screen here', async () => {
      const [here, there, id] = await both();
      await there.conversations.showNew({});
      await there.conversations.answered(id);
      assert.equal(storage.files.has(`${id}.unread`), true);
      await pass();
      assert.deepEqual([here.conversations.isUnread(id), storage.files.has(`${id}.unread`)], [false, false]);
    });

    it('are no matter of this one where it shows another', async () => {
      const [here, there] = await both();
      await here.conversations.showNew({});
      await pass();
      here.told.length = 0;
      await there.conversations.current?.record({ type: 'renamed', title: 'There', atMs: 1 });
      // A name that only begins like it is another's.
      storage.note(`${here.conversations.currentId}0.jsonl`, '', true);
      await pass();
      assert.deepEqual([here.told, clock.pending], [[], 0]);
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
    await conversations.close(reason);
    assert.deepEqual([reasons, storage.files.has(`${first}.draft.json`)], [[reason], true]);
  });

  it('are over once the window is gone', async () => {
    const own = window();
    const { conversations, told } = own;
    await conversations.open();
    const id = await begun(own, 'First');
    await pass();
    storage.note(`${id}.jsonl`, '', false);
    assert.equal(clock.pending, 1);
    conversations.dispose();
    assert.equal(clock.pending, 0);
    told.length = 0;
    storage.note(`${id}.jsonl`, '', false);
    assert.deepEqual([clock.pending, conversations.current, told], [0, undefined, []]);
  });
});
