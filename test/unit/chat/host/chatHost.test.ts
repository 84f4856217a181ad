import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { fakePorts } from '../../../support/chatHarness/fakePorts.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, standIn, textFile } from '../../../support/editorStandIn/editorStandIn.ts';
import './chatHostShown.part.ts';
import { heldConversations } from './heldConversations.ts';

const { ChatHost } = await import('../../../../src/chat/host/chatHost.ts');

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

  it('attaches a file, what is handed over, or what the user chooses', async () => {
    editor.files.add('/work/a.py');
    editor.contents.set('/work/a.py', 'x = 1');
    await host.run('attach', standIn.Uri.file('/work/a.py'));
    await host.run('attach', { attachments: [{ label: 'l', text: 't' }] });
    await host.run('attach', undefined);
    const uri = standIn.Uri.file('/work/a.py');
    const { openTextDocument } = standIn.workspace;
    standIn.workspace.openTextDocument = async () => textFile('file:///work/a.py', 'x = 1', 'python') as never;
    await host.run('attach', {
      uri,
      diagnostics: ['no', 'never'].map((message) => ({ message, range: new standIn.Range(0, 0, 0, 1), severity: 0 })),
    });
    standIn.workspace.openTextDocument = openTextDocument;
    assert.deepEqual(calls.splice(3), [
      ['attach', { label: 'a.py:1', language: 'python', text: 'a.py:1: error: no\n\nx = 1' }],
      ['attach', { label: 'a.py:1', language: 'python', text: 'a.py:1: error: never\n\nx = 1' }],
    ]);
    assert.deepEqual(calls, [
      ['attach', { label: 'a.py', language: 'py', text: 'x = 1' }],
      ['attach', { label: 'l', text: 't' }],
      ['attachContext'],
    ]);
    assert.equal(editor.executed.length, 4, 'the chat is shown');
  });
});
