import * as vscode from 'vscode';
import { lazy } from '../../shared/lazy.ts';
import { type ChatCommand, chatViewId, type ChatServices, exchangeScheme } from './chatCommands.ts';
import type { ChatHost } from './chatHost.ts';

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
    resolveWebviewView: async (view) => (await load()).attach(view),
  });
  const documents = vscode.workspace.registerTextDocumentContentProvider(exchangeScheme, {
    provideTextDocumentContent: async (uri) => (await load()).exchangeText(uri),
  });
  return {
    run: async (command, argument) => (await load()).run(command, argument),
    dispose() {
      registration.dispose();
      documents.dispose();
      // What a stream brought last is written down after this; what cannot be is lost with at most a second of text.
      load.begun?.then((loaded) => loaded.close()).catch(() => undefined);
    },
  };
}
