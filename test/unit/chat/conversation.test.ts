import assert from 'node:assert/strict';
import {
  applyEvent,
  emptyConversation,
  pathTo,
  shownChoice,
  streamingAnswer,
  titleOf,
  variantsOf,
  visibleTurns,
  type Answer,
  type Conversation,
} from '../../../src/chat/conversation.ts';
import type { ConversationEvent } from '../../../src/chat/conversationEvent.ts';

const user = (id: string, parentId: string | null, text = id): ConversationEvent => ({
  type: 'userAdded',
  id,
  parentId,
  text,
  atMs: 1,
});
const answer = (id: string, parentId: string): ConversationEvent => ({
  type: 'answerStarted',
  id,
  parentId,
  endpoint: 'guide',
  atMs: 2,
});

const delta = (
  choices: Extract<ConversationEvent, { type: 'answerDelta' }>['choices'],
  more: { usage?: { total_tokens: number } } = {},
): ConversationEvent => ({ type: 'answerDelta', id: 'a1', choices, ...more });

function after(...events: ConversationEvent[]): Conversation {
  return events.reduce(applyEvent, emptyConversation('c', 0));
}

const ids = (conversation: Conversation): string[] => visibleTurns(conversation).map((turn) => turn.id);

describe('the title of a conversation', () => {
  for (const [text, title] of [
    ['Why?', 'Why?'],
    ['\n  Why? \r\nBecause.', 'Why?'],
    ['', ''],
    ['a'.repeat(60), 'a'.repeat(60)],
    ['a'.repeat(61), `${'a'.repeat(59)}…`],
    [`${'a'.repeat(58)} bcd`, `${'a'.repeat(58)}…`],
  ] as const)
    it(`is ${JSON.stringify(title)} of ${JSON.stringify(text)}`, () => assert.equal(titleOf(text), title));
});

describe('conversation', () => {
  it('follows one branch and shows a new turn at once', () => {
    assert.deepEqual(ids(after(user('u1', null), answer('a1', 'u1'), user('u2', 'a1'))), ['u1', 'a1', 'u2']);
  });

  it('keeps the old branch when a message is edited, and switches back to all of it', () => {
    const edited = after(
      user('u1', null),
      answer('a1', 'u1'),
      user('u2', 'a1'),
      user('u1b', null),
      answer('a1b', 'u1b'),
    );
    assert.deepEqual(ids(edited), ['u1b', 'a1b']);
    const [first] = visibleTurns(edited);
    assert.deepEqual(first && variantsOf(edited, first).map((turn) => turn.id), ['u1', 'u1b']);
    assert.deepEqual(ids(applyEvent(edited, { type: 'variantSelected', id: 'u1' })), ['u1', 'a1', 'u2']);
  });

  it('shows the newest of several where none is marked, or one that is not there', () => {
    const turns = after(user('u1', null), answer('a1', 'u1'), answer('a2', 'u1'));
    for (const shown of [[], [{ parentId: 'u1', childId: 'gone' }], [{ parentId: '', childId: 'a1' }]])
      assert.deepEqual(ids({ ...turns, shown }), ['u1', 'a2']);
    assert.deepEqual(ids({ ...turns, shown: [{ parentId: 'u1', childId: 'a1' }] }), ['u1', 'a1']);
  });

  it('knows the answer that is written, wherever it is', () => {
    const written = after(user('u1', null), answer('a1', 'u1'), user('u1b', null));
    assert.equal(streamingAnswer(written)?.id, 'a1');
    const ended = applyEvent(written, { type: 'answerEnded', id: 'a1', status: 'done', atMs: 3 });
    assert.equal(streamingAnswer(ended), undefined);
  });

  it('keeps each answer to the same question as a variant', () => {
    const conversation = after(user('u1', null), answer('a1', 'u1'), answer('a2', 'u1'));
    assert.deepEqual(ids(conversation), ['u1', 'a2']);
    assert.deepEqual(ids(applyEvent(conversation, { type: 'variantSelected', id: 'a1' })), ['u1', 'a1']);
    assert.deepEqual(
      pathTo(conversation, 'a1').map((turn) => turn.id),
      ['u1', 'a1'],
    );
  });

  it('appends deltas of several choices, joins tool calls by index and keeps the last usage', () => {
    const conversation = after(
      user('u1', null),
      answer('a1', 'u1'),
      delta([
        { choice: 1, text: 'B' },
        { choice: 0, text: 'A', toolCalls: [{ index: 0, id: 'x', name: 'get', arguments: '{"a"' }] },
      ]),
      {
        type: 'answerDelta',
        id: 'a1',
        model: 'm',
        choices: [
          {
            choice: 0,
            text: 'a',
            toolCalls: [
              { index: 1, id: 'y', name: 'put' },
              { index: 0, arguments: ':1}' },
            ],
            finishReason: 'stop',
          },
        ],
        usage: { total_tokens: 3 },
      },
      { type: 'answerDelta', id: 'a1', choices: [], usage: { total_tokens: 5 } },
      { type: 'answerEnded', id: 'a1', status: 'done', atMs: 9 },
    );
    const [, turn] = visibleTurns(conversation) as [unknown, Answer];
    assert.deepEqual(turn, {
      role: 'assistant',
      id: 'a1',
      parentId: 'u1',
      endpoint: 'guide',
      model: 'm',
      status: 'done',
      shownChoice: 0,
      createdAtMs: 2,
      endedAtMs: 9,
      failure: undefined,
      usage: { total_tokens: 5 },
      choices: [
        {
          choice: 0,
          text: 'Aa',
          finishReason: 'stop',
          logprobs: [],
          toolCalls: [
            { index: 0, id: 'x', name: 'get', arguments: '{"a":1}' },
            { index: 1, id: 'y', name: 'put', arguments: '' },
          ],
        },
        { choice: 1, text: 'B', finishReason: undefined, logprobs: [], toolCalls: [] },
      ],
    });
  });

  it('goes on from the choice that is shown', () => {
    const conversation = after(
      user('u1', null),
      answer('a1', 'u1'),
      delta([
        { choice: 0, text: 'A' },
        { choice: 1, text: 'B' },
      ]),
      { type: 'choiceSelected', id: 'a1', choice: 1 },
      { type: 'choiceSelected', id: 'a1', choice: 7 },
    );
    assert.equal(shownChoice(visibleTurns(conversation)[1] as Answer)?.text, 'B');
  });

  it('passes over what does not fit instead of failing', () => {
    const before = after(user('u1', null));
    const odd: ConversationEvent[] = [
      user('u1', null),
      user('u2', 'missing'),
      answer('a', 'missing'),
      { type: 'answerDelta', id: 'missing', choices: [] },
      { type: 'answerDelta', id: 'u1', choices: [{ choice: 0, text: 'x' }] },
      { type: 'answerEnded', id: 'missing', status: 'done', atMs: 3 },
      { type: 'variantSelected', id: 'missing' },
      { type: 'choiceSelected', id: 'missing', choice: 0 },
    ];
    assert.deepEqual(odd.reduce(applyEvent, before), before);
  });

  it('never changes its input and is its own snapshot', () => {
    const before = after(user('u1', null), answer('a1', 'u1'));
    const text = JSON.stringify(before);
    applyEvent(before, { type: 'answerDelta', id: 'a1', choices: [{ choice: 0, text: 'x' }] });
    applyEvent(before, user('u2', 'a1'));
    assert.equal(JSON.stringify(before), text);
    assert.deepEqual(JSON.parse(text), before);
  });
});
