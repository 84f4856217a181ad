import assert from 'node:assert/strict';
import { pageFiles } from '../../../../src/chat/chatPage.ts';
import { ChatService } from '../../../../src/chat/chatService.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { fakePorts, type FakePorts } from '../../../support/chatHarness/fakePorts.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/fakeClock.ts';
import { heldConversations } from './heldConversations.ts';

const { ChatHost } = await import('../../../../src/chat/host/chatHost.ts');
const { viewHtml, webviewOptions } = await import('../../../../src/chat/host/chatHost.ts');

describe('the chat in the editor', () => {
  const calls: unknown[][] = [];
  const searched: string[] = [];
  let posted = new Emitter<unknown>();
  let finished = new Emitter<void>();
  let current: object | undefined;
  let lastAnswer: string | undefined;
  let unread: string | undefined;
  const { noted, service: held } = heldConversations(calls, searched, (id) => id === unread);
  const service = {
    onDidPost: (listener: (message: unknown) => void) => posted.event(listener),
    newConversation: noted('new'),
    timely: { selectionChanged: () => calls.push(['selection']) },
    asking: { onDidFinishAnswer: (listener: () => void) => finished.event(listener), stop: noted('stop') },
    close: noted('close'),
    prompt: {
      attachSelection: noted('attachSelection'),
      attachContext: noted('attachContext'),
      attach: (one: unknown) => calls.push(['attach', one]),
      put: (text: string) => calls.push(['draft', text]),
    },
    snapshot: async () => ({ snapshot: true }),
    ...held,
    exchangeText: async (...ids: string[]) => ids.join(' of '),
    editor: { copy: noted('copy') },
    get lastAnswer() {
      return lastAnswer;
    },
    get currentConversation() {
      return current;
    },
  };
  const messages: unknown[] = [];
  let view: {
    visible: boolean;
    badge?: unknown;
    webview: { html: string; options: Record<string, unknown> };
    received: Emitter<unknown>;
    seen: Emitter<void>;
    gone: Emitter<void>;
  };
  let host: InstanceType<typeof ChatHost>;

  beforeEach(() => {
    editor.reset();
    calls.length = messages.length = searched.length = 0;
    [posted, finished] = [new Emitter(), new Emitter()];
    current = { id: 'a', title: 'A' };
    [lastAnswer, unread] = [undefined, undefined];
    host = new ChatHost({ extensionUri: standIn.Uri.file('/extension') } as never, service as never, {
      connections: new FakeConnections(),
      isProcessAlive: () => false,
      jobsShown: async () => undefined,
      loadTools: async () => fakePorts().tools,
      applyCode: async (code) => void calls.push(['applyCode', code]),
      log: silentLogger,
      presentFailure: (...failure) => calls.push(['failure', ...failure]),
    });
    const [received, seen, gone] = [new Emitter<unknown>(), new Emitter<void>(), new Emitter<void>()];
    view = { visible: true, received, seen, gone, webview: { html: '', options: {} } };
    Object.assign(view, { onDidChangeVisibility: seen.event, onDidDispose: gone.event });
    Object.assign(view.webview, {
      onDidReceiveMessage: received.event,
      postMessage: async (message: unknown) => messages.push(message),
      asWebviewUri: (uri: unknown) => uri,
    });
  });

  it('counts the answers that nobody has seen, until the view is seen', () => {
    host.attach(view as never);
    finished.fire();
    assert.equal(view.badge, undefined);
    view.visible = false;
    finished.fire();
    assert.deepEqual(view.badge, { value: 1, tooltip: '1 new answer' });
    finished.fire();
    assert.deepEqual(view.badge, { value: 2, tooltip: '2 new answers' });
    view.seen.fire();
    assert.deepEqual(view.badge, { value: 2, tooltip: '2 new answers' });
    view.visible = true;
    view.seen.fire();
    assert.equal(view.badge, undefined);
    view.visible = false;
    finished.fire();
    assert.deepEqual(view.badge, { value: 1, tooltip: '1 new answer' });
  });

  it('puts a prompt that was handed over into a conversation of its own', async () => {
    await host.run('ask', { prompt: 'why', attachments: [{ label: 'l', language: 'x', text: 't' }] });
    assert.deepEqual(calls, [
      ['new', { isChat: true }],
      ['attach', { label: 'l', language: 'x', text: 't' }],
      ['draft', 'why'],
    ]);
    assert.deepEqual(editor.executed, [['millrace.chat.focus']]);
    host.attach(view as never);
    await host.run('ask', { prompt: 'now' });
    assert.deepEqual(calls.at(-1), ['draft', 'now']);
    await assert.rejects(host.run('ask', { prompt: 7 }));
  });
});

