import assert from 'node:assert/strict';
import type { ChatChunk } from '../../../src/api/schema/inference/schemas.ts';
import { visibleTurns, emptyConversation, type Answer, shownChoice } from '../../../src/chat/conversation.ts';
import type { ConversationEvent } from '../../../src/chat/conversationEvent.ts';
import { ConversationStore, type NumberedEvent } from '../../../src/chat/conversationStore.ts';
import { Drafts } from '../../../src/chat/drafts.ts';
import { History, parseEvents } from '../../../src/chat/history.ts';
import { OpenConversations } from '../../../src/chat/openConversations.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { AppError, isAppError } from '../../../src/shared/errors.ts';
import { type Logger, silentLogger } from '../../../src/shared/log.ts';
import { type FakePorts, fakePorts, textAnswer } from '../../support/chatHarness/fakePorts.ts';
import { MemoryStorage } from '../../support/chatHarness/memoryStorage.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';
import { ask, closeChats, current, open, type Chat } from './openedChat.ts';

interface Window {
  readonly ports: FakePorts;
  readonly conversations: OpenConversations;
  /** What it told, one after the other. */
  readonly told: string[];
}
/** What each test of a suite finds: a storage, a clock, and windows that share both. */
interface ChatWindows {
  storage: MemoryStorage;
  clock: FakeClock;
  logged: string[];
  window(): Window;
  /** Lets time pass, and all that it begins come to its end. */
  pass(ms?: number): Promise<void>;
  /** The conversation on screen begins, with its first message. @returns its id */
  begun(window: Window, text: string): Promise<string>;
  userTurn(text: string): ConversationEvent;
}
function chatWindows(): ChatWindows {
  let [windows, ids]: [Window[], number] = [[], 0];
  let log: Logger;
  const world = {
    window() {
      const { storage, clock } = world;
      const ports = fakePorts({
        clock,
        log,
        history: new History(storage, log),
        drafts: new Drafts(storage, clock, log),
        newId: () => `c${++ids}`,
      });
      const conversations = new OpenConversations(ports);
      const told: string[] = [];
      conversations.onDidApply(({ event }) => told.push(event.type));
      conversations.onDidChange(() => told.push('changed'));
      conversations.onDidReplace(() => told.push('replaced'));
      conversations.onDidFail((error) => told.push(`failed: ${String((error as Error).message)}`));
      windows.push({ ports, conversations, told });
      return { ports, conversations, told };
    },
    async pass(ms = 250) {
      await world.clock.advance(ms);
      for (let turn = 0; turn < 8; turn += 1) await settle();
    },
    async begun({ conversations, ports }: Window, text: string) {
      const store = await conversations.begin(text);
      await store.record(world.userTurn(text));
      await conversations.refreshRecent();
      await ports.drafts.flush();
      return store.conversation.id;
    },
    userTurn: (text: string) => ({ type: 'userAdded', id: `u-${text}`, parentId: null, text, atMs: world.clock.now() }),
  } as ChatWindows;
  beforeEach(() => {
    [windows, ids] = [[], 0];
    Object.assign(world, { storage: new MemoryStorage(), clock: new FakeClock(), logged: [] });
    const note = (level: string) => (text: string) => void world.logged.push(`${level} ${text}`);
    log = { ...silentLogger, debug: note('debug'), warn: note('warn'), error: note('error') };
  });
  afterEach(() => {
    for (const { conversations } of windows) conversations.dispose();
  });
  return world;
}

