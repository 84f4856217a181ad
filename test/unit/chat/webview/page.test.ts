import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ChatService } from '../../../../src/chat/chatService.ts';
import type { Conversation } from '../../../../src/chat/conversation.ts';
import type { ConversationEvent, Failure } from '../../../../src/chat/conversationEvent.ts';
import type { HostMessage, Snapshot, ViewState } from '../../../../src/chat/protocol.ts';
import { readHostMessage } from '../../../../src/chat/webview/hostLink.ts';
import { fakePorts } from '../../../support/chatHarness/fakePorts.ts';
import './workerHook.ts';
import { all, blur, click, find, fire, inPage, onPage, pass } from '../../../support/editorStandIn/page.ts';
import { created, view, held, said, started, user, ended, longConversation, noTools, notedIn } from './viewParts.ts';

const { ChatApp } = await onPage(() => import('../../../../src/chat/webview/chatApp.ts'));
const { HostLink } = await onPage(() => import('../../../../src/chat/webview/hostLink.ts'));
const { Notices } = await onPage(() => import('../../../../src/chat/webview/notices.ts'));
const { EmptyState } = await onPage(() => import('../../../../src/chat/webview/emptyState.ts'));
const { failureCard } = await onPage(() => import('../../../../src/chat/webview/failureCard.ts'));