describe('where the chat is shown', () => {
  interface Place {
    visible: boolean;
    badge?: unknown;
    title: string;
    seen: Emitter<void>;
    gone: Emitter<void>;
    received: Emitter<unknown>;
    posted: unknown[];
    wasDisposed: boolean;
  }
  /** A view or a tab as the editor makes it. */
  function place(): Place {
    const [seen, gone, received] = [new Emitter<void>(), new Emitter<void>(), new Emitter<unknown>()];
    const made: Place = { visible: true, title: '', seen, gone, received, posted: [], wasDisposed: false };
    return Object.assign(made, {
      onDidChangeVisibility: seen.event,
      onDidChangeViewState: seen.event,
      onDidDispose: gone.event,
      reveal: () => undefined,
      dispose: () => (made.wasDisposed = true),
      webview: {
        html: '',
        options: {},
        onDidReceiveMessage: received.event,
        postMessage: async (message: unknown) => made.posted.push(message),
        asWebviewUri: (uri: unknown) => uri,
      },
    });
  }

  let ports: FakePorts;
  let service: ChatService;
  let host: InstanceType<typeof ChatHost>;
  let failures: unknown[][];
  const { executeCommand } = standIn.commands;

  beforeEach(async () => {
    editor.reset();
    failures = [];
    ports = fakePorts();
    service = new ChatService(ports);
    host = new ChatHost({ extensionUri: standIn.Uri.file('/extension') } as never, service, {
      connections: new FakeConnections(),
      isProcessAlive: () => false,
      jobsShown: async () => undefined,
      loadTools: async () => ports.tools,
      applyCode: async () => undefined,
      log: silentLogger,
      presentFailure: (...failure) => failures.push(failure),
    });
    await service.refreshEndpoints();
  });
  afterEach(() => {
    standIn.commands.executeCommand = executeCommand;
    service.dispose();
  });

  const ask = async (text: string): Promise<void> => {
    const finished = new Promise<void>((resolve) => void service.asking.onDidFinishAnswer(() => resolve()));
    await service.asking.send(text);
    await finished;
    await settle();
  };
  it('answers each place for itself, and tells both what happens', async () => {
    const [view, tab] = [place(), place()];
    host.attach(view as never);
    host.attachTab(tab as never);
    view.received.fire({ type: 'request', id: 4, method: 'ready' });
    await settle();
    const replies = ({ posted }: Place): unknown[] =>
      posted.filter((message) => (message as { type: string }).type === 'reply');
    assert.deepEqual([replies(view).length, replies(tab).length], [1, 0]);
    await host.run('find', undefined);
    await host.run('new', undefined);
    const types = ({ posted }: Place): string[] => posted.map((message) => (message as { type: string }).type);
    assert.deepEqual(
      ['find', 'focusPrompt', 'snapshot'].map((type) => [types(view).includes(type), types(tab).includes(type)]),
      [
        [false, true],
        [false, true],
        [true, true],
      ],
    );
  });

  it('is one tab: an older one is closed, and the newer one has the title', async () => {
    const [first, second] = [place(), place()];
    host.attachTab(first as never);
    assert.equal(first.title, 'Chat', 'nothing has begun');
    await ask('Why?');
    assert.deepEqual([first.title, first.wasDisposed], ['Why?', false]);
    host.attachTab(second as never);
    assert.deepEqual([first.wasDisposed, second.wasDisposed, second.title], [true, false, 'Why?']);
    await host.run('new', undefined);
    assert.equal(second.title, 'Chat');
  });

  it('counts no answer that a tab shows, and forgets what it counted once the tab is seen', async () => {
    const [view, tab] = [place(), place()];
    await ask('Before there is a view');
    host.attach(view as never);
    view.visible = false;
    await ask('One');
    await ask('Two');
    assert.deepEqual(view.badge, { value: 2, tooltip: '2 new answers' });
    tab.visible = false;
    host.attachTab(tab as never);
    assert.deepEqual(view.badge, { value: 2, tooltip: '2 new answers' });
    tab.visible = true;
    tab.seen.fire();
    assert.equal(view.badge, undefined);
    await ask('Three');
    assert.equal(view.badge, undefined);
    tab.visible = false;
    await ask('Four');
    assert.deepEqual(view.badge, { value: 1, tooltip: '1 new answer' });
    host.attachTab(place() as never);
    assert.equal(view.badge, undefined, 'a tab that is seen at once');
  });
});

describe("the document of the chat's page", () => {
  const html = (): string =>
    viewHtml({ asWebviewUri: (uri: unknown) => uri } as never, standIn.Uri.file('/extension') as never);
  const { env, l10n } = standIn as unknown as { env: { language: string }; l10n: { bundle?: object } };
  const [language, bundle] = [env.language, l10n.bundle];
  afterEach(() => {
    env.language = language;
    l10n.bundle = bundle;
  });

  it('is in the language of its texts: English where there is no translation', () => {
    env.language = 'de';
    assert.match(html(), /<html lang="en"/);
    l10n.bundle = { Send: 'Senden' };
    assert.match(html(), /<html lang="de"/);
  });

  it('has a nonce of its own each time', () => {
    const nonces = [html(), html()].map((page) => /nonce="([^"]+)"/.exec(page)?.[1]);
    assert.ok((nonces[0]?.length ?? 0) >= 32);
    assert.notEqual(nonces[0], nonces[1]);
  });

  it('loads its own files, as the webview addresses them, and can do nothing else with the editor', () => {
    const extension = standIn.Uri.file('/extension') as never;
    const { localResourceRoots, ...options } = webviewOptions(extension);
    assert.deepEqual(
      [options, localResourceRoots?.map(String)],
      [{ enableScripts: true, enableForms: false, enableCommandUris: false }, ['file:///extension/dist/webview']],
    );
    const asWebviewUri = (uri: standIn.Uri): standIn.Uri => uri.with({ scheme: 'https', authority: 'view' });
    const page = viewHtml({ asWebviewUri } as never, extension);
    const loaded = [...page.matchAll(/(?:src|href)="(https:[^"]+)"/g)].map(([, address]) => address);
    const own = [...pageFiles.scripts, pageFiles.style].map((name) => `https://view/extension/dist/webview/${name}`);
    assert.deepEqual(new Set(loaded), new Set(own));
  });

  it('hands on the translated texts, and says whether it stands in a tab', () => {
    assert.doesNotMatch(html(), /data-tab|Senden/);
    l10n.bundle = { Send: 'Senden' };
    const inTab = viewHtml({ asWebviewUri: (uri: unknown) => uri } as never, standIn.Uri.file('/x') as never, true);
    assert.match(inTab, /<body[^>]* data-tab=/);
    assert.match(inTab, /Senden/);
  });
});
