import assert from 'node:assert/strict';
import { pageFiles } from '../../../../src/chat/chatPage.ts';
import { ChatService } from '../../../../src/chat/chatService.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { fakePorts, type FakePorts } from '../../../support/chatHarness/fakePorts.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/fakeClock.ts';

const { ChatHost } = await import('../../../../src/chat/host/chatHost.ts');
const { viewHtml, webviewOptions } = await import('../../../../src/chat/host/chatHost.ts');

describe('the places of the chat', () => {
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
  /** Creates a view or a tab as the editor does. */
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
      loadTools: async () => ports,
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
  it('show a prompt from a command in a new conversation', async () => {
    await ask('Before');
    await host.run('ask', { prompt: 'why', attachments: [{ label: 'l', language: 'x', text: 't' }] });
    const { draft, view } = await service.snapshot();
    assert.deepEqual(
      [service.currentConversation, draft.text, view.attachments],
      [undefined, 'why', [{ label: 'l', size: 1 }]],
    );
    assert.deepEqual(editor.executed, [['millrace.chat.focus']]);
    await assert.rejects(host.run('ask', { prompt: 7 }));
  });

  it('receive their own replies; events are for the tab, if there is one', async () => {
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
        [false, true],
      ],
    );
  });

  it('show the conversation in the view again when its tab is closed', async () => {
    const [view, tab] = [place(), place()] as (Place & { webview: { html: string } })[];
    host.attach(view as never);
    host.attachTab(tab as never);
    const isBeside = (): boolean | undefined => view?.webview.html.includes('data-beside-tab');
    assert.equal(isBeside(), true);
    tab?.gone.fire();
    assert.equal(isBeside(), false);
  });

  it("include only one tab, which shows the conversation's title", async () => {
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

  it('count an answer as unseen only if neither the view nor the tab is visible', async () => {
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

describe('the HTML of the chat page', () => {
  const html = (): string =>
    viewHtml({ asWebviewUri: (uri: unknown) => uri } as never, standIn.Uri.file('/extension') as never, 'view');
  const { env, l10n } = standIn as unknown as { env: { language: string }; l10n: { bundle?: object } };
  const [language, bundle] = [env.language, l10n.bundle];
  afterEach(() => {
    env.language = language;
    l10n.bundle = bundle;
  });

  it('declares the language of its texts, English without a translation', () => {
    env.language = 'de';
    assert.match(html(), /<html lang="en"/);
    l10n.bundle = { Send: 'Senden' };
    assert.match(html(), /<html lang="de"/);
  });

  it('has a new nonce each time', () => {
    const nonces = [html(), html()].map((page) => /nonce="([^"]+)"/.exec(page)?.[1]);
    assert.ok((nonces[0]?.length ?? 0) >= 32);
    assert.notEqual(nonces[0], nonces[1]);
  });

  it('loads only its own files', () => {
    const extension = standIn.Uri.file('/extension') as never;
    const { localResourceRoots, ...options } = webviewOptions(extension);
    assert.deepEqual(
      [options, localResourceRoots?.map(String)],
      [{ enableScripts: true, enableForms: false, enableCommandUris: false }, ['file:///extension/dist/webview']],
    );
    const asWebviewUri = (uri: standIn.Uri): standIn.Uri => uri.with({ scheme: 'https', authority: 'view' });
    const page = viewHtml({ asWebviewUri } as never, extension, 'view');
    const loaded = [...page.matchAll(/(?:src|href)="(https:[^"]+)"/g)].map(([, address]) => address);
    const own = [...pageFiles.scripts, pageFiles.style].map((name) => `https://view/extension/dist/webview/${name}`);
    assert.deepEqual(new Set(loaded), new Set(own));
  });

  it('contains the translated texts and whether it is in a tab', () => {
    assert.doesNotMatch(html(), /data-tab|Senden/);
    l10n.bundle = { Send: 'Senden' };
    const inTab = viewHtml({ asWebviewUri: (uri: unknown) => uri } as never, standIn.Uri.file('/x') as never, 'tab');
    assert.match(inTab, /<body[^>]* data-tab=/);
    assert.match(inTab, /Senden/);
  });
});
