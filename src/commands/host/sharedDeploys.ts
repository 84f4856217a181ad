import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { ConnectionService, Profile } from '../../connection/connection.ts';
import { DeployMemory, type KeptDeploy, type Remembered } from '../../deployments/deployMemory.ts';
import { Emitter } from '../../shared/event.ts';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';

/**
 * The last deploys that this window shares with other windows and with the command line on this machine. Files that are not on a disk of
 * this machine have none.
 */
export class SharedDeploys implements Disposable {
  readonly #connections: ConnectionService;
  readonly #folderOf: (profile: Profile) => string;
  readonly #memories = new Map<string, DeployMemory>();
  /** Cached by folder until a file is created or changed there. */
  readonly #listed = new Map<string, readonly string[]>();
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new Emitter<void>());
  /** Fires when the service of the current profile was deployed to, from any process. */
  readonly onDidChange = this.#changed.event;
  #watched: { readonly folder: string; readonly watcher: vscode.Disposable } | undefined;

  constructor(connections: ConnectionService, folderOf: (profile: Profile) => string) {
    this.#connections = connections;
    this.#folderOf = folderOf;
    this.#disposables.add(connections.onDidChange(() => this.#watch()));
    this.#watch();
  }

  recall(profileId: string, uri: string): KeptDeploy | undefined {
    const file = fileOf(uri);
    return file === undefined ? undefined : this.#memoryOf(profileId)?.recall(file);
  }

  /**
   * Stores a deploy.
   * @returns `undefined` if it could not be stored here
   */
  remember(profileId: string, uri: string, deploy: Remembered): KeptDeploy | undefined {
    const file = fileOf(uri);
    const memory = file === undefined ? undefined : this.#memoryOf(profileId);
    if (file === undefined || !memory) return undefined;
    this.#listed.delete(memory.folder);
    try {
      return memory.remember(file, deploy);
    } catch {
      return undefined;
    }
  }

  /** Returns the deployed files of this workspace. */
  uris(profileId: string): readonly string[] {
    const memory = this.#memoryOf(profileId);
    if (!memory) return [];
    const listed =
      this.#listed.get(memory.folder) ??
      memory
        .all()
        // A job of a bundle was only tried here: the file is not its settings.
        .filter(({ file }) => !file.includes('#') || existsSync(file))
        .map(({ file }) => vscode.Uri.file(file).toString());
    this.#listed.set(memory.folder, listed);
    return listed.filter((uri) => vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri)) !== undefined);
  }

  #memoryOf(profileId: string): DeployMemory | undefined {
    const profile = this.#connections.profiles.find(({ id }) => id === profileId);
    if (!profile) return undefined;
    const folder = this.#folderOf(profile);
    const memory = this.#memories.get(folder) ?? new DeployMemory(folder);
    this.#memories.set(folder, memory);
    return memory;
  }

  #watch(): void {
    const folder = this.#folderOf(this.#connections.current);
    if (this.#watched?.folder === folder) return;
    this.#watched?.watcher.dispose();
    // Files may have been created there, unnoticed, while another folder was watched.
    this.#listed.delete(folder);
    const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), '*.json');
    const watcher = vscode.workspace.createFileSystemWatcher(pattern);
    const listener = (): void => {
      this.#listed.delete(folder);
      this.#changed.fire();
    };
    const listening = [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete].map((event) => event(listener));
    this.#watched = { folder, watcher: vscode.Disposable.from(watcher, ...listening) };
  }

  dispose(): void {
    this.#watched?.watcher.dispose();
    this.#disposables.dispose();
  }
}

function fileOf(uri: string): string | undefined {
  const { scheme, fsPath, fragment } = vscode.Uri.parse(uri);
  if (scheme !== 'file') return undefined;
  // With a fragment it is one of several jobs in a file, as the command line names it too.
  return fragment === '' ? fsPath : `${fsPath}#${encodeURIComponent(fragment)}`;
}
