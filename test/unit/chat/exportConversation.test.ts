import assert from 'node:assert/strict';
import { applyEvent, emptyConversation, type Conversation } from '../../../src/chat/conversation.ts';
import type { ConversationEvent } from '../../../src/chat/conversationEvent.ts';
import { toJson, toMarkdown } from '../../../src/chat/exportConversation.ts';

const events: ConversationEvent[] = [
  { type: 'created', id: 'c', title: 'Runs', atMs: 0 },
  {
    type: 'userAdded',
    id: 'u',
    parentId: null,
    text: 'Why?',
    atMs: 0,
    attachments: [{ label: 'x.py', language: 'python', text: 'x = 1' }],
  },
  { type: 'answerStarted', id: 'a', parentId: 'u', endpoint: 'guide', atMs: 0 },
  {
    type: 'answerDelta',
    id: 'a',
    choices: [
      { choice: 0, text: '<think>hm</think>**Because.**', toolCalls: [{ index: 0, name: 'f', arguments: '{}' }] },
    ],
    usage: { total_tokens: 9 },
  },
  { type: 'answerEnded', id: 'a', status: 'cutOff', failure: { kind: 'network', message: 'It broke.' }, atMs: 0 },
];
const conversation: Conversation = events.reduce(applyEvent, emptyConversation('c', 0));

describe('exportConversation', () => {
  it('writes the visible branch as markdown', () => {
    assert.equal(
      toMarkdown(conversation),
      [
        '# Runs',
        '## You',
        'x.py:\n```python\nx = 1\n```',
        'Why?',
        '## guide',
        '**Because.**',
        'Tool call `f`:',
        '```json\n{}\n```',
        '*Cut off, 9 tokens – It broke.*',
        '',
      ]
        .join('\n\n')
        .replace(/\n\n$/, '\n'),
    );
  });

  it('writes everything as JSON', () => {
    assert.deepEqual(JSON.parse(toJson(conversation)), JSON.parse(JSON.stringify(conversation)));
  });
});
