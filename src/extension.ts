import * as vscode from 'vscode';
import { registerChat } from './chat/host/registerChat.ts';
import { FileDeployments } from './commands/host/fileDeployments.ts';
import { registerCommands } from './commands/host/registerCommands.ts';
import { registerConnection } from './connection/host/registerConnection.ts';
import { registerJobFile } from './jobfile/host/registerJobFile.ts';
import { registerRuns } from './runs/host/registerRuns.ts';
import { registerLocalService } from './service/host/registerLocalService.ts';
import { l10n } from './shared/l10n.ts';

/** Builds the object graph. Nothing heavy is loaded and nothing is asked of a service before it is used. */
export function activate(context: vscode.ExtensionContext): void {
  l10n.use((message, ...values) => vscode.l10n.t(message, ...values));
  const log = vscode.window.createOutputChannel('Millrace', { log: true });
  const localService = registerLocalService(context, { log });
  const connections = registerConnection(context, { log, launcher: localService.launcher });
  const runs = registerRuns(connections);
  const deployments = new FileDeployments(context.workspaceState, connections, runs.store);
  context.subscriptions.push(
    log,
    localService,
    connections,
    runs,
    deployments,
    registerCommands({ connections, runs, deployments, log }),
    registerJobFile({ connections, log, deployments }),
    registerChat(context, { connections, log }),
  );
}
