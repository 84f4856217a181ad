import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { FileReference, JobDocument, JobFileService, Problem } from '../services/jobFileService.ts';
import { fileOf, localRoot, severalFolders } from './localRoot.ts';

function nameOf({ candidates }: FileReference): string {
  return candidates.join('\n');
}

/** Reports files that a job file names but that do not exist. Only the local service reads them from the open folder. */
export class MissingFiles implements vscode.Disposable {
  readonly #connections: ConnectionService;
  readonly #disposables = new DisposableStore();
  #missing = new Map<string, boolean>();
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<void>());
  /** Fires when the result may have changed: files were created or deleted, or another profile was selected. */
  readonly onDidChange = this.#changed.event;

  constructor(connections: ConnectionService) {
    this.#connections = connections;
    const folder = localRoot();
    if (folder) {
      const files = this.#disposables.add(
        vscode.workspace.createFileSystemWatcher(
          new vscode.RelativePattern(folder, '**/*.{py,ipynb,sql,r,R,scala}'),
          false,
          true,
          false,
        ),
      );
      this.#disposables.add(files.onDidCreate(() => this.#forget()));
      this.#disposables.add(files.onDidDelete(() => this.#forget()));
    }
    this.#disposables.add(connections.onDidChange(() => this.#forget()));
  }

  /** Returns the problems known so far, so that they do not flicker with each keystroke. */
  problemsOf(language: JobFileService, document: JobDocument): readonly Problem[] {
    const missing = this.#references(language, document).filter(
      (reference) => this.#missing.get(nameOf(reference)) === true,
    );
    return language.missingFileProblems(document, missing, severalFolders() ? localRoot()?.name : undefined);
  }

  /**
   * Checks the files that were not checked yet.
   * @returns whether there were any
   */
  async refresh(language: JobFileService, document: JobDocument): Promise<boolean> {
    const folder = localRoot();
    const unknown = this.#references(language, document).filter((reference) => !this.#missing.has(nameOf(reference)));
    if (!folder || unknown.length === 0) return false;
    const known = this.#missing;
    await Promise.all(
      unknown.map(async (reference) => known.set(nameOf(reference), (await fileOf(folder, reference)) === undefined)),
    );
    return true;
  }

  #references(language: JobFileService, document: JobDocument): readonly FileReference[] {
    return localRoot() && this.#connections.current.kind === 'local' ? language.fileReferences(document) : [];
  }

  #forget(): void {
    this.#missing = new Map();
    this.#changed.fire();
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
