import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { fakePorts } from '../../../support/chatHarness/fakePorts.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, standIn } from '../../../support/editorStandIn/editorStandIn.ts';

const { registerChat } = await import('../../../../src/chat/host/registerChat.ts');

describe('the view of the chat', () => {
  /** The view is wanted beside the jobs. @returns whether anything was loaded for it, and what became of that */
  const resolveBeside = (jobsShown: Promise<void>): { loads(): number; resolved: Promise<unknown> } => {
    editor.reset();
    let loads = 0;
    registerChat({} as never, {
      connections: new FakeConnections(),
      jobsShown: () => jobsShown,
      loadTools() {
        loads += 1;
        return Promise.reject(new Error('no tools'));
      },
      applyCode: async () => undefined,
      isProcessAlive: () => false,
      log: silentLogger,
      presentFailure: () => undefined,
    });
    const resolve = editor.providers['webview']?.['resolveWebviewView'] as (view: unknown) => Promise<unknown>;
    return { loads: () => loads, resolved: resolve({}).then(undefined, String) };
  };

  it('loads nothing while the jobs beside it are about to be shown', async () => {
    const shown = Promise.withResolvers<void>();
    const { loads, resolved } = resolveBeside(shown.promise);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    assert.equal(loads(), 0);
    shown.resolve();
    assert.equal(await resolved, 'Error: no tools');
    assert.equal(loads(), 1);
  });

  it('does not wait for jobs that do not come', async () => {
    const { loads, resolved } = resolveBeside(new Promise(() => undefined));
    assert.equal(await resolved, 'Error: no tools');
    assert.equal(loads(), 1);
  });

  it('offers problems of job files and Python to the chat, where Problems and the light bulb list what can be done', () => {
    resolveBeside(Promise.resolve());
    const provide = editor.providers['actions']?.['provideCodeActions'] as (...given: unknown[]) => unknown[];
    const uri = standIn.Uri.file('/work/a.py');
    assert.deepEqual(editor.selectors['actions'], ['millrace-job', 'python']);
    assert.deepEqual(provide({ uri }, undefined, { diagnostics: [] }), []);
    const diagnostics = [{ message: 'no' }];
    const [action] = provide({ uri }, undefined, { diagnostics }) as { title: string; command: object }[];
    const title = 'Attach to the Chat';
    assert.equal(action?.title, title);
    assert.deepEqual(action?.command, { title, command: 'millrace.chat.attach', arguments: [{ uri, diagnostics }] });
  });

  it('does its commands, its tabs and its documents with one host, and lets go of all with itself', async () => {
    editor.reset();
    const folder = await mkdtemp(path.join(tmpdir(), 'millrace-chat-'));
    let loads = 0;
    const context = {
      extensionUri: standIn.Uri.file('/extension'),
      globalStorageUri: standIn.Uri.file(folder),
      workspaceState: memento(),
      globalState: memento(),
    };
    const chat = registerChat(context as never, {
      connections: new FakeConnections(),
      jobsShown: async () => undefined,
      loadTools: async () => ((loads += 1), fakePorts().tools),
      applyCode: async () => undefined,
      isProcessAlive: () => false,
      log: silentLogger,
      presentFailure: () => undefined,
    });
    try {
      await chat.run('move', undefined);
      assert.deepEqual(editor.executed, [['workbench.action.moveFocusedView', 'millrace.chat']]);
      const document = editor.providers['millrace-chat']?.['provideTextDocumentContent'] as (uri: unknown) => unknown;
      await assert.rejects(async () => document(standIn.Uri.parse('millrace-chat:/e.json?gone/gone')));
      const tabs = editor.providers['millrace.chatTab']?.['deserializeWebviewPanel'] as (panel: unknown) => unknown;
      const never = new Emitter<void>().event;
      const panel = {
        title: '',
        visible: true,
        reveal: () => void editor.executed.push(['reveal']),
        onDidChangeViewState: never,
        onDidDispose: never,
        webview: {
          html: '',
          options: {},
          onDidReceiveMessage: never,
          postMessage: async () => true,
          asWebviewUri: String,
        },
      };
      await tabs(panel);
      await chat.run('openInTab', undefined);
      assert.deepEqual([editor.executed.at(-1), loads], [['reveal'], 1]);
      chat.dispose();
      assert.deepEqual(editor.providers, {});
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