interface Asked {
  id: number;
  method: string;
  params?: unknown;
}
/** Sets up the chat page, with the test in place of its host. Call it in `describe`. */
function chatBench() {
  let posted: Asked[] = [];
  let stored: unknown;
  inPage();
  beforeEach(() => {
    posted = [];
    stored = undefined;
  });
  const say = (message: HostMessage): void => {
    fire(window, 'message', { data: message });
    pass();
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
  /** Replies to every pending request. */
  const answerAll = async (reply: object = {}): Promise<Asked[]> => {
    const asked = posted.splice(0);
    for (const { id } of asked) say({ type: 'reply', id, ...reply });
    await nextTurn();
    pass();
    return asked.map(({ method, params }) => ({ method, params }) as Asked);
  };
  const open = async (first: Snapshot, kept?: unknown) => {
    document.body.replaceChildren();
    stored = kept;
    const app = new ChatApp({
      postMessage: (message) => posted.push(message as Asked),
      getState: () => stored,
      setState: (state) => (stored = state),
    });
    void app.start();
    assert.deepEqual(
      posted.map(({ method }) => method),
      ['ready'],
    );
    await answerAll({ snapshot: first });
    return document.body.lastElementChild as HTMLElement;
  };
  const press = (target: HTMLElement, fields: object): boolean => fire(target, 'keydown', fields);
  const asked = (): unknown[] =>
    posted.map(({ method, params }) => {
      if (params === undefined) return [method];
      // Another test checks the timestamp.
      const { atMs: _atMs, ...rest } = params as Record<string, unknown>;
      return [method, rest];
    });
  return { say, snapshot, answerAll, open, press, asked, forget: () => (posted = []), kept: () => stored };
}

describe('the chat page', () => {
  const { say, snapshot, answerAll, open, press, asked, forget } = chatBench();

  it('moves the focus to the prompt when the focused element is gone', async () => {
    const begun = snapshot(held(user('u1', null, 'Why?')), {}, { sequence: 2 });
    const recent = [{ id: 'a', title: 'T', updatedAtMs: 1, isWriting: false, isUnread: false }];
    for (const [name, isTaken] of [
      ['recent-item', true],
      ['endpoint', false],
    ] as const) {
      const chat = await open(snapshot(null, { recent }));
      const place = find(chat, name);
      place.focus();
      say({ type: 'snapshot', snapshot: begun });
      assert.ok(document.activeElement === (isTaken ? find(chat, 'prompt') : place), name);
    }
  });

  it('does not stop an answer with the Escape that closes a list', async () => {
    const chat = await open(snapshot(held(user('u', null, 'Q'), started('a', 'u'), said('a', 'x'))));
    const select = document.createElement('select');
    const option = document.createElement('option');
    select.append(option);
    chat.append(select);
    option.tabIndex = 0;
    option.focus();
    press(option, { key: 'Escape' });
    assert.deepEqual(asked(), []);
    select.focus();
    press(select, { key: 'Escape' });
    assert.deepEqual(asked(), [['stop']]);
  });

  it('applies each event once, in order, and asks for a snapshot when one is missing', async () => {
    const chat = await open(snapshot(held(user('u1', null, 'Why?'))));
    const event = (sequence: number, of: ConversationEvent, conversationId = 'c'): void =>
      say({ type: 'event', conversationId, sequence, event: of });
    const text = (): string => find(chat, 'turns').textContent;
    const told = (): string => chat.lastElementChild?.textContent ?? '';
    event(1, user('u9', null, 'seen before'));
    event(2, user('u9', null, 'elsewhere'), 'other');
    event(2, started('a1', 'u1'));
    assert.equal(told(), 'The answer is in progress.');
    assert.equal(find(chat, 'stop').hidden, false);
    event(3, said('a1', 'Because'));
    assert.match(text(), /Because/);
    assert.doesNotMatch(text(), /seen before|elsewhere/);
    event(4, ended('a1'));
    assert.match(told(), /m/);
    event(5, ended('a1', 'failed', { kind: 'server', message: 'No room.' }));
    assert.match(told(), /No room/);
    assert.deepEqual(asked(), []);
    event(11, user('u2', 'a1', 'More'));
    assert.deepEqual([asked(), text().includes('More')], [[['ready']], false]);
    await answerAll({ snapshot: snapshot(longConversation, {}, { sequence: 20 }) });
    assert.match(text(), /Partly/);
  });

  it('ignores snapshots and views that are older than its own', async () => {
    const chat = await open(snapshot(held(user('u1', null, 'Why?')), { revision: 5 }, { sequence: 3 }));
    say({ type: 'view', view: view({ revision: 4, endpoint: 'old' }) });
    assert.equal(find(chat, 'endpoint').textContent, 'm');
    say({ type: 'view', view: view({ revision: 6, endpoint: 'next' }) });
    assert.equal(find(chat, 'endpoint').textContent, 'next');
    say({ type: 'snapshot', snapshot: snapshot(held(), {}, { sequence: 2 }) });
    assert.match(chat.textContent, /Why\?/);
    say({ type: 'snapshot', snapshot: snapshot({ ...held(), id: 'd' }, {}, { sequence: 0 }) });
    assert.doesNotMatch(chat.textContent, /Why\?/);
  });

  it('sends with Enter and puts the text back if it was refused', async () => {
    const chat = await open(snapshot(null));
    const prompt = find(chat, 'prompt');
    prompt.value = 'Why?';
    press(prompt, { key: 'Enter' });
    await nextTurn();
    assert.deepEqual(
      [asked().at(-1), prompt.value],
      [
        [
          'send',
          { id: 'new', text: 'Why?', toolResults: undefined, seen: { profile: 'P', endpoint: 'm', task: undefined } },
        ],
        '',
      ],
    );
    const shown = (): unknown[] => [find(chat, 'turns').hidden, find(chat, 'turns').textContent.includes('Why?')];
    assert.deepEqual(shown(), [false, true], 'before the host has accepted it');
    await answerAll({ failure: { kind: 'server', message: 'Not now.' } });
    assert.equal(prompt.value, 'Why?');
    assert.deepEqual(shown(), [true, false]);
    const notices = find(chat, 'notices');
    assert.match(notices.textContent, /Not now\./);
    assert.equal(chat.lastElementChild?.textContent, 'Not now.');
    click(find(notices, 'Dismiss'));
    pass();
    assert.equal(notices.textContent, '');
    press(prompt, { key: 'Enter' });
    await nextTurn();
    prompt.value = 'typed since';
    await answerAll({ failure: { kind: 'server', message: 'Not now.' } });
    assert.deepEqual(asked().at(-1), ['changeDraft', { id: 'new', text: 'Why?\n\ntyped since' }]);
  });

  it('says that nothing was sent while there is no endpoint', async () => {
    const state = {
      endpoint: undefined,
      endpoints: { status: 'failed' as const, items: [], failure: { kind: 'x', message: 'Down.' } },
    };
    const chat = await open(snapshot(null, state as never));
    const notices = find(chat, 'notices');
    assert.doesNotMatch(notices.textContent, /Nothing was sent/);
    find(chat, 'prompt').value = 'Why?';
    press(find(chat, 'prompt'), { key: 'Enter' });
    await nextTurn();
    await answerAll({ failure: { kind: 'invalid', message: 'No endpoint.' } });
    assert.match(notices.textContent, /nothing was sent.*Down\./);
    assert.doesNotMatch(notices.textContent, /No endpoint\./, 'it is said once');
    say({ type: 'view', view: view({ revision: 2 }) });
    assert.equal(notices.textContent, '');
  });

  it('sends nothing while a parameter is wrong, and opens the parameters', async () => {
    const fields = [{ name: 'temperature', kind: 'number', description: 'd', minimum: 0, maximum: 2 }];
    const chat = await open(snapshot(null, { parameterFields: fields as never }));
    const panel = find(chat, 'parameters');
    const control = panel.querySelector<HTMLInputElement>('#parameter-temperature')!;
    control.value = 'warm';
    fire(control, 'change');
    await answerAll();
    find(chat, 'prompt').value = 'Why?';
    press(find(chat, 'prompt'), { key: 'Enter' });
    await nextTurn();
    await answerAll();
    pass();
    assert.deepEqual([panel.hidden, asked()], [false, []]);
    assert.match(find(chat, 'notices').textContent, /parameter/i);
    assert.ok(document.activeElement === control);
    assert.equal(press(control, { key: 'Escape' }), false);
    assert.equal(panel.hidden, true);
  });

  it('stops an answer or a tool call with Escape, once nothing else is open', async () => {
    const chat = await open(snapshot(held(user('u1', null, 'Why?'), started('a1', 'u1'))));
    press(find(chat, 'prompt'), { key: 'Escape', isComposing: true });
    say({ type: 'find' });
    press(find(chat, 'prompt'), { key: 'Escape' });
    assert.equal(find(chat, 'find').hidden, true);
    click(find(find(chat, 'composer'), 'Parameters'));
    assert.equal(find(chat, 'parameters').hidden, false);
    press(find(chat, 'prompt'), { key: 'Escape' });
    assert.equal(find(chat, 'parameters').hidden, true);
    assert.deepEqual(asked(), []);
    press(find(chat, 'prompt'), { key: 'Escape' });
    assert.deepEqual(asked(), [['stop']]);
    say({ type: 'event', conversationId: 'c', sequence: 2, event: ended('a1') });
    forget();
    press(find(chat, 'prompt'), { key: 'Escape' });
    assert.deepEqual(asked(), []);
    say({ type: 'view', view: view({ revision: 9, tools: { ...noTools, isUnderWay: true } }) });
    press(find(chat, 'prompt'), { key: 'Escape' });
    assert.deepEqual(asked(), [['stop']]);
  });

  it('takes the focus and drafts only when the host says so', async () => {
    const chat = await open(snapshot(null, {}, { draft: { id: 'n', text: 'begun' } }));
    const prompt = find(chat, 'prompt');
    assert.deepEqual([prompt.value, document.activeElement === prompt], ['begun', false]);
    say({ type: 'focusPrompt' });
    assert.ok(document.activeElement === prompt);
    blur();
    say({ type: 'draft', text: 'Explain this' });
    assert.deepEqual([prompt.value, document.activeElement === prompt], ['Explain this', true]);
    assert.deepEqual(asked(), [['changeDraft', { id: 'n', text: 'Explain this' }]]);
    blur();
    fire(window, 'focus');
    assert.ok(document.activeElement === prompt);
    find(chat, 'Send (Enter)').focus();
    fire(window, 'focus');
    assert.ok(document.activeElement === find(chat, 'Send (Enter)'));
    prompt.value = 'Explain that';
    fire(prompt, 'input');
    assert.equal(asked().length, 1);
    fire(window, 'blur');
    assert.deepEqual(asked().at(-1), ['changeDraft', { id: 'n', text: 'Explain that' }]);
  });

  it('shows the newest fifty messages of a long conversation, and earlier ones on request', async () => {
    const events = Array.from({ length: 120 }, (_, index) =>
      user(`u${index}`, index === 0 ? null : `u${index - 1}`, `No ${index}.`),
    );
    const chat = await open(snapshot(held(...events)));
    const shown = (): string[] => all(find(chat, 'turns'), '.plain').map((each) => each.textContent);
    const earlier = find(chat, 'earlier');
    assert.deepEqual([shown().length, shown()[0], earlier.hidden], [50, 'No 70.', false]);
    assert.match(earlier.textContent, /70/);
    click(earlier);
    pass();
    assert.deepEqual([shown().length, shown()[0]], [100, 'No 20.']);
    click(earlier);
    pass();
    assert.deepEqual([shown().length, shown().at(-1), earlier.hidden], [120, 'No 119.', true]);
    say({ type: 'snapshot', snapshot: snapshot({ ...held(...events), id: 'd' }) });
    assert.equal(shown().length, 50, 'another conversation begins with its newest');
  });

  it('says why it cannot catch up with the host, and catches up later', async () => {
    const chat = await open(snapshot(held(user('u1', null, 'Why?'))));
    const skip = (sequence: number): void =>
      say({ type: 'event', conversationId: 'c', sequence, event: user('u2', 'u1', 'More') });
    skip(9);
    await answerAll({ failure: { kind: 'internal', message: 'It could not be read.' } });
    await nextTurn();
    assert.match(find(chat, 'notices').textContent, /It could not be read\./);
    assert.equal(chat.lastElementChild?.textContent, 'It could not be read.');
    skip(10);
    assert.deepEqual(asked(), [['ready']]);
    await answerAll({ snapshot: snapshot(held(user('u3', null, 'Anew')), { revision: 2 }, { sequence: 10 }) });
    assert.equal(find(chat, 'notices').textContent, '');
    assert.match(chat.textContent, /Anew/);
  });
});

describe('HostLink', () => {
  let calls: unknown[][];
  let posted: unknown[];
  let link: InstanceType<typeof HostLink>;
  inPage();
  beforeEach(() => {
    [calls, posted] = [[], []];
    const noted = notedIn(() => calls);
    const api = {
      postMessage: (message: unknown) => posted.push(message),
      getState: () => undefined,
      setState: () => undefined,
    };
    link = new HostLink(api, noted('push'), noted('broken'));
  });
  const say = (data: unknown) => fire(window, 'message', { data });

  it('resolves each request with its own reply, in any order', async () => {
    const replies: unknown[] = [];
    const asked = [link.request('stop'), link.request('ready')].map(async (each) => replies.push(await each));
    const failure = { kind: 'server', message: 'No.' };
    say({ type: 'reply', id: 2, failure });
    say({ type: 'reply', id: null, failure });
    say({ type: 'reply', id: 9 });
    say({ type: 'reply', id: 1 });
    say({ type: 'reply', id: 1, failure });
    await Promise.all(asked);
    assert.deepEqual(replies, [
      { type: 'reply', id: 2, failure },
      { type: 'reply', id: 1 },
    ]);
    assert.deepEqual(calls, []);
  });

  it('passes on messages of the host and reports those that it does not understand', () => {
    say({ type: 'focusPrompt' });
    say({ type: 'unheard' });
    say(undefined);
    assert.deepEqual(calls, [['push', { type: 'focusPrompt' }], ['broken'], ['broken']]);
  });
});

describe('readHostMessage', () => {
  it('accepts each kind of message', async () => {
    const service = new ChatService(fakePorts());
    const snapshot = await service.snapshot();
    for (const message of [
      { type: 'reply', id: 3 },
      { type: 'reply', id: null, failure: { kind: 'protocol', message: 'No.' } },
      { type: 'reply', id: 3, snapshot },
      { type: 'snapshot', snapshot },
      { type: 'event', conversationId: 'c', sequence: 1, event: { type: 'renamed', title: 'x', atMs: 1 } },
      { type: 'view', view: snapshot.view },
      { type: 'focusPrompt' },
      { type: 'find' },
      { type: 'codeColours', colours: { comment: '#123456' } },
      { type: 'draft', text: 'x' },
    ])
      assert.equal(readHostMessage(message), message, JSON.stringify(message));
    service.dispose();
  });

  it('rejects anything else', async () => {
    const service = new ChatService(fakePorts());
    const snapshot = await service.snapshot();
    const broken: unknown[] = [
      undefined,
      null,
      'find',
      {},
      { type: 1 },
      { type: 'unknown' },
      { type: 'toString' },
      { type: '__proto__' },
      { type: 'reply' },
      { type: 'reply', id: 'x' },
      { type: 'reply', id: 1, failure: 'no' },
      { type: 'reply', id: 1, failure: {} },
      { type: 'reply', id: 1, snapshot: {} },
      { type: 'snapshot' },
      { type: 'snapshot', snapshot: null },
      { type: 'event', sequence: 1, event: { type: 'renamed' } },
      { type: 'event', conversationId: 'c', event: { type: 'renamed' } },
      { type: 'event', conversationId: 'c', sequence: 1 },
      { type: 'event', conversationId: 'c', sequence: 1, event: {} },
      { type: 'view', view: null },
      { type: 'view', view: { tools: {} } },
      { type: 'view', view: { revision: 1 } },
      { type: 'draft' },
      { type: 'codeColours' },
      { type: 'codeColours', colours: 'red' },
      ...[
        { sequence: 'x' },
        { view: undefined },
        { draft: undefined },
        { draft: {} },
        { conversation: undefined },
        { conversation: {} },
      ].map((change) => ({ type: 'snapshot', snapshot: { ...snapshot, ...change } })),
    ];
    for (const message of broken) assert.equal(readHostMessage(message), undefined, JSON.stringify(message));
    service.dispose();
  });
});

describe('Notices', () => {
  const failure = (message: string, remedy?: string): Failure => ({
    kind: 'server',
    message,
    ...(remedy !== undefined && { remedy }),
  });
  const listFailed: ViewState['endpoints'] = {
    status: 'failed',
    items: [],
    failure: failure('No answer.', 'Start it.'),
  };

  let calls: unknown[][] = [];
  let notices: InstanceType<typeof Notices>;
  const noted = notedIn(() => calls);
  inPage();
  beforeEach(() => {
    calls = [];
    notices = new Notices({
      refreshEndpoints: noted('refresh'),
      chooseEndpoint: noted('chooseEndpoint'),
      chooseProfile: noted('choose'),
      adoptProfile: noted('adopt'),
      dismissNotice: noted('dismiss'),
      dismissOwn: noted('dismissOwn'),
    });
  });

  it('lets the user name an endpoint if the service has no list', () => {
    const none = { ...failure('No list.'), kind: 'notFound' as const };
    notices.update(view({ endpoints: { ...listFailed, failure: none } }));
    for (const button of all(notices.element, 'button')) click(button);
    assert.deepEqual(calls, [['chooseEndpoint']]);
  });

  it('shows every problem with its actions', () => {
    notices.set(failure('Not sent.'));
    notices.update(view({ endpoints: listFailed, otherProfile: 'Q', notice: failure('Not saved.', 'Free space.') }));
    const shown = all(notices.element, '.card').map(({ textContent }) => textContent);
    for (const [index, words] of [/No answer\..*Start it\./, /Q/, /Not saved\..*Free space\./, /Not sent\./].entries())
      assert.match(shown[index] ?? '', words);
    assert.equal(shown.length, 4);
    for (const button of notices.element.querySelectorAll('button')) click(button);
    assert.deepEqual(calls, [['refresh'], ['choose'], ['adopt'], ['dismiss'], ['dismissOwn']]);
  });
});

describe('EmptyState', () => {
  const conversation = (change: Partial<ViewState['recent'][number]> = {}): ViewState['recent'][number] => ({
    id: 'a',
    title: 'A',
    updatedAtMs: created + 10_000 - 2 * 3_600_000,
    isWriting: false,
    isUnread: false,
    ...change,
  });
  const suggestions: ViewState['suggestions'] = [
    { title: 'T', prompt: 'P' },
    { title: 'U', prompt: 'Q', isDeed: true, icon: 'error', deed: 'D' },
  ];
  let calls: unknown[][] = [];
  let empty: InstanceType<typeof EmptyState>;
  const noted = notedIn(() => calls);
  inPage();
  beforeEach(() => {
    calls = [];
    empty = new EmptyState({
      suggest: noted('suggest'),
      open: noted('open'),
      showAll: noted('all'),
      takeRoom: noted('room'),
    });
  });
  const everything = view({
    offersRoom: true,
    suggestions,
    recent: [
      conversation({ isWriting: true, isUnread: true }),
      conversation({ id: 'b', title: '', isUnread: true }),
      conversation({ id: 'c', title: 'C' }),
    ],
  });

  it('offers suggestions, recent conversations and more room', () => {
    empty.update(everything, true);
    assert.match(empty.element.textContent, /models of P/);
    assert.deepEqual(
      all(empty.element, '.recent-item').map(({ textContent, className }) => [textContent, className]),
      [
        ['Awriting', 'recent-item unread'],
        ['Untitled chatnew answer', 'recent-item unread'],
        ['C2h ago', 'recent-item'],
      ],
    );
    for (const button of empty.element.querySelectorAll('button')) click(button);
    assert.deepEqual(calls, [
      ['suggest', suggestions[1]],
      ['suggest', suggestions[0]],
      ['all'],
      ['open', 'a'],
      ['open', 'b'],
      ['open', 'c'],
      ['room', 'sideBar'],
      ['room', 'tab'],
      ['room', 'none'],
    ]);
  });
});

describe('failureCard', () => {
  inPage();

  it('shows what happened, what to do, and the folded details', () => {
    const calls: unknown[][] = [];
    const noted = notedIn(() => calls);
    const card = failureCard(
      { kind: 'server', message: 'It failed.', remedy: 'Wait.', details: 'HTTP 500' },
      'error',
      { label: 'Fix', isMain: true, run: noted('fix') },
      { label: 'Retry', run: noted('retry') },
    );
    for (const part of ['It failed.', 'Wait.', 'HTTP 500']) assert.ok(card.textContent.includes(part), part);
    assert.equal(find(card, 'details').hasAttribute('open'), false);
    for (const button of card.querySelectorAll('button')) click(button);
    assert.deepEqual(calls, [['fix'], ['retry']]);
  });
});
