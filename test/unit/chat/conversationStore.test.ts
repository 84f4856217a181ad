import assert from 'node:assert/strict';
import type { ChatChunk } from '../../../src/api/schema/inference/schemas.ts';
import { visibleTurns } from '../../../src/chat/conversation.ts';
import type { ConversationEvent } from '../../../src/chat/conversationEvent.ts';
import { ConversationStore } from '../../../src/chat/conversationStore.ts';
import { History } from '../../../src/chat/history.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { MemoryStorage } from '../../support/chatHarness/memoryStorage.ts';
import { FakeClock } from '../../support/fakeClock.ts';

const begun: ConversationEvent[] = [
  { type: 'created', id: 'c', title: 'C', atMs: 10 },
  { type: 'userAdded', id: 'u', parentId: null, text: 'Count.', atMs: 11 },
  { type: 'answerStarted', id: 'a', parentId: 'u', endpoint: 'guide', atMs: 12 },
];

describe('an open conversation', () => {
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
