import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ConversationEvent } from '../../../../src/chat/conversationEvent.ts';
import type { Reply, Snapshot } from '../../../../src/chat/protocol.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { fakePorts } from '../../../support/chatHarness/fakePorts.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';

const { createChatHost } = await import('../../../../src/chat/host/chatHost.ts');

describe("the chat's host", () => {
  const { createWebviewPanel } = standIn.window;
  const never = new Emitter<void>().event;
  let messages: unknown[];
  let received: Emitter<unknown>;
  let folder: string;
  let globalState: ReturnType<typeof memento>;
  let workspaceState: ReturnType<typeof memento>;
  let applied: unknown[];
  let asked: unknown[][];
  let release: () => void;
  let made: ReturnType<typeof createChatHost>;

  const webview = () => ({
    html: '',
    options: {},
    onDidReceiveMessage: received.event,
    postMessage: async (message: unknown) => messages.push(message),
    asWebviewUri: (uri: unknown) => uri,
  });
  const create = (): void => {
    const { promise, resolve } = Promise.withResolvers<void>();
    release = resolve;
    const services = {
      connections: new FakeConnections({
        inference: {
          listEndpoints: async () => [{ name: 'guide', task: 'chat' }],
          streamChat: async function* (...call: unknown[]) {
            asked.push(call);
            yield { choices: [{ index: 0, delta: { content: 'Hello.' } }] };
            await promise;
            yield { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
          },
        },
      }),
      isProcessAlive: (id: number) => id === 999,
      jobsShown: async () => undefined,
      loadTools: async () => fakePorts().tools,
      applyCode: async (code: unknown) => void applied.push(code),
      log: silentLogger,
      presentFailure: () => undefined,
    };
    const context = {
      extensionUri: standIn.Uri.file('/extension'),
      globalStorageUri: standIn.Uri.file(folder),
      workspaceState,
      globalState,
    };
    made = createChatHost(context as never, services, {
      ...fakePorts().tools,
      tools: [
        {
          definition: { type: 'function', function: { name: 'list', description: '', parameters: {} } },
          isChange: false,
        },
      ],
    });
    made.attach({ visible: true, onDidChangeVisibility: never, onDidDispose: never, webview: webview() } as never);
  };
  beforeEach(async () => {
    editor.reset();
    [messages, applied, asked] = [[], [], []];
    received = new Emitter();
    [globalState, workspaceState] = [memento(), memento()];
    folder = await mkdtemp(path.join(tmpdir(), 'millrace-chat-'));
  });
  afterEach(async () => {
    standIn.window.createWebviewPanel = createWebviewPanel;
    release();
    await made.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = async (method: string, params?: object): Promise<Snapshot | undefined> => {
    messages.length = 0;
    received.fire({ type: 'request', id: 1, method, ...(params && { params }) });
    const reply = (): Reply | undefined =>
      messages.find((message) => (message as { type: string }).type === 'reply') as never;
    await eventually(() => assert.ok(reply()));
    assert.equal(reply()?.failure, undefined, method);
    return reply()?.snapshot;
  };

  it('lets models call functions only where the setting says so, which the view can change', async () => {
    create();
    await ask('ready');
    const isOn = async (): Promise<unknown> => (await ask('ready'))?.view.tools.isOn;
    // The guide of this machine may in any case: another endpoint is asked.
    editor.input = () => 'llama';
    editor.settings['millrace.chat.offerTools'] = 'yes';
    const choosing = ask('chooseEndpoint');
    await eventually(() => assert.equal(editor.boxes[0]?.busy, false));
    const [box] = editor.boxes;
    Object.assign(box ?? {}, { selectedItems: ((box?.['items'] ?? []) as unknown[]).slice(-1) });
    box?.events.accept.fire(undefined as never);
    await choosing;
    assert.deepEqual(editor.executed.at(-1), ['millrace.chat.focus'], 'the chat is shown again');
    assert.equal(await isOn(), false);
    await ask('offerTools', { isOn: true });
    assert.deepEqual([editor.settings['millrace.chat.offerTools'], await isOn()], [true, true]);
    await ask('offerTools', { isOn: false });
    assert.deepEqual([editor.settings['millrace.chat.offerTools'], await isOn()], [false, false]);
  });

  it('follows an answer that the process of another window writes, if that is there', async () => {
    const events: ConversationEvent[] = [
      { type: 'created', id: 'c', title: 'T', atMs: 10 },
      { type: 'userAdded', id: 'u', parentId: null, text: 'Why?', atMs: 11 },
      { type: 'answerStarted', id: 'a', parentId: 'u', endpoint: 'guide', atMs: 12 },
    ];
    await mkdir(path.join(folder, 'chat'));
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    for (const [id, writer] of [
      ['c', 999],
      ['d', 998],
    ] as const) {
      await writeFile(path.join(folder, 'chat', `${id}.jsonl`), text);
      const sign = JSON.stringify({ writer, atMs: Date.now() + 60_000 });
      await writeFile(path.join(folder, 'chat', `${id}.tail`), `${sign}\n`);
    }
    create();
    const statusOf = async (id: string): Promise<unknown> => {
      await ask('openConversation', { id });
      const turn = (await ask('ready'))?.conversation?.turns.at(-1);
      return turn?.role === 'assistant' && turn.status;
    };
    assert.deepEqual([await statusOf('c'), await statusOf('d')], ['streaming', 'cutOff']);
  });
});
