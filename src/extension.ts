import * as vscode from 'vscode';
import { chatCommands } from './chat/host/chatCommands.ts';
import { commandIds } from './commands/ids.ts';
import { profileCommandNames } from './connection/host/profileCommandNames.ts';
import type { Features } from './features.ts';
import { serviceCommandNames } from './service/host/serviceCommandNames.ts';

/**
 * Registers the commands, which is all that the editor must find when this returns. The rest is built in the turn after it, or by
 * the first command, so that neither the window nor other extensions wait for it.
 */
export function activate(context: vscode.ExtensionContext): void {
  let features: Promise<Features> | undefined;
  const load = (): Promise<Features> => (features ??= import('./features.ts').then(({ createFeatures }) => createFeatures(context)));
  const register = <Name extends string>(prefix: string, names: readonly Name[], run: (loaded: Features, name: Name, argument: unknown) => Promise<unknown>): void => {
    for (const name of names) context.subscriptions.push(vscode.commands.registerCommand(prefix + name, async (argument: unknown) => run(await load(), name, argument)));
  };
  register('', commandIds, ({ commands }, id, argument) => commands.run(id, argument));
  register('millrace.profile.', profileCommandNames, ({ connections }, name, argument) => connections.run(name, argument));
  register('millrace.chat.', chatCommands, ({ chat }, name, argument) => chat.run(name, argument));
  register('millrace.service.', serviceCommandNames, ({ localService }, name) => localService.run(name));
  register('millrace.jobFile.', ['jsonSchema'], ({ jobFile }) => jobFile.showJsonSchema());
  setImmediate(() => {
    load().catch((error: unknown) => void vscode.window.showErrorMessage(vscode.l10n.t('Millrace could not start: {0}', error instanceof Error ? error.message : String(error))));
  });
}
