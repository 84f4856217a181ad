import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import type { LiveKind, LiveValue, LiveValues } from '../services/jobFileService.ts';
import { ignoredFolders, localRoot, workspacePath } from './localRoot.ts';

/** Completions wait for a service no longer than this; a slower answer serves the next completion. */
const longestWaitInMs = 3000;
/** Long enough for one spell of typing, short enough for a job that was just deployed. */
const keptForInMs = 20_000;
const mostFiles = 1000;

/** Ids from the current profile's service and files of the workspace. What cannot be had now is an empty list. */
export class WorkspaceValues implements LiveValues {
  readonly #connections: ConnectionService;
  readonly #log: vscode.LogOutputChannel;
  readonly #kept = new Map<string, { untilMs: number; values: Promise<readonly LiveValue[]> }>();

  constructor(connections: ConnectionService, log: vscode.LogOutputChannel) {
    this.#connections = connections;
    this.#log = log;
  }

  async list(kind: LiveKind, { signal }: { signal?: AbortSignal } = {}): Promise<readonly LiveValue[]> {
    const key = `${this.#connections.current.id} ${kind}`;
    const nowMs = Date.now();
    let entry = this.#kept.get(key);
    if (!entry || entry.untilMs < nowMs) {
      entry = { untilMs: nowMs + keptForInMs, values: this.#read(kind) };
      this.#kept.set(key, entry);
    }
    return settledOrNothing(entry.values, signal);
  }

  async #read(kind: LiveKind): Promise<readonly LiveValue[]> {
    try {
      if (kind === 'notebook' || kind === 'pythonFile') return await workspaceFiles(kind);
      return await this.#ask(kind, AbortSignal.timeout(longestWaitInMs * 2));
    } catch (error) {
      this.#log.debug(
        `No values for a completion (${kind}): ${error instanceof Error ? error.message : String(error)}`,
      );
      return [];
    }
  }

  async #ask(kind: Exclude<LiveKind, 'notebook' | 'pythonFile'>, signal: AbortSignal): Promise<readonly LiveValue[]> {
    // Typing does not start again what the user has stopped.
    const { client, profile } =
      (await this.#connections.connectIfUsed({ signal })) ?? (await this.#connections.connect({ signal }));
    switch (kind) {
      case 'job':
        return (await client.jobs.list({ signal })).map((job) => ({
          value: job.job_id,
          label: job.settings?.name ?? vscode.l10n.t('Untitled'),
        }));
      case 'cluster': {
        const used = (await client.jobs.list({ signal })).flatMap((job) => job.settings?.existing_cluster_id ?? []);
        const local = profile.kind === 'local' ? ['local'] : [];
        return [...new Set([...local, ...used])].map((value) => ({ value }));
      }
      case 'sparkVersion':
        return ((await client.clusters.sparkVersions({ signal })).versions ?? []).map(({ key, name }) => ({
          value: key,
          detail: name,
        }));
      case 'nodeType':
        return ((await client.clusters.listNodeTypes({ signal })).node_types ?? []).map((type) => ({
          value: type.node_type_id,
          detail: type.description,
        }));
      case 'zone': {
        const { zones, default_zone: preferred } = await client.clusters.listZones({ signal });
        return ['auto', ...(zones ?? [])].map((value) => ({
          value,
          detail: value === preferred ? vscode.l10n.t('default') : undefined,
        }));
      }
    }
  }
}

async function workspaceFiles(kind: 'notebook' | 'pythonFile'): Promise<readonly LiveValue[]> {
  const pattern = kind === 'notebook' ? '**/*.{ipynb,py}' : '**/*.py';
  const folder = localRoot();
  if (!folder) return [];
  const files = await vscode.workspace.findFiles(
    new vscode.RelativePattern(folder, pattern),
    ignoredFolders,
    mostFiles,
  );
  const paths = files.map((uri) => workspacePath(folder, uri));
  // Notebooks first, and named as workspaces name them: without an ending.
  const notebooks = paths.filter((path) => path.endsWith('.ipynb')).sort();
  const python = paths.filter((path) => path.endsWith('.py')).sort();
  if (kind === 'pythonFile') return python.map((value) => ({ value }));
  return [...notebooks, ...python].map((path) => ({
    value: path.replace(/\.(?:ipynb|py)$/, ''),
    detail: path.slice(path.lastIndexOf('.')),
  }));
}

async function settledOrNothing(
  values: Promise<readonly LiveValue[]>,
  signal: AbortSignal | undefined,
): Promise<readonly LiveValue[]> {
  const ended = Promise.withResolvers<readonly LiveValue[]>();
  const stop = (): void => ended.resolve([]);
  const limit = setTimeout(stop, longestWaitInMs);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    return await Promise.race([values, ended.promise]);
  } finally {
    clearTimeout(limit);
    signal?.removeEventListener('abort', stop);
  }
}
