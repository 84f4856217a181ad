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
  /** Types of the events that fired, in order. */
  readonly told: string[];
}
/** The storage, the clock and the windows of one test; all windows share the storage and the clock. */
interface ChatWindows {
  storage: MemoryStorage;
  clock: FakeClock;
  logged: string[];
  window(): Window;
  /** Starts the conversation on screen with its first message and returns its id. */
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

describe('ConversationStore', () => {
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

  it('keeps the notes of a killed process until they are recorded', async () => {
    const noted = { size: 0, type: 'answerDelta', id: 'a', choices: [{ choice: 0, text: 'one two' }] };
    storage.note('c.tail', `${JSON.stringify(noted)}\n`, true);
    const store = await open();
    // The process is killed again before the record is written.
    storage.append = () => new Promise(() => undefined);
    void store.answer(
      { id: 'b', parentId: 'u', endpoint: 'guide' },
      () => new Promise<AsyncIterable<ChatChunk>>(() => {}),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(await text(), 'one two');
  });

  it('is not replaced by its file after a failed write', async () => {
    const store = await open();
    let failures = 0;
    store.onDidFailToSave(() => (failures += 1));
    storage.failAppendAfter = 0;
    await store.record({ type: 'userAdded', id: 'v', parentId: 'a', text: 'And then?', atMs: 20 });
    assert.equal(failures, 1);
    // Another window appends a record.
    await new History(storage, silentLogger).append('c', [{ type: 'renamed', title: 'D', atMs: 21 }]);
    assert.equal(await store.follow(), false);
    assert.deepEqual(
      visibleTurns(store.conversation).map(({ id }) => id),
      ['u', 'a', 'v'],
    );
  });
});

describe('an answer of a conversation', () => {
  const startMs = 1_000_000;
  const question: ConversationEvent = { type: 'userAdded', id: 'u', parentId: null, text: 'Count.', atMs: 11 };
  const turn = { id: 'a', parentId: 'u', endpoint: 'guide', parameters: { n: 1 }, offersTools: false };
  /** Chunks that the test sends one at a time. */
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

  it('is reported as it arrives and saved once a second, with timestamps', async () => {
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
    // The second starts with the first piece, not with the last.
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

  it('is saved with the reason before a stop completes', async () => {
    await begin();
    await held.send('One');
    await store.stop(new AppError('cutOff', 'The window went.', { remedy: 'Nothing.' }));
    assert.deepEqual(
      [lastAnswer().status, lastAnswer().failure, held.wasLeft, recorded().at(-1)?.type],
      ['cutOff', { kind: 'cutOff', message: 'The window went.', remedy: 'Nothing.' }, true, 'answerEnded'],
    );
    // Stopping again has no effect.
    await store.stop();
    assert.equal(lastAnswer().status, 'cutOff');
  });

  it('continues after failed writes and reports each of them', async () => {
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
});

describe('OpenConversations', () => {
  const world = chatWindows();
  const { window, begun } = world;
  const logged = (): string[] => world.logged;
  /** Opens a window with two conversations; the second is on screen. */
  const ofTwo = async () => {
    const own = window();
    await own.conversations.open();
    const first = await begun(own, 'First');
    await own.conversations.showNew({});
    return { ...own, first, second: await begun(own, 'Second') };
  };

  it('reuses an empty conversation when a new one is requested', async () => {
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

  it('stops the answer of a deleted conversation and shows another conversation', async () => {
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

  describe('in a reopened window', () => {
    const before = async (): Promise<string> => {
      const own = window();
      await own.conversations.open();
      const id = await begun(own, 'First');
      own.conversations.dispose();
      await own.ports.history.settled();
      return id;
    };

    it('shows a new conversation if the last one cannot be read', async () => {
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

  it('stops answers and saves drafts before it closes', async () => {
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

describe('two windows with the same conversation', () => {
  const words = Array.from({ length: 120 }, (_unused, index) => `word${index}`).join(' ');

  let storage: MemoryStorage;
  let alive: Set<number>;
  beforeEach(() => {
    storage = new MemoryStorage();
    alive = new Set();
  });
  afterEach(closeChats);

  /** Returns the shared files as one window sees them. Writes never complete after its process is gone. */
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

  it('both show an answer while it streams', async () => {
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

  it('refuse to send in one window while the other receives an answer, and keep the draft', async () => {
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

  it('send a queued message only once', async () => {
    const { first, second, finished } = await begun();
    await first.service.asking.send('And then?');
    await eventually(() =>
      assert.deepEqual(
        second.service.prompt.draft.queue.map(({ text }) => text),
        ['And then?'],
      ),
    );
    // The draft of the other window must not restore the message.
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

  it('keep the text of an answer whose window died', async () => {
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

  it('share which answers are unread', async () => {
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
