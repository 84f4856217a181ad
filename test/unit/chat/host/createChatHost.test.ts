import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Snapshot } from '../../../../src/chat/protocol.ts';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { fakePorts } from '../../../support/chatHarness/fakePorts.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';

const { createChatHost } = await import('../../../../src/chat/host/chatHost.ts');

describe("the chat's host", () => {
  it('is made with the settings and the memory of the editor', async () => {
    editor.reset();
    const messages: unknown[] = [];
    const received = new Emitter<unknown>();
    const never = new Emitter<void>().event;
    const webview = {
      html: '',
      options: {},
      onDidReceiveMessage: received.event,
      postMessage: async (message: unknown) => messages.push(message),
      asWebviewUri: (uri: unknown) => uri,
    };
    const view = { visible: true, onDidChangeVisibility: never, onDidDispose: never, webview };
    const folder = await mkdtemp(path.join(tmpdir(), 'millrace-chat-'));
    try {
      const globalState = memento();
      const services = {
        connections: new FakeConnections({ inference: { listEndpoints: async () => [] } }),
        isProcessAlive: () => false,
        jobsShown: async () => undefined,
        loadTools: async () => fakePorts().tools,
        applyCode: async () => undefined,
        log: silentLogger,
        presentFailure: () => undefined,
      };
      const context = {
        extensionUri: standIn.Uri.file('/extension'),
        globalStorageUri: standIn.Uri.file(folder),
        workspaceState: memento(),
        globalState,
      };
      const made = createChatHost(context as never, services, fakePorts().tools);
      made.attach(view as never);
      const ask = async (method: string, params?: object): Promise<Snapshot | undefined> => {
        messages.length = 0;
        received.fire({ type: 'request', id: 1, method, ...(params && { params }) });
        const reply = (): { snapshot?: Snapshot; failure?: unknown } | undefined =>
          messages.find((message) => (message as { type: string }).type === 'reply') as never;
        await eventually(() => assert.ok(reply()));
        assert.equal(reply()?.failure, undefined, method);
        return reply()?.snapshot;
      };
      const first = await ask('ready', {});
      assert.equal(first?.view.offersRoom, true);
      assert.deepEqual(
        first?.view.suggestions.map(({ title }) => title),
        ['Write a job file', 'Schedule a job', 'Retry a failing task', 'Pass parameters', 'Use a real model'],
      );
      await ask('takeRoom', { way: 'sideBar' });
      assert.deepEqual(editor.executed.at(-1), ['workbench.action.moveFocusedView', 'millrace.chat']);
      assert.deepEqual(globalState.values, { 'millrace.chat.roomOffered': true });
      assert.equal((await ask('ready', {}))?.view.offersRoom, false);
      await ask('offerTools', { isOn: true });
      assert.equal(editor.settings['millrace.chat.offerTools'], true);
      await ask('showHistory', {});
      assert.equal(editor.boxes.length, 1);
      await made.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
