import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { chatCommands } from '../../../../src/chat/host/chatCommands.ts';
import { viewHtml, webviewOptions } from '../../../../src/chat/host/chatHost.ts';
import { EditorActions } from '../../../../src/chat/host/editorActions.ts';

const extension = (): vscode.Extension<unknown> => {
  const found = vscode.extensions.getExtension('millrace.millrace');
  assert.ok(found);
  return found;
};

describe('Chat in the extension host', () => {
  it('has its commands', async () => {
    await extension().activate();
    const commands = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      [...chatCommands, 'focus'].filter((name) => !commands.has(`millrace.chat.${name}`)),
      [],
    );
  });

  it('creates a page that may load only its own files (P18)', () => {
    const { extensionUri } = extension();
    const panel = vscode.window.createWebviewPanel('millrace.test', 'Test', vscode.ViewColumn.One);
    try {
      const pages = [viewHtml(panel.webview, extensionUri, 'view'), viewHtml(panel.webview, extensionUri, 'view')];
      const nonces = pages.map((page) => {
        const policy = new Map(
          (/Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '').split('; ').map((part) => {
            const [name = '', ...values] = part.split(' ');
            return [name, values.join(' ')] as const;
          }),
        );
        const nonce = /^'nonce-([A-Za-z0-9_-]{32})'$/.exec(policy.get('script-src') ?? '')?.[1];
        assert.ok(nonce);
        assert.equal(policy.get('style-src'), `'nonce-${nonce}'`);
        for (const name of ['default-src', 'img-src', 'font-src', 'connect-src', 'base-uri', 'form-action'])
          assert.equal(policy.get(name), "'none'", name);
        assert.equal(policy.get('worker-src'), 'blob:');
        assert.ok(!/unsafe|\*|https?:/.test([...policy.values()].join(' ')));
        assert.deepEqual(
          [...page.matchAll(/<(script|link|style|img|iframe)\b[^>]*>/g)].map((match) => match[1]),
          ['link', 'script'],
        );
        assert.ok(!/\son\w+=/.test(page));
        return nonce;
      });
      assert.notEqual(nonces[0], nonces[1]);
      const options = webviewOptions(extensionUri);
      assert.deepEqual(
        [
          options.enableCommandUris,
          options.enableForms,
          options.localResourceRoots?.map((uri) => uri.path.replace(extensionUri.path, '')),
        ],
        [false, false, ['/dist/webview']],
      );
    } finally {
      panel.dispose();
    }
  });

  it('attaches the selection or the whole file, and inserts text at the cursor', async () => {
    const memory = new Map<string, unknown>();
    const memento = {
      keys: () => [...memory.keys()],
      get: (key: string) => memory.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void memory.set(key, value)),
    } as vscode.Memento;
    const actions = new EditorActions(memento, {
      show: () => Promise.resolve(),
      showHistory: () => Promise.resolve(),
      applyCode: () => Promise.resolve(),
      pickPreset: () => Promise.resolve(undefined),
    });
    const document = await vscode.workspace.openTextDocument({ language: 'python', content: 'a = 1\nb = 2\nc = 3\n' });
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(1, 0, 1, 5);
    const part = await actions.selection();
    assert.deepEqual([part?.language, part?.text, part?.label.endsWith(':2-2')], ['python', 'b = 2', true]);
    await actions.insertAtCursor('B = 3');
    assert.equal(document.getText(), 'a = 1\nB = 3\nc = 3\n');
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    assert.equal((await actions.selection())?.text, document.getText());
    await actions.newFile({ text: 'SELECT 1', language: 'sql' });
    assert.deepEqual(
      [vscode.window.activeTextEditor?.document.getText(), vscode.window.activeTextEditor?.document.languageId],
      ['SELECT 1', 'sql'],
    );
    await actions.newFile({ text: 'x', language: 'no-such-language' });
    assert.equal(vscode.window.activeTextEditor?.document.languageId, 'plaintext');
    await actions.newFile({ text: 'x = 1\n', language: 'python', path: 'made/of_answer.py' });
    const made = vscode.window.activeTextEditor?.document;
    assert.deepEqual(
      [made?.uri.scheme, made?.uri.path.endsWith('/made/of_answer.py'), made?.getText(), made?.languageId],
      ['untitled', true, 'x = 1\n', 'python'],
    );
    await actions.rememberConversation('id');
    assert.equal(actions.recallConversation(), 'id');
    for (let count = 0; count < 4; count += 1)
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});
