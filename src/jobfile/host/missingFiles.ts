import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { FileReference, JobDocument, JobFileService, Problem } from '../services/jobFileService.ts';
import { fileOf, localRoot, severalFolders } from './localRoot.ts';

function nameOf({ candidates }: FileReference): string {
  return candidates.join('\n');
}

/** Reports the files that a job file names and that do not exist. Only the local service takes them from the folder that is open. */
export class MissingFiles implements vscode.Disposable {
  readonly #connections: ConnectionService;
  readonly #disposables = new DisposableStore();
  #missing = new Map<string, boolean>();
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<void>());
  /** Another answer may be right now: files came or went, or another profile was chosen. */
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

  /** What is known by now, so that what is shown does not come and go with every key. */
  problemsOf(language: JobFileService, document: JobDocument): readonly Problem[] {
    const missing = this.#references(language, document).filter(
      (reference) => this.#missing.get(nameOf(reference)) === true,
    );
    return language.missingFileProblems(document, missing, severalFolders() ? localRoot()?.name : undefined);
  }

  /** Looks for the files that nothing is known of. @returns whether there are such */
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
