import assert from 'node:assert/strict';
import { applyEvent, emptyConversation, type Answer, type Conversation } from '../../../src/chat/conversation.ts';
import type { AnswerDeltaEvent, ConversationEvent } from '../../../src/chat/conversationEvent.ts';
import { History, parseEvents } from '../../../src/chat/history.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { MemoryStorage } from '../../support/chatHarness/memoryStorage.ts';

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
            message: 'The editor was closed while this answer was being written.',
            remedy: 'What had been saved is kept.',
          },
        ],
      ],
    );
  });
});