describe('an open conversation', () => {
  const begun: ConversationEvent[] = [
    { type: 'created', id: 'c', title: 'C', atMs: 10 },
    { type: 'userAdded', id: 'u', parentId: null, text: 'Count.', atMs: 11 },
    { type: 'answerStarted', id: 'a', parentId: 'u', endpoint: 'guide', atMs: 12 },
  ];

  let storage: MemoryStorage;
  let history: History;
  beforeEach(async () => {
    storage = new MemoryStorage();
    history = new History(storage, silentLogger);
    await history.append('c', begun);
  });

  const open = async (): Promise<ConversationStore> =>
    new ConversationStore(await history.load('c'), history, new FakeClock());
  const text = async (): Promise<string | undefined> => {
    const turn = visibleTurns(await new History(storage, silentLogger).load('c')).at(-1);
    return turn?.role === 'assistant' ? turn.choices[0]?.text : undefined;
  };

  it('keeps what a killed program noted until it is recorded, whatever is answered next', async () => {
    const noted = { size: 0, type: 'answerDelta', id: 'a', choices: [{ choice: 0, text: 'one two' }] };
    storage.note('c.tail', `${JSON.stringify(noted)}\n`, true);
    const store = await open();
    // The disk has not taken the record yet when the program is killed again.
    storage.append = () => new Promise(() => undefined);
    void store.answer(
      { id: 'b', parentId: 'u', endpoint: 'guide' },
      () => new Promise<AsyncIterable<ChatChunk>>(() => {}),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(await text(), 'one two');
  });

  it('is not replaced by its file once something of it could not be written', async () => {
    const store = await open();
    let failures = 0;
    store.onDidFailToSave(() => (failures += 1));
    storage.failAppendAfter = 0;
    await store.record({ type: 'userAdded', id: 'v', parentId: 'a', text: 'And then?', atMs: 20 });
    assert.equal(failures, 1);
    // Another window's record.
    await new History(storage, silentLogger).append('c', [{ type: 'renamed', title: 'D', atMs: 21 }]);
    assert.equal(await store.follow(), false);
    assert.deepEqual(
      visibleTurns(store.conversation).map(({ id }) => id),
      ['u', 'a', 'v'],
    );
  });
});

describe('an answer of an open conversation', () => {
  const startMs = 1_000_000;
  const question: ConversationEvent = { type: 'userAdded', id: 'u', parentId: null, text: 'Count.', atMs: 11 };
  const turn = { id: 'a', parentId: 'u', endpoint: 'guide', parameters: { n: 1 }, offersTools: false };
  /** Chunks that a test lets come one by one. */
  class Held implements AsyncIterable<ChatChunk> {
    #next = Promise.withResolvers<IteratorResult<ChatChunk>>();
    wasLeft = false;

    async send(content: string, finish?: string): Promise<void> {
      const choice = { index: 0, delta: { content }, ...(finish !== undefined && { finish_reason: finish }) };
      this.#settle({ done: false, value: { choices: [choice] } });
      await settle();
    }

    async end(): Promise<void> {
      this.#settle({ done: true, value: undefined });
      await settle();
    }

    #settle(result: IteratorResult<ChatChunk>): void {
      const { resolve } = this.#next;
      this.#next = Promise.withResolvers();
      resolve(result);
    }

    [Symbol.asyncIterator](): AsyncIterator<ChatChunk> {
      return {
        next: () => this.#next.promise,
        return: () => {
          this.wasLeft = true;
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    }
  }

  let storage: MemoryStorage;
  let clock: FakeClock;
  let store: ConversationStore;
  let applied: NumberedEvent[];
  let losses: AppError[];
  let held: Held;

  const openStore = (): ConversationStore =>
    new ConversationStore(
      emptyConversation('c', 1),
      new History(storage, silentLogger, { id: 7, isAlive: () => true }),
      clock,
    );
  beforeEach(async () => {
    [storage, clock, held] = [new MemoryStorage(), new FakeClock(startMs), new Held()];
    store = openStore();
    [applied, losses] = [[], []];
    store.onDidApply((event) => applied.push(event));
    store.onDidFailToSave((error) => losses.push(error));
    await store.record(question);
  });
  afterEach(() => store.dispose());

  const begin = async (): Promise<{ status: Promise<unknown> }> => {
    const status = store.answer(turn, async () => held);
    await settle();
    return { status };
  };
  const recorded = (): ConversationEvent[] => parseEvents(storage.files.get('c.jsonl')?.text ?? '').events;
  const lastAnswer = (): Answer => store.conversation.turns.at(-1) as Answer;
  const delta = (text: string, more: object = {}): unknown => ({
    type: 'answerDelta',
    id: 'a',
    choices: [{ choice: 0, text }],
    ...more,
  });

  it('is told piece by piece and written down once a second, with when each thing happened', async () => {
    const { status } = await begin();
    await clock.advance(10);
    await held.send('One');
    await clock.advance(0);
    await clock.advance(40);
    await held.send(', two');
    await clock.advance(16);
    assert.deepEqual(
      recorded().map(({ type }) => type),
      ['userAdded', 'answerStarted'],
    );
    // A second after the first piece, not after the last one.
    await clock.advance(943);
    assert.equal(recorded().length, 2);
    await clock.advance(1);
    const saved = delta('One, two', { atMs: startMs + 10 });
    assert.deepEqual(JSON.parse(JSON.stringify(recorded().slice(2))), [saved]);
    await held.send('.', 'stop');
    await held.end();
    assert.equal(await status, 'done');
    const endedMs = startMs + 1010;
    const rest = { type: 'answerDelta', id: 'a', choices: [{ choice: 0, text: '.', finishReason: 'stop' }] };
    const end = { type: 'answerEnded', id: 'a', status: 'done', atMs: endedMs };
    assert.deepEqual(JSON.parse(JSON.stringify(recorded())), [
      { ...question },
      { type: 'answerStarted', ...turn, atMs: startMs },
      saved,
      rest,
      end,
    ]);
    assert.deepEqual(
      JSON.parse(JSON.stringify(applied)),
      [
        { ...question },
        { type: 'answerStarted', ...turn, atMs: startMs },
        delta('One', { atMs: startMs + 10 }),
        delta(', two'),
        rest,
        end,
      ].map((event, index) => ({ conversationId: 'c', sequence: index + 1, event })),
    );
    assert.deepEqual([store.sequence, store.isStreaming, clock.pending, losses], [6, false, 0, []]);
  });

  it('is refused while another is written, which goes on', async () => {
    await begin();
    await assert.rejects(
      store.answer({ ...turn, id: 'b' }, () => assert.fail('it is not asked')),
      (error: AppError) => {
        assert.deepEqual(
          [error.kind, error.message, error.remedy],
          ['invalid', 'An answer is still in progress.', 'Stop it or wait until it ends.'],
        );
        return true;
      },
    );
    assert.deepEqual([store.isStreaming, store.isWrittenElsewhere, lastAnswer().id], [true, false, 'a']);
    await store.stop();
    assert.equal(lastAnswer().status, 'stopped');
  });

  it('has its start on disk before its request begins', async () => {
    const writing = Promise.withResolvers<void>();
    const { append } = storage;
    storage.append = async (...given) => {
      await writing.promise;
      await append.apply(storage, given);
    };
    let isAsked = false;
    void store.answer(turn, async () => {
      isAsked = true;
      return held;
    });
    await settle();
    assert.equal(isAsked, false);
    writing.resolve();
    await settle();
    assert.equal(isAsked, true);
  });

  it('that is stopped has ended, on disk too, when the stop is done; why is told', async () => {
    await begin();
    await held.send('One');
    await store.stop(new AppError('cutOff', 'The window went.', { remedy: 'Nothing.' }));
    assert.deepEqual(
      [lastAnswer().status, lastAnswer().failure, held.wasLeft, recorded().at(-1)?.type],
      ['cutOff', { kind: 'cutOff', message: 'The window went.', remedy: 'Nothing.' }, true, 'answerEnded'],
    );
    // Nothing is written now: to stop does nothing.
    await store.stop();
    assert.equal(lastAnswer().status, 'cutOff');
  });

  it('that cannot be written down is told of each time, and goes on', async () => {
    const { status } = await begin();
    storage.append = () => Promise.reject(new Error('no space left on device'));
    await held.send('One');
    await clock.advance(1000);
    assert.equal(losses.length, 1, 'a checkpoint');
    await store.record({ type: 'renamed', title: 'T', atMs: 12 });
    assert.equal(losses.length, 2, 'a record');
    await held.send('.', 'stop');
    await held.end();
    assert.equal(await status, 'done');
    assert.equal(losses.length, 3, 'the end');
    assert.deepEqual(
      [...new Set(losses.map(({ kind, message }) => `${kind} ${message}`))],
      ['unavailable The conversation could not be saved: no space left on device'],
    );
    assert.match(losses[0]?.remedy ?? '', /Free some disk space/);
    assert.deepEqual([store.conversation.title, lastAnswer().choices[0]?.text], ['T', 'One.']);
  });

  describe('of another window', () => {
    const elsewhere = (): History => new History(storage, silentLogger, { id: 8, isAlive: () => true });

    it('is followed, as one of that window, until it ends', async () => {
      const other = elsewhere();
      assert.equal(await store.follow(), true, 'the file tells when it began');
      assert.equal(await store.follow(), false, 'nothing is new');
      const sequence = store.sequence;
      await other.append('c', [{ type: 'answerStarted', ...turn, atMs: startMs }]);
      other.sign('c', startMs);
      assert.equal(await store.follow(), true);
      assert.deepEqual([store.isStreaming, store.isWrittenElsewhere, store.sequence], [true, true, sequence + 1]);
      await other.append('c', [{ type: 'answerEnded', id: 'a', status: 'done', atMs: startMs + 1 }]);
      assert.equal(await store.follow(), true);
      assert.deepEqual([store.isStreaming, store.isWrittenElsewhere, lastAnswer().status], [false, false, 'done']);
    });

    it('is cut off once its window has not signed for fifteen seconds', async () => {
      const other = elsewhere();
      await other.append('c', [{ type: 'answerStarted', ...turn, atMs: startMs }]);
      other.sign('c', startMs);
      await clock.advance(14_999);
      await store.follow();
      assert.equal(lastAnswer().status, 'streaming');
      await clock.advance(1);
      await store.follow();
      assert.equal(lastAnswer().status, 'cutOff');
    });
  });
});

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

describe('two windows on one conversation', () => {
  const words = Array.from({ length: 120 }, (_unused, index) => `word${index}`).join(' ');

  let storage: MemoryStorage;
  let alive: Set<number>;
  beforeEach(() => {
    storage = new MemoryStorage();
    alive = new Set();
  });
  afterEach(closeChats);

  /** The files as a window has them, of which nothing comes any more when its process is gone. */
  function filesOf(id: number): MemoryStorage {
    const files = new MemoryStorage();
    files.list = () => storage.list();
    files.read = (name) => storage.read(name);
    files.watch = (onChange) => storage.watch(onChange);
    files.append = (name, text) => (alive.has(id) ? storage.append(name, text) : new Promise(() => undefined));
    files.replace = (name, text) => (alive.has(id) ? storage.replace(name, text) : new Promise(() => undefined));
    files.remove = (name) => (alive.has(id) ? storage.remove(name) : new Promise(() => undefined));
    files.note = (name, text, isFirst) => alive.has(id) && storage.note(name, text, isFirst);
    return files;
  }

  async function window(id: number, remembered?: string): Promise<Chat> {
    let count = 0;
    alive.add(id);
    const ports = fakePorts({
      history: new History(filesOf(id), silentLogger, { id, isAlive: (other) => alive.has(other) }),
      drafts: new Drafts(filesOf(id), systemClock, silentLogger),
      newId: () => `w${id}-${++count}`,
    });
    ports.editor.remembered = remembered;
    ports.backend.answer = textAnswer(words, { delayInMs: 10 });
    return open(ports);
  }

  const answers = (chat: Chat): Answer[] => current(chat).turns.filter((turn) => turn.role === 'assistant');
  const lastText = (chat: Chat): string => {
    const answer = answers(chat).at(-1);
    return (answer && shownChoice(answer)?.text) ?? '';
  };

  async function begun(): Promise<{ first: Chat; second: Chat; finished: Promise<void> }> {
    const first = await window(1);
    const finished = first.finished();
    await first.service.asking.send('Count.');
    await eventually(() => assert.ok(lastText(first).length > 100));
    const second = await window(2, current(first).id);
    return { first, second, finished };
  }

  it('both see an answer come and end, whoever it is written by', async () => {
    const { first, second, finished } = await begun();
    assert.equal(answers(second)[0]?.status, 'streaming');
    const early = lastText(second).length;
    await eventually(() => assert.ok(lastText(second).length > early));
    await finished;
    await eventually(() => assert.equal(answers(second)[0]?.status, 'done'));
    assert.equal(lastText(second), words);
    assert.deepEqual(second.messages.findLast(({ type }) => type === 'snapshot')?.type, 'snapshot');
    const third = await window(3, current(first).id);
    assert.equal(lastText(third), words);
  });

  it('only the one that asked writes: the other says why, and keeps what was typed', async () => {
    const { first, second, finished } = await begun();
    second.service.prompt.change({ text: 'Me too.' });
    for (const act of [
      () => second.service.asking.send('Me too.'),
      () => second.service.asking.stop(),
      () => second.service.asking.regenerate(answers(second)[0]?.id ?? ''),
    ])
      await assert.rejects(act, (error) => isAppError(error) && /Another window is writing/.test(error.message));
    assert.equal(second.service.prompt.draft.text, 'Me too.');
    assert.equal(second.ports.backend.requests.length, 0);
    await finished;
    await eventually(() => assert.equal(answers(second)[0]?.status, 'done'));
    await ask(second, 'Me too.');
    await eventually(() => assert.equal(answers(first).length, 2));
    assert.deepEqual(
      current(first).turns.map(({ id, parentId }) => [id, parentId]),
      current(second).turns.map(({ id, parentId }) => [id, parentId]),
    );
  });

  it('a message that waits in one is asked once, and is seen to be gone in the other', async () => {
    const { first, second, finished } = await begun();
    await first.service.asking.send('And then?');
    await eventually(() =>
      assert.deepEqual(
        second.service.prompt.draft.queue.map(({ text }) => text),
        ['And then?'],
      ),
    );
    // What the other keeps of its own does not bring back what was sent.
    second.service.prompt.change({ text: 'typed elsewhere' });
    await finished;
    await eventually(() => assert.deepEqual(second.service.prompt.draft.queue, []));
    await eventually(() => assert.equal(answers(second).filter(({ status }) => status === 'done').length, 2));
    assert.deepEqual(
      current(second).turns.flatMap((turn) => (turn.role === 'user' ? [turn.text] : [])),
      ['Count.', 'And then?'],
    );
    assert.equal(first.ports.backend.requests.length, 2);
    assert.equal(second.ports.backend.requests.length, 0);
  });

  it('an answer whose window dies ends in the other with what had come', async () => {
    const { first, second } = await begun();
    const seen = lastText(second);
    alive.delete(1);
    assert.ok(current(first).turns.length > 0);
    await eventually(() => assert.equal(answers(second)[0]?.status, 'cutOff'));
    assert.ok(lastText(second).startsWith(seen));
    assert.ok(words.startsWith(lastText(second)), 'nothing twice');
    await ask(second, 'Go on.');
    const third = await window(3, current(second).id);
    assert.equal(answers(third).length, 2);
    assert.ok(words.startsWith(shownChoice(answers(third)[0] as Answer)?.text ?? 'nothing'), 'nothing twice on disk');
  });

  it('an answer that nobody saw is marked in both, also in the next window, until one of them shows it', async () => {
    const { first, second, finished } = await begun();
    const { id } = current(first);
    await first.service.newConversation();
    await second.service.newConversation();
    await finished;
    await eventually(() => assert.deepEqual([first.service.isUnread(id), second.service.isUnread(id)], [true, true]));
    const third = await window(3);
    assert.equal(third.service.isUnread(id), true);
    await second.service.openConversation(id);
    await eventually(() => assert.deepEqual([first.service.isUnread(id), third.service.isUnread(id)], [false, false]));
  });
});
