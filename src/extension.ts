import * as vscode from 'vscode';
import { chatCommands } from './chat/host/chatCommands.ts';
import type { Features } from './features.ts';
import { registerRunFiles } from './runs/host/runFiles.ts';
import { profileCommandNames, serviceCommandNames, commandIds } from './shared/commandIds.ts';
import { lazy } from './shared/lazy.ts';

/**
 * Registers the commands and the file system of run texts, which the editor needs when this returns. The rest is built in the next turn, or
 * by the first command, so that neither the window nor other extensions wait for it.
 */
export function activate(context: vscode.ExtensionContext): void {
  const load = lazy(async () => (await import('./features.ts')).createFeatures(context));
  const tellNoStart = (error: unknown): void => {
    void vscode.window.showErrorMessage(
      vscode.l10n.t('Millrace could not start: {0}', error instanceof Error ? error.message : String(error)),
    );
  };
  /**
   * Runs a command; errors are shown and logged.
   * @returns the result of the command, or `undefined` if it failed
   */
  const run = async (id: string, command: (features: Features) => Promise<unknown>): Promise<unknown> => {
    const features = await load().catch(tellNoStart);
    try {
      return features && (await command(features));
    } catch (error) {
      features?.presentFailure(error, id);
      return undefined;
    }
  };
  const register = <Name extends string>(
    prefix: string,
    names: readonly Name[],
    command: (features: Features, name: Name, ...given: unknown[]) => Promise<unknown>,
  ): void => {
    for (const name of names) {
      const id = prefix + name;
      context.subscriptions.push(
        vscode.commands.registerCommand(id, (...given: unknown[]) =>
          run(id, (features) => command(features, name, ...given)),
        ),
      );
    }
  };
  register('', commandIds, ({ commands }, id, ...given) => commands.run(id, ...given));
  register('millrace.profile.', profileCommandNames, ({ connections }, name, argument) =>
    connections.run(name, argument),
  );
  register('millrace.chat.', chatCommands, ({ chat }, name, argument) => chat.run(name, argument));
  register('millrace.service.', serviceCommandNames, ({ localService }, name) => localService.run(name));
  context.subscriptions.push(registerRunFiles(async () => (await load()).runDocuments));
  setImmediate(() => void load().catch(tellNoStart));
}
