import * as vscode from 'vscode';
import { delay } from '../../shared/clock.ts';
import { lazy } from '../../shared/lazy.ts';
import { type ChatCommand, chatTabType, chatViewId, type ChatServices, exchangeScheme } from './chatCommands.ts';
import type { ChatHost } from './chatHost.ts';

/** How long the jobs may take to be shown before the chat. */
const jobsFirstInMs = 300;

/** The chat as the rest of the extension knows it. */
export interface Chat extends vscode.Disposable {
  run(command: ChatCommand, argument: unknown): Promise<void>;
}

/**
 * Registers the chat view. Nothing else happens before the view is shown or a command is used: conversations, schemas and files
 * are behind an import.
 */
export function registerChat(context: vscode.ExtensionContext, services: ChatServices): Chat {
  const load = lazy<ChatHost>(async () => {
    const [{ createChatHost }, tools] = await Promise.all([import('./chatHost.ts'), services.loadTools()]);
    return createChatHost(context, services, tools);
  });
  const registration = vscode.window.registerWebviewViewProvider(chatViewId, {
    resolveWebviewView: async (view) => {
      // The two views come up together, and the quick one is not to wait for all that the chat loads.
      await Promise.race([services.jobsShown(), delay(jobsFirstInMs)]);
      (await load()).attach(view);
    },
  });
  const documents = vscode.workspace.registerTextDocumentContentProvider(exchangeScheme, {
    provideTextDocumentContent: async (uri) => (await load()).exchangeText(uri),
  });
  // The menus of Problems and of the light bulb list the same; no other entry can be added to the first.
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
      // What a stream brought last is written down after this; what cannot be is lost with at most a second of text.
      load.begun?.then((loaded) => loaded.close()).catch(() => undefined);
    },
  };
}
