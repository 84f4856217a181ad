import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Emitter } from '../../../../src/shared/event.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { fakePorts } from '../../../support/chatHarness/fakePorts.ts';
import { FakeConnections } from '../../../support/editorStandIn/connections.ts';
import { editor, memento, standIn } from '../../../support/editorStandIn/editorStandIn.ts';
import { eventually } from '../../../support/eventually.ts';
import { settle } from '../../../support/fakeClock.ts';
import { holdTrail } from '../../../support/trail.ts';

const { registerChat } = await import('../../../../src/chat/host/registerChat.ts');

describe('the view of the chat', () => {
  holdTrail(import.meta.url);
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

  it('waits for jobs that do not come no longer than three tenths of a second', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { loads, resolved } = resolveBeside(new Promise(() => undefined));
      mock.timers.tick(299);
      await settle();
      assert.equal(loads(), 0);
      mock.timers.tick(1);
      assert.equal(await resolved, 'Error: no tools');
      assert.equal(loads(), 1);
    } finally {
      mock.timers.reset();
    }
  });

  it('offers problems of job files and Python to the chat, where Problems and the light bulb list what can be done', () => {
    resolveBeside(Promise.resolve());
    const provide = editor.providers['actions']?.['provideCodeActions'] as (...given: unknown[]) => unknown[];
    const uri = standIn.Uri.file('/work/a.py');
    assert.deepEqual(editor.selectors['actions'], ['millrace-job', 'python']);
    assert.deepEqual(provide({ uri }, undefined, { diagnostics: [] }), []);
    const diagnostics = [{ message: 'no' }];
    const [action] = provide({ uri }, undefined, { diagnostics }) as { title: string; kind: string; command: object }[];
    const title = 'Attach to Chat';
    assert.deepEqual([action?.title, action?.kind], [title, standIn.CodeActionKind.QuickFix]);
    assert.deepEqual(editor.about['actions'], [{ providedCodeActionKinds: [standIn.CodeActionKind.QuickFix] }]);
    assert.deepEqual(action?.command, { title, command: 'millrace.chat.attach', arguments: [{ uri, diagnostics }] });
  });

  const never = new Emitter<void>().event;
  const panelOf = () => ({
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
  });

  it('loads nothing to be over', async () => {
    editor.reset();
    let loads = 0;
    const services = { loadTools: async () => void (loads += 1) };
    registerChat({} as never, services as never).dispose();
    await settle();
    assert.deepEqual([loads, editor.providers], [0, {}]);
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
      await assert.rejects(chat.run('ask', { prompt: 7 }), 'what is handed over is looked at');
      const view = { ...panelOf(), onDidChangeVisibility: never };
      const resolve = editor.providers['webview']?.['resolveWebviewView'] as (view: unknown) => Promise<void>;
      await resolve(view);
      assert.match(view.webview.html, /chat\.js/);
      const document = editor.providers['millrace-chat']?.['provideTextDocumentContent'] as (uri: unknown) => unknown;
      await assert.rejects(async () => document(standIn.Uri.parse('millrace-chat:/e.json?gone/gone')));
      const tabs = editor.providers['millrace.chatTab']?.['deserializeWebviewPanel'] as (panel: unknown) => unknown;
      await tabs(panelOf());
      await chat.run('openInTab', undefined);
      assert.deepEqual([editor.executed.at(-1), loads], [['reveal'], 1]);
      assert.equal(editor.events.textSelection.isHeard, true);
      chat.dispose();
      assert.deepEqual(editor.providers, {});
      await eventually(() => assert.equal(editor.events.textSelection.isHeard, false));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
