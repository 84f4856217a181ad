import assert from 'node:assert/strict';
import type { ChatPorts, ChatBackend, EndpointList } from '../../../src/chat/chatPorts.ts';
import type { Suggestion } from '../../../src/chat/chatTools.ts';
import {
  shownChoice,
  visibleTurns,
  type Answer,
  type Conversation,
  applyEvent,
  emptyConversation,
} from '../../../src/chat/conversation.ts';
import type { ConversationEvent } from '../../../src/chat/conversationEvent.ts';
import { emptyDraft, type Draft } from '../../../src/chat/draft.ts';
import { EndpointCatalog } from '../../../src/chat/endpointCatalog.ts';
import { parseEvents } from '../../../src/chat/history.ts';
import type { ViewState } from '../../../src/chat/protocol.ts';
import { Recipient } from '../../../src/chat/recipient.ts';
import { TimelySuggestions } from '../../../src/chat/timelySuggestions.ts';
import { viewStateOf } from '../../../src/chat/viewState.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { failingAnswer, fakePorts, textAnswer, type FakePorts } from '../../support/chatHarness/fakePorts.ts';
import { settle } from '../../support/fakeClock.ts';
import { ask, type Chat, closeChats, current, open } from './openedChat.ts';

describe('ChatService', () => {
  const texts = (conversation: Conversation): string[] =>
    visibleTurns(conversation).map((turn) => (turn.role === 'user' ? turn.text : (shownChoice(turn)?.text ?? '')));
  const lastAnswer = (conversation: Conversation): Answer => visibleTurns(conversation).at(-1) as Answer;

  afterEach(closeChats);
  const viewOf = (chat: Chat): ViewState => {
    const shown = chat.messages.findLast((message) => message.type === 'view' || message.type === 'snapshot');
    assert.ok(shown?.type === 'view' || shown?.type === 'snapshot');
    return shown.type === 'view' ? shown.view : shown.snapshot.view;
  };
  it('sends the conversation and shows the answer', async () => {
    const chat = await open();
    await ask(chat, 'One?');
    chat.ports.backend.answer = textAnswer('Two.', { usage: { total_tokens: 7 } });
    const conversation = await ask(chat, 'And?');
    assert.deepEqual(texts(conversation), ['One?', 'Hello.', 'And?', 'Two.']);
    assert.deepEqual(
      [lastAnswer(conversation).status, lastAnswer(conversation).usage, conversation.title],
      ['done', { total_tokens: 7 }, 'One?'],
    );
    assert.deepEqual(chat.ports.backend.requests[1], {
      endpoint: 'guide',
      request: {
        stream: true,
        messages: [
          { role: 'user', content: 'One?' },
          { role: 'assistant', content: 'Hello.' },
          { role: 'user', content: 'And?' },
        ],
      },
    });
  });

  it("saves the user's message before the request", async () => {
    const chat = await open();
    let atRequest = '';
    chat.ports.backend.answer = async function* (...call) {
      atRequest = [...chat.ports.storage.files.values()].map((file) => file.text).join('');
      yield* textAnswer('x')(...call);
    };
    await ask(chat, 'Saved?');
    assert.deepEqual(
      parseEvents(atRequest).events.map((event) => event.type),
      ['created', 'userAdded', 'answerStarted'],
    );
  });

  it('numbers events without gaps, so that a snapshot and events yield the same state', async () => {
    const chat = await open();
    await ask(chat, 'One?');
    const numbers = chat.messages.flatMap((message) => (message.type === 'event' ? [message.sequence] : []));
    const first = numbers[0] ?? 0;
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => first + index),
    );
    const { sequence, conversation } = await chat.service.snapshot();
    assert.deepEqual([sequence, conversation], [numbers.at(-1), current(chat)]);
  });

  it('restores the conversation in a new window', async () => {
    const chat = await open();
    const before = await ask(chat, 'One?');
    await chat.service.close();
    const { conversation } = await (
      await open({ ...fakePorts(), editor: chat.ports.editor, history: chat.ports.history })
    ).service.snapshot();
    assert.deepEqual(JSON.parse(JSON.stringify(conversation)), JSON.parse(JSON.stringify(before)));
  });

  it('shows a failure with its remedy and regenerates the answer as a variant', async () => {
    const chat = await open();
    chat.ports.backend.answer = failingAnswer(
      new AppError('unauthenticated', 'The token was refused.', { remedy: 'Sign in again.' }),
    );
    const failed = lastAnswer(await ask(chat, 'Hi'));
    assert.deepEqual(
      [failed.status, failed.failure],
      ['failed', { kind: 'unauthenticated', message: 'The token was refused.', remedy: 'Sign in again.' }],
    );
    chat.ports.backend.answer = textAnswer('Hello again.');
    const finished = chat.finished();
    await chat.service.asking.regenerate(failed.id);
    await finished;
    assert.deepEqual(texts(current(chat)), ['Hi', 'Hello again.']);
    await chat.service.selectVariant(failed.id);
    assert.equal(lastAnswer(current(chat)).status, 'failed');
  });

  it('keeps parameters and endpoint per conversation and refuses invalid parameters', async () => {
    const chat = await open();
    await chat.service.setParameters({ system: 'Short.', temperature: 0.5 });
    await chat.service.selectEndpoint({ name: 'other' });
    await ask(chat, 'Hi');
    assert.deepEqual(chat.ports.backend.requests[0], {
      endpoint: 'other',
      request: {
        stream: true,
        temperature: 0.5,
        messages: [
          { role: 'system', content: 'Short.' },
          { role: 'user', content: 'Hi' },
        ],
      },
    });
    await assert.rejects(chat.service.setParameters({ temperature: 9 }), /temperature/);
    await assert.rejects(chat.service.setParameters({ messages: [] }), /not a parameter/);
    assert.deepEqual(current(chat).parameters, { system: 'Short.', temperature: 0.5 });
  });

  it('asks the endpoint that was chosen while the new conversation opened', async () => {
    const chat = await open();
    await ask(chat, 'One?');
    const opened = chat.service.newConversation();
    await chat.service.selectEndpoint({ name: 'other' });
    await opened;
    await ask(chat, 'Two?');
    assert.equal(chat.ports.backend.requests.at(-1)?.endpoint, 'other');
  });

  it('uses a model that was just added', async () => {
    const chat = await open();
    Object.assign(chat.ports.editor, { endpointName: 'addModel', picked: 'new' });
    chat.ports.backend.endpoints.push({ name: 'new', server: 'Local' });
    await chat.service.chooseEndpoint();
    await ask(chat, 'One?');
    assert.equal(chat.ports.backend.requests.at(-1)?.endpoint, 'new');
  });

  it('asks again once the API key of the model server was replaced', async () => {
    const chat = await open();
    await ask(chat, 'One?');
    const finished = chat.finished();
    await chat.service.asking.setKey(current(chat).turns.at(-1)?.id ?? '');
    await finished;
    assert.equal(chat.ports.backend.requests.length, 2);
  });

  it('reports that the history cannot be written, and continues', async () => {
    const chat = await open();
    await ask(chat, 'One?');
    chat.ports.storage.failAppendAfter = 3;
    const conversation = await ask(chat, 'Two?');
    assert.equal(lastAnswer(conversation).status, 'done');
    const { notice } = viewOf(chat);
    assert.match(notice?.message ?? '', /could not be saved: no space left/);
    assert.ok(notice?.remedy);
    const views: unknown[] = [];
    chat.service.onDidPost((message) => message.type === 'view' && views.push(message.view.notice));
    chat.service.dismissNotice();
    assert.deepEqual([views, (await chat.service.snapshot()).view.notice], [[undefined], undefined]);
  });

  it('deletes, restores, renames and lists conversations', async () => {
    const chat = await open();
    const first = await ask(chat, 'One?');
    await chat.service.newConversation();
    assert.equal(chat.service.currentConversation, undefined);
    const second = await ask(chat, 'Two?');
    await chat.service.renameConversation(second.id, 'Better');
    assert.deepEqual((await chat.service.listConversations()).map((entry) => entry.title).sort(), ['Better', 'One?']);
    await chat.service.deleteConversation(second.id);
    assert.deepEqual(
      (await chat.service.listConversations()).map((entry) => entry.id),
      [first.id],
    );
    await chat.service.restoreConversation(second.id);
    assert.deepEqual(texts(current(chat)), ['Two?', 'Hello.']);
    await chat.service.openConversation(first.id);
    assert.deepEqual(texts(current(chat)), ['One?', 'Hello.']);
  });
});

