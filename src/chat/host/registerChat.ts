import * as vscode from 'vscode';
import { chatCommands, chatViewId, type ChatServices } from './chatCommands.ts';
import type { ChatHost } from './chatHost.ts';

/**
 * Registers the chat view and its commands. Nothing else happens before the view is shown or a command is used: conversations,
 * schemas and files are behind an import.
 */
export function registerChat(context: vscode.ExtensionContext, services: ChatServices): vscode.Disposable {
  let host: Promise<ChatHost> | undefined;
  const load = (): Promise<ChatHost> => {
    host ??= import('./chatHost.ts')
      .then(({ createChatHost }) => createChatHost(context, services))
      .catch((error: unknown) => {
        host = undefined; // The next use tries again.
        throw error;
      });
    return host;
  };
  return vscode.Disposable.from(
    vscode.window.registerWebviewViewProvider(chatViewId, { resolveWebviewView: async (view) => (await load()).attach(view) }),
    ...chatCommands.map((name) =>
      vscode.commands.registerCommand(`${chatViewId}.${name}`, async (argument: unknown) => (await load()).run(name, argument)),
    ),
    {
      dispose: () => {
        // What a stream brought last is written down after this; what cannot be is lost with at most a second of text.
        host?.then((loaded) => loaded.close()).catch(() => undefined);
      },
    },
  );
}
