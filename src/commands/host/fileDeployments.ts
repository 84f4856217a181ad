import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import type { KeptDeploy } from '../../deployments/deployMemory.ts';
import type { JobFileService, LastDeploy } from '../../jobfile/services/jobFileService.ts';
import { skippedSinceWords } from '../../runs/rowWords.ts';
import { shownStatus } from '../../runs/runState.ts';
import type { RunStore } from '../../runs/store/runStore.ts';
import { formatShortAge } from '../../runs/timeTexts.ts';
import { Emitter, type Event } from '../../shared/event.ts';
import { parseJson, stringifyJson } from '../../shared/json.ts';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';
import { loadJobFileService } from '../loadJobFileService.ts';
import type { Deployments } from '../services.ts';
import type { SharedDeploys } from './sharedDeploys.ts';

/** The known state of a file's job on the current profile. */
interface DeploymentState {
  readonly profileId: string;
  readonly jobId: string;
  /** As text, such as "Succeeded, 5 minutes ago". */
  readonly lastRun?: { runId: string; text: string };
  /** The job as in the jobs view; `deploy` is a different value after each deploy of the file from here. */
  readonly remote?: {
    profileName: string;
    settings: Readonly<Record<string, unknown>>;
    deploy: unknown;
    last(): LastDeploy | undefined;
  };
}

/** The stored record of a deploy. The first versions stored only the job's ID, as a text. */
interface Deployment {
  readonly jobId: string;
  /** When, in epoch milliseconds; the settings are then in the storage shared with the command line, if there is one. */
  readonly at?: number;
  /** The settings on the service at that time: JSON with exact integers, which the editor's own storage would not preserve. */
  readonly settings?: string;
  /** The settings in the file in the same format; absent if the text is the same. */
  readonly sent?: string;
}

/** Maximum length of stored settings: without them, the next deploy asks as if it were the first. */
const maxSettingsLength = 1_000_000;

/**
 * Stores for each file and profile the job it was deployed to, the settings, and the last run. The data is in the storage shared with other
 * windows and the command line, so their later deploys count here too; if that is impossible, it is in the workspace's storage.
 */