describe('the state beside the conversation', () => {
  const own: Pick<ViewState, 'revision' | 'endpoints' | 'suggestions' | 'notice'> = {
    revision: 7,
    endpoints: { status: 'ready', items: [] },
    suggestions: [],
    notice: undefined,
  };
  /** Returns a conversation with a question and its answer. */
  const talk = (...more: ConversationEvent[]) =>
    (
      [
        { type: 'created', id: 'c', title: 'T', atMs: 1 },
        { type: 'userAdded', id: 'u', parentId: null, text: 'Why?', atMs: 2 },
        { type: 'answerStarted', id: 'a', parentId: 'u', endpoint: 'm', atMs: 3 },
        ...more,
      ] as ConversationEvent[]
    ).reduce(applyEvent, emptyConversation('c', 1));

  let ports: ReturnType<typeof fakePorts>;
  let draft: Draft;
  let store: { conversation: ReturnType<typeof talk>; wait?: object } | undefined;
  let recent: object[];
  let writing: Map<string, { isStreaming: boolean }>;
  const tools = { count: 1, names: ['list'], isUnderWay: false };

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
      { state: () => tools } as never,
      own,
    );
  beforeEach(() => {
    ports = fakePorts();
    draft = { ...emptyDraft };
    [store, recent, writing] = [undefined, [], new Map()];
  });

  it('contains the attachments and the queue, and marks the next message', () => {
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

describe('the recipient of a conversation', () => {
  const items = [
    { name: 'vectors', task: 'embedding' },
    { name: 'first', task: 'chat' },
    { name: 'second', task: 'chat' },
  ];
  const recipient = (draft: object, state: object = { items }): Recipient =>
    new Recipient(
      { backend: { profile: { id: 'here', name: 'Here' } }, lookUps: fakePorts().lookUps } as never,
      { draft } as never,
      { state } as never,
    );
  const store = (conversation: object): never => ({ conversation }) as never;
  const refusal = (action: () => unknown): AppError => {
    try {
      action();
    } catch (error) {
      return error as AppError;
    }
    return assert.fail('nothing was refused');
  };

  it('is the chosen endpoint, or the first for its task', () => {
    const { endpointOf, chosen } = { endpointOf: recipient({ task: 'chat' }), chosen: recipient({ task: 'chat' }) };
    assert.equal(endpointOf.endpointOf(undefined), 'first');
    assert.equal(endpointOf.endpointOf(store({ task: 'embedding' })), 'vectors');
    assert.equal(endpointOf.endpointOf(store({ endpoint: 'own', task: 'chat' })), 'own');
    assert.deepEqual(chosen.chosen(undefined), { name: 'first', task: 'chat' });
    assert.deepEqual(chosen.chosen(store({ endpoint: 'own', task: 'completion' })), {
      name: 'own',
      task: 'completion',
    });
    assert.equal(chosen.chosen(store({ task: 'completion' })), undefined);
  });

  it('is missing if no endpoint is chosen, with the reason', () => {
    const told = (state: object): unknown[] => {
      const { kind, message, remedy } = refusal(() => recipient({ task: 'chat' }, state).require(undefined, ''));
      return [kind, message, remedy];
    };
    assert.deepEqual(told({ items: [] }), [
      'invalid',
      'No endpoint is chosen, so nothing was sent.',
      'Choose an endpoint below the prompt.',
    ]);
    assert.deepEqual(told({ items: [], failure: { message: 'Gone.', remedy: 'Wait.' } }), [
      'invalid',
      'No endpoint is chosen, and the list could not be loaded: Gone.',
      'Wait.',
    ]);
    assert.equal(told({ items: [], failure: { message: 'Gone.' } })[2], 'Choose an endpoint below the prompt.');
  });
});

describe('the list of endpoints', () => {
  let backend: FakePorts['backend'];
  let catalog: EndpointCatalog;
  /** The requests for the list, which the tests answer. */
  let asked: { start: boolean; signal: AbortSignal; list: PromiseWithResolvers<EndpointList> }[];
  let states: ViewState['endpoints'][];

  beforeEach(() => {
    ({ backend } = fakePorts());
    asked = [];
    states = [];
    backend.listEndpoints = ({ start, signal }: Parameters<ChatBackend['listEndpoints']>[0]) => {
      const list = Promise.withResolvers<EndpointList>();
      asked.push({ start, signal, list });
      return list.promise;
    };
    catalog = new EndpointCatalog(backend);
    catalog.onDidChange(() => states.push(catalog.state));
  });
  afterEach(() => catalog.dispose());

  const named = (...names: string[]): EndpointList['items'] => names.map((name) => ({ name, server: 'L' }));
  const answerLast = async (list: EndpointList, asking: Promise<void>): Promise<void> => {
    asked.at(-1)?.list.resolve(list);
    await asking;
  };
  const load = (names: string[], isWhole = true): Promise<void> =>
    answerLast({ items: named(...names), isWhole }, catalog.refresh());
  const isAskedBy = (what: () => Promise<void>): boolean => {
    const before = asked.length;
    void what();
    return asked.length > before;
  };

  it('comes from the latest request, regardless of the order of the replies', async () => {
    const lists = [catalog.refresh(), catalog.refresh(), catalog.refresh()];
    assert.deepEqual(
      asked.map(({ signal }) => signal.aborted),
      [true, true, false],
    );
    asked[2]?.list.resolve({ items: named('new'), isWhole: true });
    await lists[2];
    asked[0]?.list.resolve({ items: named('old'), isWhole: true });
    asked[1]?.list.reject(new Error('of before'));
    await Promise.all(lists);
    assert.deepEqual(catalog.state, { status: 'ready', items: named('new') });
  });

  it('is loaded once per profile without starting the service', async () => {
    await answerLast({ items: named('a'), isWhole: true }, catalog.ensureLoaded());
    assert.equal(
      isAskedBy(() => catalog.ensureLoaded()),
      false,
    );
    backend.profile = { ...backend.profile, id: 'other' };
    states = [];
    await answerLast({ items: named('b'), isWhole: true }, catalog.ensureLoaded());
    assert.equal(
      isAskedBy(() => catalog.ensureLoaded()),
      false,
    );
    assert.deepEqual(states, [
      { status: 'loading', items: [] },
      { status: 'ready', items: named('b') },
    ]);
    assert.deepEqual(
      asked.map(({ start }) => start),
      [false, false],
    );
  });

  it('keeps the known endpoints after a failure', async () => {
    await load(['a']);
    backend.knownEndpoints = [{ name: 'guide', server: 'Built in' }];
    const asking = catalog.refresh();
    asked.at(-1)?.list.reject(new AppError('network', 'Nobody answers.', { remedy: 'Start it.' }));
    await asking;
    assert.deepEqual(catalog.state, {
      status: 'failed',
      items: [{ name: 'guide', server: 'Built in' }, ...named('a')],
      failure: { kind: 'network', message: 'Nobody answers.', remedy: 'Start it.' },
    });
  });

  it('is reloaded for a picker, which starts the service', async () => {
    await load(['a']);
    const choosing = catalog.refresh({ start: true });
    assert.deepEqual(
      asked.map(({ start }) => start),
      [false, true],
    );
    await answerLast({ items: named('a', 'created'), isWhole: true }, choosing);
    assert.deepEqual(catalog.state.items, named('a', 'created'));
  });
});

describe('timely suggestions', () => {
  const suggested = (title: string): Suggestion[] => [{ title, prompt: `${title}?` }];

  let looks: PromiseWithResolvers<Suggestion[]>[];
  let logged: string[];
  let shown: (readonly Suggestion[])[];
  let timely: TimelySuggestions;
  let editor: ReturnType<typeof fakePorts>['editor'];
  let taken: string[];

  beforeEach(() => {
    [looks, logged, shown] = [[], [], []];
    taken = [];
    const ports = fakePorts();
    const { tools } = ports;
    editor = ports.editor;
    const prompt = { attachSelection: async () => void taken.push('selection') };
    timely = new TimelySuggestions(
      {
        ...ports,
        tools: {
          ...tools,
          suggest: () => {
            looks.push(Promise.withResolvers());
            return looks.at(-1)?.promise ?? Promise.resolve([]);
          },
        },
        log: { ...silentLogger, debug: (text: string) => void logged.push(text) },
      },
      prompt,
    );
    timely.onDidChange(() => shown.push(timely.items));
  });
  afterEach(() => timely.dispose());

  it('are requested at most once more while a request is running', async () => {
    timely.look();
    timely.look();
    timely.look();
    assert.equal(looks.length, 1);
    looks[0]?.resolve(suggested('Old'));
    await settle();
    assert.deepEqual([looks.length, shown], [2, []]);
    looks[1]?.resolve(suggested('New'));
    await settle();
    assert.deepEqual([looks.length, shown], [2, [suggested('New')]]);
  });

  const look = async (items: Suggestion[]): Promise<string[]> => {
    timely.look();
    looks.at(-1)?.resolve(items);
    await settle();
    return timely.shown.map(({ title, isDeed = false }) => (isDeed ? `${title}!` : title));
  };

  it("come before the beginner's suggestions, four in total, after the selection", async () => {
    const beginner = ['Write a job file', 'Explain cron expressions', 'Retry a failed task'];
    assert.deepEqual(await look([]), beginner);
    const deed = { ...suggested('Fix')[0], take: async () => void taken.push('fix') } as Suggestion;
    assert.deepEqual(await look([deed]), ['Fix!', ...beginner]);
    editor.selected = 'a.py:2-3';
    assert.deepEqual(await look([deed]), ['Selection!', 'Fix!', ...beginner.slice(0, 2)]);
    assert.deepEqual(timely.shown[0], {
      title: 'Selection',
      deed: 'Attach',
      prompt: 'a.py:2-3',
      icon: 'lines',
      isDeed: true,
    });
    const many = [...suggested('1'), ...suggested('2'), ...suggested('3'), ...suggested('4')];
    assert.deepEqual(await look(many), ['Selection!', '1', '2', '3']);
  });
});
