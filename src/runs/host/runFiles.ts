import * as vscode from 'vscode';
import { lazy } from '../../shared/lazy.ts';

export const runScheme = 'millrace-run';

/** Reads the texts of runs. */
export interface RunTextSource {
  read(uri: vscode.Uri): Promise<string>;
  readonly onDidChange: vscode.Event<vscode.Uri>;
}

const refuse = (): never => {
  throw vscode.FileSystemError.NoPermissions();
};

/**
 * Shows the texts of runs as read-only files: of all text documents that an extension can provide, the editor reopens only files after a
 * reload. It reads them as soon as the extension is active, so this is registered before the lazily loaded parts.
 */
export function registerRunFiles(load: () => Promise<RunTextSource>): vscode.Disposable {
  const changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  const source = lazy(async () => {
    const texts = await load();
    texts.onDidChange((uri) => changed.fire([{ type: vscode.FileChangeType.Changed, uri }]));
    return texts;
  });
  const encoder = new TextEncoder();
  return vscode.workspace.registerFileSystemProvider(
    runScheme,
    {
      onDidChangeFile: changed.event,
      watch: () => new vscode.Disposable(() => undefined),
      // The editor rereads a file only if it is newer. The length is known only after reading the run.
      stat: () => ({ type: vscode.FileType.File, ctime: 0, mtime: Date.now(), size: 0 }),
      // With a byte order mark, so that the user's encoding setting does not matter.
      readFile: async (uri) => encoder.encode(`\uFEFF${await (await source()).read(uri)}`),
      readDirectory: () => [],
      createDirectory: refuse,
      delete: refuse,
      rename: refuse,
      writeFile: refuse,
    },
    { isReadonly: true },
  );
}