export class FileDeployments implements Deployments, Disposable {
  readonly #state: vscode.Memento;
  /** Deployments of files that were never saved: not stored, because their names are reused for other files. */
  readonly #unsaved = new Map<string, Deployment>();
  readonly #connections: ConnectionService;
  readonly #runs: RunStore;
  readonly #shared: SharedDeploys;
  /** The texts of shared deploys, cached by object. */
  readonly #texts = new WeakMap<KeptDeploy, Deployment>();
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new Emitter<void>());
  readonly onDidChange = this.#changed.event;
  /** Fires when the jobs may have different settings. */
  readonly onDidListJobs: Event<void>;
  /** Outdated data in the jobs view for jobs that were deployed to since. */
  readonly #outdated = new Map<string, unknown>();

  constructor(state: vscode.Memento, connections: ConnectionService, runs: RunStore, shared: SharedDeploys) {
    this.#state = state;
    this.#shared = this.#disposables.add(shared);
    this.#disposables.add(shared.onDidChange(() => this.#changed.fire()));
    this.#connections = connections;
    this.#runs = runs;
    this.onDidListJobs = runs.onDidListJobs;
    this.#disposables.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#forgetUnsaved(uri)));
    this.#disposables.add(connections.onDidChange(() => this.#changed.fire()));
    this.#disposables.add(runs.onDidChange(() => this.#changed.fire()));
  }

  jobIdOf(profileId: string, uri: string): string | undefined {
    return this.#deployment(profileId, uri)?.jobId;
  }

  lastDeployOf(profileId: string, uri: string, jobId: string): LastDeploy | undefined {
    const deployment = this.#deployment(profileId, uri);
    if (deployment?.jobId !== jobId || deployment.settings === undefined) return undefined;
    const { settings, sent } = deployment;
    return {
      settings: parseJson(settings) as LastDeploy['settings'],
      ...(sent === undefined ? {} : { sent: parseJson(sent) as LastDeploy['settings'] }),
    };
  }

  filesOf(profileId: string, jobId: string): string[] {
    return this.#filesOn(profileId).filter((uri) => this.jobIdOf(profileId, uri) === jobId);
  }

  #filesOn(profileId: string): string[] {
    const prefix = key(profileId, '');
    const own = [...this.#state.keys(), ...this.#unsaved.keys()]
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length))
      // A job of a bundle was only tried here: the file is not its settings.
      .filter((uri) => !uri.includes('#'));
    return [...new Set([...own, ...this.#shared.uris(profileId)])];
  }

  /** Returns the files that were deployed to the current profile. */
  files(): string[] {
    return this.#filesOn(this.#connections.current.id);
  }

  /**
   * Returns whether the settings of a job in the jobs view differ from those after the deploy of its file; they may still have the same
   * meaning.
   */
  mayHaveMoved(): boolean {
    return this.files().some((uri) => {
      const remote = this.stateOf(uri)?.remote;
      return remote?.deploy !== undefined && remote.deploy !== stringifyJson(remote.settings);
    });
  }

  /** Returns when this change of the file's job was first seen; the time outlives the window. */
  firstSeen(uri: string, change: string): { ms: number; age: string } {
    const name = `changed:${this.#connections.current.id}:${uri}`;
    const known = this.#state.get<{ change: string; ms: number }>(name);
    const ms = known?.change === change ? known.ms : Date.now();
    if (known?.change !== change) void this.#state.update(name, { change, ms });
    return { ms, age: formatShortAge(ms, Date.now()) };
  }

  async set(profileId: string, uri: string, jobId: string, deploy: Required<LastDeploy>): Promise<void> {
    const [settings, sent] = [stringifyJson(deploy.settings), stringifyJson(deploy.sent)];
    const shared = this.#shared.remember(profileId, uri, { jobId, ...deploy });
    const isKept = !shared && settings.length + sent.length <= maxSettingsLength;
    const deployment: Deployment = {
      jobId,
      at: shared?.at ?? Date.now(),
      ...(isKept ? { settings, ...(sent === settings ? {} : { sent }) } : {}),
    };
    const seen = this.#runs.job(jobId)?.settings;
    if (seen && stringifyJson(seen) !== settings) this.#outdated.set(key(profileId, uri), seen);
    if (isUnsaved(uri)) this.#unsaved.set(key(profileId, uri), deployment);
    else await this.#state.update(key(profileId, uri), deployment);
    this.#changed.fire();
  }

  #deployment(profileId: string, uri: string): Deployment | undefined {
    const name = key(profileId, uri);
    if (isUnsaved(uri)) return this.#unsaved.get(name);
    const kept = this.#state.get<Deployment | string>(name);
    const own = typeof kept === 'string' ? { jobId: kept } : kept;
    const shared = this.#shared.recall(profileId, uri);
    return shared && shared.at >= (own?.at ?? 0) ? this.#textsOf(shared) : own;
  }

  #textsOf(shared: KeptDeploy): Deployment {
    const { jobId, settings, sent } = shared;
    const texts = this.#texts.get(shared) ?? { jobId, settings: stringifyJson(settings), sent: stringifyJson(sent) };
    this.#texts.set(shared, texts);
    return texts;
  }

  #forgetUnsaved(uri: vscode.Uri): void {
    const text = uri.toString();
    if (!isUnsaved(text)) return;
    for (const name of this.#unsaved.keys()) if (name.endsWith(`:${text}`)) this.#unsaved.delete(name);
  }

  /** Returns the known state of the file's job on the current profile, without a request to a service. */
  stateOf(uri: string): DeploymentState | undefined {
    const { id: profileId, name: profileName } = this.#connections.current;
    const deploy = this.#deployment(profileId, uri);
    if (!deploy) return undefined;
    const { jobId } = deploy;
    const settings = this.#runs.job(jobId)?.settings;
    const last = (): LastDeploy | undefined => this.lastDeployOf(profileId, uri, jobId);
    const isOutdated = settings === this.#outdated.get(key(profileId, uri));
    const remote = settings && !isOutdated && { profileName, settings, deploy: deploy.settings, last };
    return { profileId, jobId, ...this.#lastRunOf(jobId), ...(remote ? { remote } : {}) };
  }

  #lastRunOf(jobId: string): Pick<DeploymentState, 'lastRun'> {
    const last = this.#runs.lastRun(jobId);
    if (last.kind !== 'run') return {};
    const { run, isSkippedSince } = last;
    const words = [
      shownStatus(run, this.#runs.freshness.kind === 'fresh').label,
      run.end_time ? formatShortAge(run.end_time, Date.now()) : undefined,
      isSkippedSince && skippedSinceWords(),
    ];
    return { lastRun: { runId: run.run_id, text: words.filter((part) => part !== undefined).join(', ') } };
  }

  /** Compares the file with its job in the jobs view, or returns `undefined` while that is unknown. */
  async syncOf(
    profileId: string,
    jobId: string,
    uri: string,
  ): Promise<ReturnType<JobFileService['syncOf']> | undefined> {
    const state = this.stateOf(uri);
    if (!state?.remote || state.profileId !== profileId || state.jobId !== jobId) return undefined;
    const { settings, last } = state.remote;
    const [{ readFileText }, { syncOf }] = await Promise.all([import('./editorFiles.ts'), loadJobFileService()]);
    const text = await readFileText(uri);
    return text === undefined ? undefined : syncOf(text, settings, last());
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
