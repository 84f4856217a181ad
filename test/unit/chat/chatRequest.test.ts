import assert from 'node:assert/strict';
import { chatRequest } from '../../../src/api/schema/inference/schemas.ts';
import { buildChatRequest, withAttachments } from '../../../src/chat/chatRequest.ts';
import type { Answer, Choice, Turn, UserTurn } from '../../../src/chat/conversation.ts';

const user = (text: string, more: Partial<UserTurn> = {}): UserTurn => ({
  role: 'user',
  id: 'u',
  parentId: null,
  text,
  attachments: [],
  toolResults: [],
  createdAtMs: 0,
  ...more,
});
const answer = (choices: Partial<Choice>[], more: Partial<Answer> = {}): Answer => ({
  role: 'assistant',
  id: 'a',
  parentId: 'u',
  endpoint: 'e',
  status: 'done',
  shownChoice: 0,
  createdAtMs: 0,
  choices: choices.map((choice, index) => ({ choice: index, text: '', toolCalls: [], logprobs: [], ...choice })),
  ...more,
});

function request(turns: Turn[], parameters = {}): Record<string, unknown> {
  const built = buildChatRequest(turns, parameters);
  assert.ok(chatRequest.safeParse(built).success, JSON.stringify(chatRequest.safeParse(built).error?.issues));
  return built;
}

describe('chatRequest', () => {
  it('gives the results of calls once, though the next message was never answered', () => {
    const call = { index: 0, id: 'c', name: 'f', arguments: '{}' };
    const results = user('', { toolResults: [{ toolCallId: 'c', content: '4' }] });
    const { messages } = request([user('Hi'), answer([{ toolCalls: [call] as never }]), results, user('So?')]);
    assert.deepEqual(
      (messages as { role: string }[]).map(({ role }) => role),
      ['user', 'assistant', 'tool', 'user'],
    );
  });

  it('sends the system prompt first and once, and the parameters beside the messages', () => {
    assert.deepEqual(
      request([user('Hi'), answer([{ text: 'Ho' }]), user('So')], { system: 'Be short.', temperature: 0, stop: ['x'] }),
      {
        messages: [
          { role: 'system', content: 'Be short.' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Ho' },
          { role: 'user', content: 'So' },
        ],
        temperature: 0,
        stop: ['x'],
      },
    );
    assert.deepEqual(request([user('Hi')], { system: ' ' }), { messages: [{ role: 'user', content: 'Hi' }] });
  });

  it('sends no thoughts back', () => {
    const turns = [user('1'), answer([{ text: '<think>hm</think>A' }]), user('2'), answer([{ text: '<think>hm' }])];
    assert.deepEqual(request(turns)['messages'], [
      { role: 'user', content: '1' },
      { role: 'assistant', content: 'A' },
      { role: 'user', content: '2' },
    ]);
  });

  it('sends the shown choice only, and no answer that has no text', () => {
    const turns = [
      user('1'),
      answer([{ text: 'A' }, { text: 'B' }], { shownChoice: 1 }),
      user('2'),
      answer([], { status: 'failed' }),
      user('3'),
    ];
    assert.deepEqual(request(turns)['messages'], [
      { role: 'user', content: '1' },
      { role: 'assistant', content: 'B' },
      { role: 'user', content: '2\n\n3' },
    ]);
  });

  it('answers each tool call, with the results that were given', () => {
    const calls = [
      { index: 0, id: 'x', name: 'f', arguments: '{}' },
      { index: 1, id: '', name: 'g', arguments: '' },
    ];
    const turns = [
      user('1'),
      answer([{ text: 'ignored', toolCalls: calls }]),
      user('', { toolResults: [{ toolCallId: 'x', content: '42' }] }),
    ];
    assert.deepEqual(request(turns)['messages'], [
      { role: 'user', content: '1' },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } },
          { id: 'call_a_1', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'x', content: '42' },
      { role: 'tool', tool_call_id: 'call_a_1', content: 'No result was given.' },
    ]);
    const cut = [user('1'), answer([{ text: 'Half', toolCalls: calls }], { status: 'cutOff' }), user('2')];
    assert.deepEqual(request(cut)['messages'], [
      { role: 'user', content: '1' },
      { role: 'assistant', content: 'Half' },
      { role: 'user', content: '2' },
    ]);
  });

  it('fences attachments so that their own fences stay inside', () => {
    assert.equal(
      withAttachments('Why?', [{ label: 'a.md:1-3', language: 'markdown', text: '```py\nx\n```\n' }]),
      'a.md:1-3:\n````markdown\n```py\nx\n```\n````\n\nWhy?',
    );
  });
});
