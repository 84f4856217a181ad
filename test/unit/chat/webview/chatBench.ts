import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { applyEvent, emptyConversation, type Conversation } from '../../../../src/chat/conversation.ts';
import type { ConversationEvent } from '../../../../src/chat/conversationEvent.ts';
import type { ParameterField } from '../../../../src/chat/parameterForm.ts';
import type { HostMessage, Snapshot, ViewState } from '../../../../src/chat/protocol.ts';
import {
  type FakeElement,
  leavePage,
  page,
  pageFrames,
  pageShown,
  pageTimers,
  passFrames,
  usePage,
} from '../../../support/editorStandIn/page.ts';
import { useStillPage } from '../../../support/editorStandIn/stillPage.ts';
import { noting } from '../../../support/trail.ts';
import { view } from './viewParts.ts';
import './workerHook.ts';

usePage();
const { ChatApp } = await import('../../../../src/chat/webview/chatApp.ts');
leavePage();

interface Asked {
  id: number;
  method: string;
  params?: unknown;
}

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
/** A piece of an answer of two choices. */
export const saidTwice = (id: string, first: string, second: string, more: object = {}): ConversationEvent => ({
  type: 'answerDelta',
  id,
  choices: [
    { choice: 0, text: first },
    { choice: 1, text: second },
  ],
  ...more,
});
export const ended = (id: string, status = 'done', failure?: object): ConversationEvent =>
  ({ type: 'answerEnded', id, status, failure, atMs: created + 2_000 }) as ConversationEvent;
export const held = (...events: ConversationEvent[]): Conversation =>
  events.reduce(applyEvent, { ...emptyConversation('c', created), title: 'T' });

/** A field of each kind that the form of the parameters knows. */
export const fieldsOfEachKind: ParameterField[] = [
  { name: 'temperature', kind: 'number', description: 'How free', minimum: 0, maximum: 2 },
  { name: 'stop', kind: 'lines', description: 'Where to end' },
  { name: 'tool_choice', kind: 'choice', description: 'Which', options: ['auto', 'none'] },
  { name: 'logprobs', kind: 'boolean', description: 'Chances' },
  { name: 'system', kind: 'text', description: 'Who it is' },
  { name: 'max_tokens', kind: 'integer', description: 'How long', minimum: 1 },
  { name: 'tools', kind: 'json', description: 'Functions' },
];

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

/** The page of the chat, and the test in place of its host. To be called in `describe`. */
export function chatBench() {
  let posted: Asked[] = [];
  let stored: unknown;
  const { now } = Date;
  useStillPage();
  before(() => {
    Date.now = () => created + 10_000;
  });
  after(() => {
    Date.now = now;
  });
  beforeEach(() => {
    posted = [];
    stored = undefined;
    pageTimers.length = pageFrames.length = pageShown.length = 0;
    page.activeElement = page.body;
  });
  const say = (message: HostMessage): void => {
    window.dispatchEvent(Object.assign(new Event('message'), { data: message }));
    passFrames();
  };
  const snapshot = (
    conversation: Conversation | null,
    state: Partial<ViewState> = {},
    more: object = {},
  ): Snapshot => ({
    sequence: 1,
    conversation,
    draft: { id: conversation?.id ?? 'new', text: '' },
    view: view(state),
    nowMs: 0,
    ...more,
  });
  /** Everything that was asked is answered so. */
  const answerAll = async (reply: object = {}): Promise<Asked[]> => {
    const asked = posted.splice(0);
    for (const { id } of asked) say({ type: 'reply', id, ...reply });
    await nextTurn();
    passFrames();
    return asked.map(({ method, params }) => ({ method, params }) as Asked);
  };
  const open = async (first: Snapshot, kept?: unknown) => {
    usePage();
    page.body.replaceChildren();
    stored = kept;
    const app = new ChatApp({
      postMessage: (message) => noting('posts', posted)(message as Asked),
      getState: () => stored,
      setState: (state) => (stored = state),
    });
    void app.start();
    assert.deepEqual(
      posted.map(({ method }) => method),
      ['ready'],
    );
    await answerAll({ snapshot: first });
    const chat = page.body.children.at(-1);
    return chat as FakeElement;
  };
  const press = (target: FakeElement, fields: object): boolean => target.does('keydown', fields);
  const asked = (): unknown[] =>
    posted.map(({ method, params }) => {
      if (params === undefined) return [method];
      // When it was typed is another test's.
      const { atMs: _atMs, ...rest } = params as Record<string, unknown>;
      return [method, rest];
    });
  return { say, snapshot, answerAll, open, press, asked, forget: () => (posted = []), kept: () => stored };
}
