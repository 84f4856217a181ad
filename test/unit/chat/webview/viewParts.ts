import {
  type Answer,
  applyEvent,
  type Choice,
  type Conversation,
  emptyConversation,
  type UserTurn,
} from '../../../../src/chat/conversation.ts';
import type { ConversationEvent } from '../../../../src/chat/conversationEvent.ts';
import type { ViewState } from '../../../../src/chat/protocol.ts';

export const noTools: ViewState['tools'] = { count: 0, names: [], isUnderWay: false };
export const view = (change: Partial<ViewState> = {}): ViewState => ({
  revision: 1,
  profile: { name: 'P', isProduction: false, isLocal: false },
  endpoints: { status: 'ready', items: [{ name: 'm', server: 'G' }] },
  endpoint: 'm',
  parameterFields: [],
  parameters: {},
  attachments: [],
  recent: [],
  queue: [],
  suggestions: [],
  offersRoom: false,
  tools: noTools,
  ...change,
});
export const answer = (change: Partial<Answer> = {}): Answer => ({
  role: 'assistant',
  id: 'a',
  parentId: 'u',
  endpoint: 'm',
  status: 'streaming',
  choices: [],
  shownChoice: 0,
  createdAtMs: Date.now(),
  ...change,
});
export const userTurn = (change: Partial<UserTurn> = {}): UserTurn => ({
  role: 'user',
  id: 'u',
  parentId: null,
  text: 'why',
  attachments: [],
  toolResults: [],
  createdAtMs: 1,
  ...change,
});
export const choice = (change: Partial<Choice> = {}): Choice =>
  ({ choice: 0, text: '', toolCalls: [], ...change }) as Choice;

/** Creates actions that record their name and arguments in a list. */
export const notedIn =
  (calls: () => unknown[][]) =>
  (name: string) =>
  (...args: unknown[]): void => {
    calls().push([name, ...args]);
  };

export const created = 1_700_000_000_000;
export const user = (id: string, parentId: string | null, text: string, more: object = {}): ConversationEvent => ({
  type: 'userAdded',
  id,
  parentId,
  text,
  atMs: created,
  ...more,
});
export const started = (id: string, parentId: string): ConversationEvent => ({
  type: 'answerStarted',
  id,
  parentId,
  endpoint: 'm',
  atMs: created,
});
export const said = (id: string, text: string, more: object = {}): ConversationEvent => ({
  type: 'answerDelta',
  id,
  choices: [{ choice: 0, text, ...more }],
  atMs: created + 500,
});
export const ended = (id: string, status = 'done', failure?: object): ConversationEvent =>
  ({ type: 'answerEnded', id, status, failure, atMs: created + 2_000 }) as ConversationEvent;
export const held = (...events: ConversationEvent[]): Conversation =>
  events.reduce(applyEvent, { ...emptyConversation('c', created), title: 'T' });

export const longConversation = held(
  user('u1', null, 'Why?', { attachments: [{ label: 'a.py', language: 'python', text: 'x = 1\n' }] }),
  started('a1', 'u1'),
  said(
    'a1',
    [
      '# Because\n\n1. *one* [link](https://x.example/a)\n2. `two`\n\n- [x] done\n- [ ] open\n',
      '| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n```python\nx = 1\n```\n\n> quoted\n\n***\n\n<b>raw</b>',
    ].join('\n'),
    { finishReason: 'stop' },
  ),
  { type: 'answerDelta', id: 'a1', choices: [], usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 } },
  ended('a1'),
  user('u2', 'a1', 'And JSON?'),
  started('a2', 'u2'),
  said('a2', '{"a": [1, true, null, "s"], "big": 9007199254740993, "none": {}}', { finishReason: 'length' }),
  ended('a2'),
  user('u3', 'a2', 'Run it'),
  started('a3', 'u3'),
  said('a3', '', { reasoning: 'hm', toolCalls: [{ index: 0, id: 'c1', name: 'list_jobs', arguments: '{}' }] }),
  ended('a3'),
  user('r3', 'a3', '', { toolResults: [{ toolCallId: 'c1', name: 'list_jobs', content: '[]' }] }),
  started('a4', 'r3'),
  said('a4', 'Partly'),
  ended('a4', 'cutOff', { kind: 'network', message: 'The line broke.', details: 'reset' }),
);
