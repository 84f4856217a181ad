import assert from 'node:assert/strict';
import type { ChatPorts } from '../../../src/chat/chatPorts.ts';
import { applyEvent, emptyConversation } from '../../../src/chat/conversation.ts';
import type { ConversationEvent } from '../../../src/chat/conversationEvent.ts';
import { emptyDraft, type Draft } from '../../../src/chat/draft.ts';
import type { ViewState } from '../../../src/chat/protocol.ts';
import { viewStateOf } from '../../../src/chat/viewState.ts';
import { fakePorts } from '../../support/chatHarness/fakePorts.ts';

const own: Pick<ViewState, 'revision' | 'endpoints' | 'suggestions' | 'notice'> = {
  revision: 7,
  endpoints: { status: 'ready', items: [] },
  suggestions: [],
  notice: undefined,
};

/** A conversation of a question and its answer. */
const talk = (...more: ConversationEvent[]) =>
  (
    [
      { type: 'created', id: 'c', title: 'T', atMs: 1 },
      { type: 'userAdded', id: 'u', parentId: null, text: 'Why?', atMs: 2 },
      { type: 'answerStarted', id: 'a', parentId: 'u', endpoint: 'm', atMs: 3 },
      ...more,
    ] as ConversationEvent[]
  ).reduce(applyEvent, emptyConversation('c', 1));

describe('what the view shows beside the conversation', () => {
  let ports: ReturnType<typeof fakePorts>;
  let draft: Draft;
  let store: { conversation: ReturnType<typeof talk>; wait?: object } | undefined;
  let recent: object[];
  let writing: Map<string, { isStreaming: boolean }>;
  let toolsAsked: unknown[][];
  const tools = { names: ['list'], isOn: true, isFixed: false, isUnderWay: false };

  const state = (changes: Partial<ChatPorts> = {}): ViewState =>
    viewStateOf(
      { ...ports, ...changes },
      {
        draft,
        current: store,
        recent,
        get: (id: string) => writing.get(id),
        isUnread: (id: string) => id === 'r2',
      } as never,
      {
        otherProfile: (of: unknown) => (of === store?.conversation ? 'Team' : 'nobody'),
        endpointOf: (of: unknown) => (of === store ? (store ? 'theirs' : 'first') : 'wrong'),
      } as never,
      { state: (...asked: unknown[]) => (toolsAsked.push(asked), tools) } as never,
      own,
    );
  beforeEach(() => {
    ports = fakePorts();
    draft = { ...emptyDraft };
    [store, recent, writing, toolsAsked] = [undefined, [], new Map(), []];
  });

  it('is that of a draft where nothing has begun', () => {
    draft = { ...emptyDraft, task: 'completion', parameters: { temperature: 1, each_line: true, logprobs: true } };
    const { parameterFields: fields, ...rest } = state();
    assert.deepEqual(rest, {
      ...own,
      profile: { name: 'Local', isProduction: false, isLocal: true },
      otherProfile: undefined,
      endpoint: 'first',
      task: 'completion',
      offersRoom: false,
      parameters: { temperature: 1, each_line: true },
      attachments: [],
      queue: [],
      recent: [],
      tools,
      wait: undefined,
    });
    assert.deepEqual(fields, ports.parameterFields('completion'));
    assert.deepEqual(toolsAsked, [['completion', undefined, undefined, 'first']]);
    assert.equal(state({ room: { isOffered: true, take: async () => undefined } }).offersRoom, true);
  });

  it('tells what goes with the next message, and what waits, and which of that is next', () => {
    const attachment = (label: string, text: string) => ({ label, text });
    draft = {
      ...emptyDraft,
      attachments: [attachment('a.py', 'abc')],
      queue: [
        { id: 'q1', text: 'Of another branch', attachments: [], afterId: 'gone' },
        { id: 'q2', text: 'Next', attachments: [attachment('b.py', 'x'), attachment('c.py', '')], afterId: 'a' },
        { id: 'q3', text: 'Later', attachments: [] },
      ],
    };
    const queue = (next?: string) => [
      { id: 'q1', text: 'Of another branch', labels: [], isNext: false },
      { id: 'q2', text: 'Next', labels: ['b.py', 'c.py'], isNext: next === 'q2' },
      { id: 'q3', text: 'Later', labels: [], isNext: false },
    ];
    assert.deepEqual([state().attachments, state().queue], [[{ label: 'a.py', size: 3 }], queue()]);
    store = { conversation: talk() };
    assert.deepEqual(state().queue, queue('q2'));
    assert.equal('nextStops' in state(), false);
    assert.equal(state({ whileAnswering: () => 'stop' }).nextStops, true);
  });
});
