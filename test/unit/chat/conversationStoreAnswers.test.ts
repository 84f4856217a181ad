import assert from 'node:assert/strict';
import type { ChatChunk } from '../../../src/api/schema/inference/schemas.ts';
import { emptyConversation, type Answer } from '../../../src/chat/conversation.ts';
import type { ConversationEvent } from '../../../src/chat/conversationEvent.ts';
import { ConversationStore, type NumberedEvent } from '../../../src/chat/conversationStore.ts';
import { History, parseEvents } from '../../../src/chat/history.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { MemoryStorage } from '../../support/chatHarness/memoryStorage.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';

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

describe('an answer of an open conversation', () => {
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
          ['invalid', 'An answer is still being written.', 'Stop it or wait for its end.'],
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
