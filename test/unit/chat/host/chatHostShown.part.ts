import assert from 'node:assert/strict';
import { ChatService } from '../../../../src/chat/chatService.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { fakePorts, type FakePorts } from '../../../support/chatHarness/fakePorts.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { settle } from '../../../support/fakeClock.ts';

const { ChatHost } = await import('../../../../src/chat/host/chatHost.ts');

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

describe('where the chat is shown', () => {
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
