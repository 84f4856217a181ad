import assert from 'node:assert/strict';
import { applyEvent, emptyConversation, type Answer, type Conversation } from '../../../src/chat/conversation.ts';
import type { AnswerDeltaEvent, ConversationEvent } from '../../../src/chat/conversationEvent.ts';
import { History, parseEvents } from '../../../src/chat/history.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { MemoryStorage } from '../../support/chatHarness/memoryStorage.ts';
import { settle } from '../../support/fakeClock.ts';

const begun: ConversationEvent[] = [
  { type: 'created', id: 'c', title: 'T', atMs: 10 },
  { type: 'userAdded', id: 'u', parentId: null, text: 'Why?', atMs: 11 },
  { type: 'answerStarted', id: 'a', parentId: 'u', endpoint: 'guide', atMs: 12 },
];
const piece = (text: string, more: object = {}): AnswerDeltaEvent => ({
  type: 'answerDelta',
  id: 'a',
  choices: [{ choice: 0, text, ...more }],
});
const renamed = (title: string, atMs = 20): ConversationEvent => ({ type: 'renamed', title, atMs });
const answerEnd: ConversationEvent = { type: 'answerEnded', id: 'a', status: 'done', atMs: 30 };

describe("a conversation's files", () => {
  let storage: MemoryStorage;
  let history: History;
  let warned: string[];
  let logged: string[];
  const open = (): History =>
    new History(storage, {
      ...silentLogger,
      warn: (text) => void warned.push(text),
      debug: (text) => void logged.push(text),
    });
  beforeEach(() => {
    [storage, warned, logged] = [new MemoryStorage(), [], []];
    history = open();
  });
  const saved = (): ConversationEvent[] => parseEvents(storage.files.get('c.jsonl')?.text ?? '').events;
  const answerOf = (conversation: Conversation): Answer => conversation.turns.at(-1) as Answer;
  /** Appends wait until they are let go on. */
  const holdAppends = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { append } = storage;
    storage.append = async (...given) => {
      await promise;
      await append.apply(storage, given);
    };
    return resolve;
  };

  it('are read without a word where they are whole, and by their own name', async () => {
    await history.append('c', [{ type: 'created', id: 'other', title: 'T', atMs: 10 }, ...begun.slice(1), answerEnd]);
    const conversation = await history.load('c');
    assert.deepEqual([conversation.id, conversation.createdAtMs, conversation.updatedAtMs, warned], ['c', 10, 30, []]);
    await history.append('d', [...begun.map((event) => ({ ...event }))]);
    const elsewhere = new History(storage, silentLogger, { id: 7, isAlive: () => true });
    elsewhere.sign('d', 1000);
    const reader = new History(storage, silentLogger, { id: 8, isAlive: () => true });
    const written = await reader.load('d', 1000);
    assert.deepEqual([written.id, answerOf(written).status], ['d', 'streaming']);
  });

  it('that lost their beginning are as old as the first time in them', async () => {
    await history.append('c', [piece('lost'), renamed('A', 7), renamed('B', 9)]);
    const { id, title, createdAtMs, updatedAtMs } = await history.load('c');
    assert.deepEqual([id, title, createdAtMs, updatedAtMs], ['c', 'B', 7, 9]);
    await history.append('e', [{ type: 'variantSelected', id: 'x' }]);
    assert.deepEqual(await history.load('e'), emptyConversation('e', 0));
  });

  it('are listed by the last time in them, though the last lines have none', async () => {
    await history.append('c', [...begun, { type: 'variantSelected', id: 'u' }]);
    assert.deepEqual(
      (await history.list()).map(({ updatedAtMs }) => updatedAtMs),
      [12],
    );
  });

  it('that cannot be read are left out of the list, which is said', async () => {
    await history.append('c', begun);
    await history.append('d', begun);
    const { read } = storage;
    storage.read = (name) => (name === 'd.jsonl' ? Promise.reject(new Error('EIO')) : read.call(storage, name));
    assert.deepEqual(
      (await history.list()).map(({ id }) => id),
      ['c'],
    );
    assert.deepEqual(warned, ['Conversation d could not be read and is left out of the list: Error: EIO']);
  });

  it('are written one thing after the other, and read when that is done', async () => {
    const release = holdAppends();
    const done: string[] = [];
    void history.append('c', begun).then(() => done.push('begun'));
    void history.append('c', [renamed('A')]).then(() => done.push('renamed'));
    void history.delete('c').then(() => done.push('deleted'));
    void history.restore('c').then(() => done.push('restored'));
    const loading = history.load('c');
    const settled = history.settled().then(() => done.push('settled'));
    await settle();
    assert.deepEqual([done, storage.files.size], [[], 0]);
    release();
    await settled;
    assert.deepEqual(done, ['begun', 'renamed', 'deleted', 'restored', 'settled']);
    assert.equal((await loading).title, 'A');
  });

  it('are written and read also after something could not be written, which is told to who wrote it', async () => {
    storage.failAppendAfter = 0;
    const failed = history.append('c', begun);
    const later = history.append('c', [renamed('A')]);
    const loading = history.load('c');
    await assert.rejects(failed, /no space left/);
    await later;
    assert.equal((await loading).title, 'A');
    await history.settled();
  });

  it('are not touched by nothing', async () => {
    storage.append = () => assert.fail('nothing is to be written');
    await history.append('c', []);
    assert.equal(storage.files.size, 0);
  });

  it('keep what was noted until the answer ends, whatever else is recorded', async () => {
    await history.append('c', begun);
    const conversation = begun.reduce(applyEvent, emptyConversation('c', 0));
    history.note(conversation, piece('One'));
    await history.append('c', [renamed('A')]);
    assert.ok(storage.files.has('c.tail'));
    const { remove } = storage;
    let isRemoved = false;
    storage.remove = async (name) => {
      await settle();
      await remove.call(storage, name);
      isRemoved = true;
    };
    await history.append('c', [piece('One'), answerEnd]);
    assert.deepEqual([isRemoved, [...storage.files.keys()]], [true, ['c.jsonl']]);
  });

  it('have what was noted of every part of an answer, once', async () => {
    await history.append('c', begun);
    const call = { index: 0, id: 'c1', name: 'list', arguments: '{"a"' };
    const pieces: AnswerDeltaEvent[] = [
      piece('One', { reasoning: 'hm' }),
      piece('', { toolCalls: [call] }),
      piece('', { logprobs: [{ token: 'One', logprob: -1, alternatives: [] }] }),
      piece(', two', { toolCalls: [{ index: 0, arguments: ':1}' }] }),
      piece('.', { finishReason: 'stop' }),
    ];
    let conversation = begun.reduce(applyEvent, emptyConversation('c', 0));
    for (const each of pieces) {
      history.note(conversation, each);
      conversation = applyEvent(conversation, each);
    }
    // The same piece again goes on from something else by now.
    history.note(begun.reduce(applyEvent, emptyConversation('c', 0)), pieces[0] as AnswerDeltaEvent);
    const again = open();
    const loaded = answerOf(await again.load('c'));
    assert.deepEqual(loaded.choices, answerOf(conversation).choices);
    await again.append('c', [renamed('A')]);
    await again.append('c', [renamed('B')]);
    assert.deepEqual(
      saved().map(({ type }) => type),
      [...begun.map(({ type }) => type), ...pieces.map(({ type }) => type), 'renamed', 'renamed'],
    );
  });

  it('have nothing noted of an answer that has ended, nor of another turn', async () => {
    await history.append('c', [...begun, piece('One'), answerEnd]);
    const lines = [
      { size: 3, ...piece(', late') },
      { size: 0, ...piece('x'), id: 'u' },
      { size: 0, ...renamed('noted') },
    ];
    storage.note('c.tail', lines.map((line) => `${JSON.stringify(line)}\n`).join(''), true);
    const conversation = await history.load('c');
    assert.deepEqual(
      [conversation.title, answerOf(conversation).status, answerOf(conversation).choices[0]?.text],
      ['T', 'done', 'One'],
    );
  });

  it('mark only the answer that was being written as cut off', async () => {
    const second: ConversationEvent[] = [
      { type: 'userAdded', id: 'v', parentId: 'a', text: 'And?', atMs: 40 },
      { type: 'answerStarted', id: 'b', parentId: 'v', endpoint: 'guide', atMs: 41 },
    ];
    await history.append('c', [...begun, answerEnd, ...second]);
    const { turns } = await history.load('c');
    assert.deepEqual(
      turns.map((turn) => (turn.role === 'assistant' ? [turn.status, turn.failure] : 'status' in turn)),
      [
        false,
        ['done', undefined],
        false,
        [
          'cutOff',
          {
            kind: 'cutOff',
            message: 'The editor was closed during this answer.',
            remedy: 'The earlier saved version is kept.',
          },
        ],
      ],
    );
  });

  it('take a note of up to a million characters; what cannot be noted is said in the log alone', async () => {
    const conversation = begun.reduce(applyEvent, emptyConversation('c', 0));
    history.note(conversation, piece('x'.repeat(1_000_001)));
    assert.equal(storage.files.size, 0);
    history.note(conversation, piece('x'.repeat(1_000_000)));
    assert.equal(storage.files.size, 1);
    storage.note = () => {
      throw new Error('no space left on device');
    };
    history.note(conversation, piece('y'));
    assert.deepEqual([logged, warned], [['Conversation c could not be noted: Error: no space left on device'], []]);
  });

  it('are removed a day after they were deleted, with what lies beside them, and others are not', async () => {
    const names = [
      'a.jsonl.deleted',
      'a.tail',
      'a.unread',
      'b.jsonl.deleted',
      'b.tail',
      'c.jsonl',
      'c.tail',
      'c.unread',
    ];
    for (const name of names) storage.files.set(name, { text: '', modifiedAtMs: name.startsWith('b') ? 1 : 0 });
    await history.purge(86_399_999);
    assert.deepEqual([...storage.files.keys()], names);
    await history.purge(86_400_000);
    assert.deepEqual([...storage.files.keys()], names.slice(3));
  });
});
