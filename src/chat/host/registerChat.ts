import * as vscode from 'vscode';
import { delay } from '../../shared/clock.ts';
import { lazy } from '../../shared/lazy.ts';
import { type ChatCommand, chatTabType, chatViewId, type ChatServices, exchangeScheme } from './chatCommands.ts';
import type { ChatHost } from './chatHost.ts';

/** Maximum wait for the jobs view to be shown before the chat, in milliseconds. */
const jobsFirstInMs = 300;

/** The chat's interface for the rest of the extension. */
export interface Chat extends vscode.Disposable {
  run(command: ChatCommand, argument: unknown): Promise<void>;
}

/** Registers the chat view. Conversations, schemas and files are loaded only when the view is shown or a command is used. */
export function registerChat(context: vscode.ExtensionContext, services: ChatServices): Chat {
  const load = lazy<ChatHost>(async () => {
    const [{ createChatHost }, tools] = await Promise.all([import('./chatHost.ts'), services.loadTools()]);
    return createChatHost(context, services, tools);
  });
  const registration = vscode.window.registerWebviewViewProvider(chatViewId, {
    resolveWebviewView: async (view) => {
      // Both views open together; the fast one must not wait until the chat has loaded.
      await Promise.race([services.jobsShown(), delay(jobsFirstInMs)]);
      (await load()).attach(view);
    },
  });
  const documents = vscode.workspace.registerTextDocumentContentProvider(exchangeScheme, {
    provideTextDocumentContent: async (uri) => (await load()).exchangeText(uri),
  });
  // The Problems view and the light bulb share this menu; no other entry can be added to the Problems view.
  const actions = vscode.languages.registerCodeActionsProvider(
    ['millrace-job', 'python'],
    {
      provideCodeActions({ uri }, _range, { diagnostics }) {
        const title = vscode.l10n.t('Attach to Chat');
        const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
        action.command = { title, command: 'millrace.chat.attach', arguments: [{ uri, diagnostics }] };
        return diagnostics.length > 0 ? [action] : [];
      },
    },
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
  );
  const tabs = vscode.window.registerWebviewPanelSerializer(chatTabType, {
    deserializeWebviewPanel: async (panel) => (await load()).attachTab(panel),
  });
  return {
    run: async (command, argument) => (await load()).run(command, argument),
    dispose() {
      registration.dispose();
      documents.dispose();
      actions.dispose();
      tabs.dispose();
      // Closing writes the last streamed text; if that fails, at most a second of text is lost.
      load.begun?.then((loaded) => loaded.close()).catch(() => undefined);
    },
  };
}
