import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import type { Logger } from '../../shared/log.ts';
import { findNewerNode, hasDatabase, oldestNode } from '../startup/newerNode.ts';
import type { ServiceConfiguration } from '../startup/serviceConfiguration.ts';
import { localFolders } from './localFolders.ts';
import { LocalService } from './localService.ts';
import { mailPasswordName, modelKeyOf, storageKeyOf, withSecrets } from './serviceSecrets.ts';

/** The local service of this window's workspace folder. */
export function createLauncher(context: vscode.ExtensionContext, services: { log: Logger }): LocalService {
  const { dataFolder, root, hasFolder } = localFolders(context);
  if (!hasFolder) mkdirSync(root, { recursive: true });
  const service = new LocalService({
    executable: () => findServiceNode(process.execPath),
    script: join(context.extensionPath, 'dist', 'millrace.js'),
    root,
    dataFolder,
    log: services.log,
    async configuration() {
      const modelKeys = await readModelKeys(context.secrets, dataFolder);
      const configuration = await configurationWithSecrets(context.secrets, services.log);
      return Object.keys(modelKeys).length === 0 ? configuration : { ...configuration, modelKeys };
    },
    isTrusted: () => vscode.workspace.isTrusted,
  });
  context.subscriptions.push(service);
  return service;
}

/** The settings, with the secrets that they refer to. What is missing is said, and the service starts all the same. */
async function configurationWithSecrets(storage: vscode.SecretStorage, log: Logger): Promise<ServiceConfiguration> {
  const { configuration, missing, leftOut, hasPlainPassword, plainHeadersOf } = await withSecrets(
    readConfiguration(),
    async (name) => storage.get(storageKeyOf(name)),
  );
  const notes: string[] = [];
  if (hasPlainPassword)
    notes.push(
      vscode.l10n.t(
        'The password in the setting millrace.local.smtp is ignored, because settings must not contain secrets. Remove it and run "Millrace: Set Mail Password…".',
      ),
    );
  else if (missing.includes(mailPasswordName))
    notes.push(
      vscode.l10n.t(
        'The mail server\'s password is not set, so it may reject e-mail. Run "Millrace: Set Mail Password…".',
      ),
    );
  if (plainHeadersOf.length > 0)
    notes.push(
      vscode.l10n.t(
        'Headers of the destinations {0} contain a secret in the settings. Store it with "Millrace: Set Secret of the Local Service…" and write ${secret:name} instead.',
        plainHeadersOf.join(', '),
      ),
    );
  if (leftOut.length > 0) {
    const names = missing.filter((name) => name !== mailPasswordName).join(', ');
    notes.push(
      vscode.l10n.t(
        'The secrets {0} are not set, so messages to {1} become files. Run "Millrace: Set Secret of the Local Service…" and restart the service.',
        names,
        leftOut.join(', '),
      ),
    );
  }
  for (const note of notes) {
    log.warn(note);
    void vscode.window.showWarningMessage(note);
  }
  return configuration;
}

/** Returns the stored API keys of the servers in `models.json`, whose text is searched: a mistake elsewhere in it takes no key away. */
async function readModelKeys(storage: vscode.SecretStorage, dataFolder: string): Promise<Record<string, string>> {
  const text = await readFile(join(dataFolder, 'models.json'), 'utf8').catch(() => '');
  const urls = [...text.matchAll(/"baseUrl"\s*:\s*"([^"\\]+)"/g)].map(([, url = '']) => url);
  const keys = await Promise.all(urls.map(async (url) => [url, await storage.get(modelKeyOf(url))] as const));
  return Object.fromEntries(keys.filter((key): key is [string, string] => key[1] !== undefined));
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
    environment: settings.get<string[]>('environment'),
    smtp: settings.get<ServiceConfiguration['smtp'] | null>('smtp') ?? undefined,
    destinations: settings.get<ServiceConfiguration['destinations']>('destinations'),
    discoverModels: settings.get<boolean>('discoverModels'),
  };
}

/**
 * Finds the Node that runs the service: the editor's own or, if that is too old, the one on the PATH.
 * @throws AppError `unavailable` if none is new enough
 */
async function findServiceNode(
  own: string,
  options: { hasDatabase?: boolean; environment?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  if (options.hasDatabase ?? hasDatabase()) return own;
  const found = await findNewerNode(options.environment);
  if ('path' in found) return found.path;
  const there =
    found.tooOld === undefined
      ? l10n.t('no other Node is on the PATH')
      : l10n.t('the one on the PATH is {0}', found.tooOld);
  throw new AppError(
    'unavailable',
    l10n.t(
      'The local service was not started: it needs Node {0} or newer, this editor has {1}, and {2}.',
      oldestNode,
      process.versions.node,
      there,
    ),
    {
      remedy: l10n.t(
        'Install a newer Node on the PATH and try again, or choose a remote profile: chat, jobs and runs work there without the local service.',
      ),
    },
  );
}
