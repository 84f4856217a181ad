import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { Logger } from '../../shared/log.ts';
import type { ServiceConfiguration } from '../serviceConfiguration.ts';
import { LocalService } from './localService.ts';

/**
 * The local service of this window's workspace folder. Its data lies in the extension's own storage, one folder for each
 * workspace folder, so that two windows on one folder share a service and paths of jobs mean that folder's files.
 */
export function createLauncher(context: vscode.ExtensionContext, services: { log: Logger }): LocalService {
  const folder = vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === 'file')?.uri.fsPath;
  const storage = join(context.globalStorageUri.fsPath, 'local');
  const dataFolder = join(storage, folder === undefined ? 'no-folder' : folderName(folder));
  const root = folder ?? join(dataFolder, 'empty');
  if (folder === undefined) mkdirSync(root, { recursive: true });
  const service = new LocalService({
    executable: process.execPath,
    script: join(context.extensionPath, 'dist', 'millrace.js'),
    root,
    dataFolder,
    log: services.log,
    configuration: readConfiguration,
    isTrusted: () => vscode.workspace.isTrusted,
  });
  context.subscriptions.push(service);
  return service;
}

function folderName(folder: string): string {
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return `${basename(folder).replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 40) || 'folder'}-${digest}`;
}

/** The user's settings of the local service; what is not set keeps the service's own default. */
function readConfiguration(): ServiceConfiguration {
  const settings = vscode.workspace.getConfiguration('millrace.local');
  const text = (name: string): string | undefined => settings.get<string>(name)?.trim() || undefined;
  return {
    maxParallelRuns: settings.get<number>('maxParallelRuns') || undefined,
    python: text('python'),
    notebookEngine: settings.get<'auto' | 'builtin' | 'jupyter'>('notebookEngine'),
    spark: { master: text('sparkMaster'), sparkSubmit: text('sparkSubmit') },
    smtp: settings.get<ServiceConfiguration['smtp'] | null>('smtp') ?? undefined,
    destinations: settings.get<ServiceConfiguration['destinations']>('destinations'),
    discoverModels: settings.get<boolean>('discoverModels'),
  };
}
