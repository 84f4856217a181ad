import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import { formatAge } from '../../runs/format.ts';
import { runStatus } from '../../runs/runState.ts';
import type { RunStore } from '../../runs/runStore.ts';
import { Emitter } from '../../shared/event.ts';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';
import type { Deployments } from '../services.ts';

/** Which job each file was deployed to on each profile, kept with the workspace, and how its last run went. */
export class FileDeployments implements Deployments, Disposable {
  readonly #state: vscode.Memento;
  /** Of files that were never saved: their names are given to other files later, so nothing of them is kept. */
  readonly #unsaved = new Map<string, string>();
  readonly #connections: ConnectionService;
  readonly #runs: RunStore;
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new Emitter<void>());
  readonly onDidChange = this.#changed.event;

  constructor(state: vscode.Memento, connections: ConnectionService, runs: RunStore) {
    this.#state = state;
    this.#connections = connections;
    this.#runs = runs;
    this.#disposables.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#forgetUnsaved(uri)));
    this.#disposables.add(connections.onDidChange(() => this.#changed.fire()));
    this.#disposables.add(runs.onDidChange(() => this.#changed.fire()));
  }

  jobIdOf(profileId: string, uri: string): string | undefined {
    return isUnsaved(uri) ? this.#unsaved.get(key(profileId, uri)) : this.#state.get<string>(key(profileId, uri));
  }

  async set(profileId: string, uri: string, jobId: string): Promise<void> {
    if (isUnsaved(uri)) this.#unsaved.set(key(profileId, uri), jobId);
    else await this.#state.update(key(profileId, uri), jobId);
    this.#changed.fire();
  }

  #forgetUnsaved(uri: vscode.Uri): void {
    const text = uri.toString();
    if (!isUnsaved(text)) return;
    for (const name of this.#unsaved.keys()) if (name.endsWith(`:${text}`)) this.#unsaved.delete(name);
  }

  /** What is known of the file's job on the current profile; asks nothing of a service. */
  stateOf(uri: string): { profileId: string; jobId: string; lastRun?: { runId: string; text: string } } | undefined {
    const profileId = this.#connections.current.id;
    const jobId = this.jobIdOf(profileId, uri);
    if (jobId === undefined) return undefined;
    const run = this.#runs.latestRun(jobId);
    if (!run) return { profileId, jobId };
    const age = run.end_time ? `, ${formatAge(run.end_time, Date.now())}` : '';
    return { profileId, jobId, lastRun: { runId: run.run_id, text: `${runStatus(run).label}${age}` } };
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

function key(profileId: string, uri: string): string {
  return `deployment:${profileId}:${uri}`;
}

function isUnsaved(uri: string): boolean {
  return uri.startsWith('untitled:');
}
