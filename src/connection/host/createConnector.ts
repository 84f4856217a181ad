import * as vscode from 'vscode';
import { Connector } from '../connector.ts';
import type { LocalServiceLauncher } from '../localServiceLauncher.ts';
import type { ProfileServices } from './registerConnection.ts';

/** The connector with the editor's storage, questions and transport. */
export function createConnector(services: ProfileServices, launcher: () => Promise<LocalServiceLauncher>): Connector {
  return new Connector({
    log: services.log,
    launcher,
    secretOf: (profile) => services.vault.get(profile),
    async runCommand(profile) {
      const { runTokenCommand } = await import('./tokenCommand.ts');
      return runTokenCommand(profile.command ?? '');
    },
    isTrusted: () => vscode.workspace.isTrusted,
    signInNeeded: (profile, error) => services.question.ask(profile, error),
    clientOptions: () => Promise.resolve({}),
  });
}
