import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';
import { RunTexts, type RunPlace } from '../page/runTexts.ts';
import type { RunStore } from '../store/runStore.ts';
import { runScheme, type RunTextSource } from './runFiles.ts';

/** Fragment of the URI of a text that is compared with another. */
const comparedMark = 'compared';
/** How often the output of an active run is read while its text is open. */
const followInMs = 1500;

/** The outputs of runs as read-only texts that follow a run until it ends. */
export class RunDocuments implements RunTextSource, Disposable {
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<vscode.Uri>());
  readonly onDidChange = this.#changed.event;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** Texts that the user has requested and the editor has not read yet. */
  readonly #asked = new Set<string>();
  readonly #texts: RunTexts;

  constructor(connections: ConnectionService, store: RunStore) {
    this.#texts = new RunTexts(connections, store);
    this.#disposables.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme !== runScheme) return;
        this.#unfollow(uri);
        this.#texts.forget(placeOf(uri));
      }),
    );
    this.#disposables.add(vscode.workspace.onDidChangeTextDocument((change) => keepEndInView(change)));
    // Texts of the old profile report that it is not current; those of the new one are read again.
    this.#disposables.add(
      connections.onDidChange(() => {
        for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === runScheme) this.#changed.fire(uri);
      }),
    );
  }

  async show(profileId: string, runId: string, name: string): Promise<void> {
    const uri = uriOf(profileId, runId, name);
    this.#ask(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  /** Shows the outputs of two runs side by side. */
  async compare(profileId: string, [left, right]: readonly [string, string], title: string): Promise<void> {
    const uris = [left, right].map((runId) => uriOf(profileId, runId).with({ fragment: comparedMark }));
    for (const uri of uris) this.#ask(uri);
    await vscode.commands.executeCommand('vscode.diff', ...uris, title);
  }

  #ask(uri: vscode.Uri): void {
    this.#asked.add(uri.toString());
    this.#changed.fire(uri);
  }

  async read(uri: vscode.Uri): Promise<string> {
    const { text, follow } = await this.#texts.read(placeOf(uri), this.#asked.delete(uri.toString()));
    if (follow) this.#follow(uri);
    else this.#unfollow(uri);
    return text;
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

/** Keeps the end of an output in view if it was visible; if the user has scrolled up, the position stays. */
function keepEndInView({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
  if (document.uri.scheme !== runScheme) return;
  const lastBefore = contentChanges.reduce(
    (line, { range, text }) => line - (text.split('\n').length - 1) + (range.end.line - range.start.line),
    document.lineCount - 1,
  );
  if (lastBefore >= document.lineCount - 1) return;
  for (const editor of vscode.window.visibleTextEditors) {
    // The visible ranges from before the change: the editor updates them later. The last line is empty and may be hidden.
    const shownTo = editor.document === document ? editor.visibleRanges.at(-1)?.end.line : undefined;
    if (shownTo !== undefined && shownTo >= lastBefore - 1)
      editor.revealRange(new vscode.Range(document.lineCount - 1, 0, document.lineCount - 1, 0));
  }
}

/**
 * Returns the URI of a run's text.
 * @param name name of its tab; the extension determines its syntax coloring
 */
function uriOf(profileId: string, runId: string, name = `run-${runId}`): vscode.Uri {
  return vscode.Uri.from({
    scheme: runScheme,
    authority: profileId.toLowerCase(),
    path: `/${name.replaceAll('/', '_')}.log`,
    query: runId,
  });
}

function placeOf(uri: vscode.Uri): RunPlace {
  return { profileId: uri.authority, runId: uri.query, isCompared: uri.fragment === comparedMark };
}
