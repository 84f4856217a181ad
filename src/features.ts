import * as vscode from 'vscode';
import { type Chat, registerChat } from './chat/host/registerChat.ts';
import { FileDeployments } from './commands/host/fileDeployments.ts';
import { type Commands, createCommands } from './commands/host/createCommands.ts';
import { EditorConnections } from './connection/host/editorConnections.ts';
import { type JobFileLanguage, registerJobFile } from './jobfile/host/registerJobFile.ts';
import { registerRuns } from './runs/host/registerRuns.ts';
import { type RegisteredLocalService, registerLocalService } from './service/host/registerLocalService.ts';
import { l10n } from './shared/l10n.ts';

/** What runs the editor's commands. */
export interface Features {
  readonly commands: Commands;
  readonly connections: EditorConnections;
  readonly chat: Chat;
  readonly jobFile: JobFileLanguage;
  readonly localService: RegisteredLocalService;
}

/** Builds the object graph; the extension's subscriptions own it. Nothing heavy is loaded and nothing is asked of a service before it is used. */
export function createFeatures(context: vscode.ExtensionContext): Features {
  l10n.use((message, ...values) => vscode.l10n.t(message, ...values));
  const log = vscode.window.createOutputChannel('Millrace', { log: true });
  const localService = registerLocalService(context, { log });
  const connections = new EditorConnections(context, { log, launcher: localService.launcher });
  const runs = registerRuns(connections);
  const serviceChanges = localService.onDidChange(() => runs.lookSoon());
  const deployments = new FileDeployments(context.workspaceState, connections, runs.store);
  const commands = createCommands({ connections, runs, deployments, log });
  const jobFile = registerJobFile({ connections, log, deployments });
  const chat = registerChat(context, { connections, log });
  context.subscriptions.push(log, localService, connections, runs, serviceChanges, deployments, commands, jobFile, chat);
  return { commands, connections, chat, jobFile, localService };
}
