import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import { describeError, toAppError, type ErrorKind } from '../../shared/errors.ts';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';
import { outputText } from '../outputText.ts';
import { runStatus } from '../runState.ts';
import { isOneTime, type RunStore } from '../runStore.ts';
import { jobName, runTitle } from '../treeModel.ts';

export const runScheme = 'millrace-run';

/** How often the output of an active run is read again while its text is open. */
const followInMs = 1500;

/** Failures that may be over by the next look. */
const passes: ReadonlySet<ErrorKind> = new Set(['network', 'timeout', 'rateLimited', 'server', 'cutOff', 'unavailable']);

/** The outputs of runs as read-only texts, which follow a run until it ends. */
export class RunDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<vscode.Uri>());
  readonly onDidChange = this.#changed.event;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** The last output that was read of each open text. */
  readonly #texts = new Map<string, string>();
  readonly #connections: ConnectionService;
  readonly #store: RunStore;

  constructor(connections: ConnectionService, store: RunStore) {
    this.#connections = connections;
    this.#store = store;
    this.#disposables.add(vscode.workspace.registerTextDocumentContentProvider(runScheme, this));
    this.#disposables.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      this.#unfollow(uri);
      this.#texts.delete(uri.toString());
    }));
  }

  async show(profileId: string, runId: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: runScheme, authority: profileId.toLowerCase(), path: `/run-${runId}.log`, query: runId });
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const runId = uri.query;
    const abort = new AbortController();
    const subscription = token.onCancellationRequested(() => abort.abort());
    try {
      const { profile, client } = await this.#connections.connect({ signal: abort.signal });
      if (profile.id.toLowerCase() !== uri.authority) {
        return vscode.l10n.t('This run belongs to another profile than the current one, {0}. Choose its profile to read its output again.', profile.name);
      }
      const output = await client.jobs.getRunOutput(runId, { signal: abort.signal, retry: 'fail' });
      const run = output.metadata ?? (await client.jobs.getRun(runId, { signal: abort.signal, retry: 'fail' }));
      if (runStatus(run).active) this.#follow(uri);
      else this.#unfollow(uri);
      const job = run.job_id === undefined || isOneTime(run) ? undefined : this.#store.job(run.job_id);
      const text = outputText(job ? `${jobName(job)} ${runTitle(run)}` : runTitle(run), output, run, Date.now());
      this.#texts.set(uri.toString(), text);
      return text;
    } catch (error) {
      // The service may be back in a moment; what will not change is not asked for again.
      if (!token.isCancellationRequested && passes.has(toAppError(error).kind)) this.#follow(uri);
      const reason = `${vscode.l10n.t('The output of run {0} could not be read.', runId)}\n${describeError(error)}\n`;
      // What somebody is reading stays below the reason.
      const text = this.#texts.get(uri.toString());
      return text === undefined ? reason : `${reason}\n${vscode.l10n.t('This is what was read before:')}\n\n${text}`;
    } finally {
      subscription.dispose();
    }
  }

  #follow(uri: vscode.Uri): void {
    const key = uri.toString();
    if (this.#timers.has(key)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      if (vscode.workspace.textDocuments.some((document) => document.uri.toString() === key)) this.#changed.fire(uri);
    }, followInMs);
    this.#timers.set(key, timer);
  }

  #unfollow(uri: vscode.Uri): void {
    clearTimeout(this.#timers.get(uri.toString()));
    this.#timers.delete(uri.toString());
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#disposables.dispose();
  }
}
