import * as vscode from 'vscode';
import type { DeploymentState, DeploymentStates } from './deploymentStates.ts';
import type { LanguageLoader } from './languageLoader.ts';

/** Changes by others to the job of a file since its last deploy from here. */
interface DriftOfFile {
  readonly profileName: string;
  /** One change per line. */
  readonly words: string;
  readonly jobId: string;
  /** When the change was first seen, in epoch milliseconds; services do not report when a job was changed. */
  readonly seenMs: number;
}

const maxLines = 10;
const jobFileName = /\.job\.ya?ml$/;

/**
 * Compares each file's last deploy with its job in the jobs view, without requests to the service. Each comparison runs in a turn of its
 * own and is repeated only for jobs that changed.
 */
export class Drift implements vscode.Disposable, vscode.FileDecorationProvider {
  readonly #loader: LanguageLoader;
  readonly #states: DeploymentStates;
  readonly #known = new Map<string, { state: DeploymentState | undefined; drift: DriftOfFile | undefined }>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.#changed.event;
  readonly #disposables: vscode.Disposable[];

  constructor(loader: LanguageLoader, states: DeploymentStates) {
    this.#loader = loader;
    this.#states = states;
    const subscriptions = [states.onDidChange, states.onDidListJobs].map((event) =>
      event(() => void this.#refreshAll()),
    );
    this.#disposables = [
      this.#changed,
      ...subscriptions.map((subscription) => ({ dispose: () => subscription.dispose() })),
      vscode.window.registerFileDecorationProvider(this),
    ];
    void this.#refreshAll();
  }

  /** Returns when a change by somebody else was first seen, or `undefined` if there is none. */
  seenMs(jobId: string): number | undefined {
    const current = this.#states.files().map((uri) => this.#known.get(uri)?.drift);
    return current.find((drift) => drift?.jobId === jobId)?.seenMs;
  }

  /** Returns the age of the change as text. */
  ageOf(uri: vscode.Uri, { words }: DriftOfFile): string {
    return this.#states.firstSeen(uri.toString(), words).age;
  }

  /** Returns the currently known drift; the first call returns nothing and fires an event later. */
  of(uri: vscode.Uri): DriftOfFile | undefined {
    const known = this.#known.get(uri.toString());
    if (!known) void this.#refresh(uri);
    return known?.drift;
  }

  async provideFileDecoration(uri: vscode.Uri): Promise<vscode.FileDecoration | undefined> {
    if (!jobFileName.test(uri.path)) return undefined;
    if (!this.#known.has(uri.toString())) await this.#refresh(uri);
    const drift = this.of(uri);
    if (!drift) return undefined;
    return {
      badge: '≠',
      color: new vscode.ThemeColor('list.warningForeground'),
      tooltip: vscode.l10n.t('Changed on {0} since the last deploy from here:\n{1}', drift.profileName, drift.words),
    };
  }

  async #refreshAll(): Promise<void> {
    const files = new Set([...this.#known.keys(), ...this.#states.files()]);
    for (const uri of files) await this.#refresh(vscode.Uri.parse(uri));
  }

  async #refresh(uri: vscode.Uri): Promise<void> {
    const name = uri.toString();
    const state = this.#states.stateOf(name);
    const known = this.#known.get(name);
    if (known && isSame(known.state, state)) return;
    this.#known.set(name, { state, drift: known?.drift });
    const drift = state?.remote && (await this.#driftOf(name, state.jobId, state.remote).catch(() => undefined));
    const latest = this.#known.get(name);
    // A newer comparison is scheduled, or this object is disposed.
    if (latest?.state !== state) return;
    this.#known.set(name, { state, drift });
    if (known?.drift?.words !== drift?.words || known?.drift?.profileName !== drift?.profileName)
      this.#changed.fire([uri]);
  }

  async #driftOf(
    uri: string,
    jobId: string,
    { settings, last, profileName }: RemoteJob,
  ): Promise<DriftOfFile | undefined> {
    const deploy = last();
    if (!deploy) return undefined;
    const language = await this.#loader.load();
    const { moved } = language.planDeploy(deploy.sent ?? deploy.settings, settings, deploy);
    if (moved.length === 0) return undefined;
    const words = language.movesInWords(moved, maxLines);
    return { profileName, words, jobId, seenMs: this.#states.firstSeen(uri, words).ms };
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

type RemoteJob = NonNullable<DeploymentState['remote']>;

/** Ignores the job's run, which changes often; its settings seldom do. */
function isSame(one: DeploymentState | undefined, other: DeploymentState | undefined): boolean {
  return (
    one?.profileId === other?.profileId &&
    one?.jobId === other?.jobId &&
    one?.remote?.settings === other?.remote?.settings &&
    one?.remote?.deploy === other?.remote?.deploy
  );
}
