import * as vscode from 'vscode';
import type { Job } from '../../api/schema/jobs/schemas.ts';
import type { Connection, ConnectionService } from '../../connection/connection.ts';
import type { LiveKind, LiveValue, LiveValues } from '../services/jobFileService.ts';
import { ignoredFolders, localRoot, workspacePath } from './localRoot.ts';

type Client = Connection['client'];

/** How long completions wait for a service; a slower response serves the next completion. */
const maxWaitInMs = 3000;
/** Long enough for a spell of typing, short enough for a job that was just deployed. */
const keptForInMs = 20_000;
const maxFiles = 1000;

/** Lists IDs from the current profile's service and files of the workspace. Returns an empty list if values are unavailable. */
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
      // Only the local service uses files of this machine.
      if (kind === 'notebook' || kind === 'pythonFile')
        return this.#connections.current.kind === 'local' ? await workspaceFiles(kind) : [];
      return await this.#ask(kind, AbortSignal.timeout(maxWaitInMs * 2));
    } catch (error) {
      this.#log.debug(
        `No values for a completion (${kind}): ${error instanceof Error ? error.message : String(error)}`,
      );
      return [];
    }
  }

  async #ask(kind: Exclude<LiveKind, 'notebook' | 'pythonFile'>, signal: AbortSignal): Promise<readonly LiveValue[]> {
    // Typing does not restart a service that the user stopped.
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
      case 'nodeType':
      case 'zone':
        return withSeen(
          await this.#orNothing(kind, () => listed(kind, client, signal)),
          await this.#orNothing(kind, async () => seen(kind, await client.jobs.list({ signal }))),
        );
    }
  }

  /** Returns an empty list on failure: many servers cannot list versions, nodes and zones. */
  async #orNothing(kind: LiveKind, ask: () => Promise<readonly LiveValue[]>): Promise<readonly LiveValue[]> {
    try {
      return await ask();
    } catch (error) {
      this.#log.debug(`A list is missing for a completion (${kind}): ${String(error)}`);
      return [];
    }
  }
}

type ClusterKind = 'sparkVersion' | 'nodeType' | 'zone';

async function listed(kind: ClusterKind, { clusters }: Client, signal: AbortSignal): Promise<readonly LiveValue[]> {
  switch (kind) {
    case 'sparkVersion':
      return ((await clusters.sparkVersions({ signal })).versions ?? []).map(({ key, name }) => ({
        value: key,
        detail: name,
      }));
    case 'nodeType':
      return ((await clusters.listNodeTypes({ signal })).node_types ?? []).map((type) => ({
        value: type.node_type_id,
        detail: type.description,
      }));
    case 'zone': {
      const { zones, default_zone: preferred } = await clusters.listZones({ signal });
      return ['auto', ...(zones ?? [])].map((value) => ({
        value,
        detail: value === preferred ? vscode.l10n.t('default') : undefined,
      }));
    }
  }
}

/** Returns the values used by the clusters of the service's jobs. */
function seen(kind: ClusterKind, jobs: readonly Job[]): readonly LiveValue[] {
  const values = jobs.flatMap(({ settings }) => {
    const cluster = settings?.new_cluster;
    if (kind === 'sparkVersion') return cluster?.spark_version ?? [];
    return (kind === 'nodeType' ? cluster?.node_type_id : cluster?.cloud_attributes?.zone_id) ?? [];
  });
  return [...new Set(values)].sort().map((value) => ({ value, detail: vscode.l10n.t('used by a job') }));
}

function withSeen(all: readonly LiveValue[], more: readonly LiveValue[]): readonly LiveValue[] {
  const known = new Set(all.map(({ value }) => value));
  return [...all, ...more.filter(({ value }) => !known.has(value))];
}

async function workspaceFiles(kind: 'notebook' | 'pythonFile'): Promise<readonly LiveValue[]> {
  const pattern = kind === 'notebook' ? '**/*.{ipynb,py}' : '**/*.py';
  const folder = localRoot();
  if (!folder) return [];
  const files = await vscode.workspace.findFiles(new vscode.RelativePattern(folder, pattern), ignoredFolders, maxFiles);
  const paths = files.map((uri) => workspacePath(folder, uri));
  // Notebooks first, named as in workspaces: without an extension.
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
  const limit = setTimeout(stop, maxWaitInMs);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    return await Promise.race([values, ended.promise]);
  } finally {
    clearTimeout(limit);
    signal?.removeEventListener('abort', stop);
  }
}
