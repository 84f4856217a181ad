import * as vscode from 'vscode';
import { lazy } from '../../shared/lazy.ts';

export const runScheme = 'millrace-run';

/** What reads the texts. */
export interface RunTextSource {
  read(uri: vscode.Uri): Promise<string>;
  readonly onDidChange: vscode.Event<vscode.Uri>;
}

const refuse = (): never => {
  throw vscode.FileSystemError.NoPermissions();
};

/**
 * Shows the texts of runs as files that nobody can write: of all that an extension can show as a text, the editor opens only files again
 * after a reload. It asks for them as soon as the extension is active, so that this is not left to the parts that come later.
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
      // The editor reads nothing anew that is no newer. How long the text is tells only a look at the run.
      stat: () => ({ type: vscode.FileType.File, ctime: 0, mtime: Date.now(), size: 0 }),
      // With its mark, whatever encoding the user has set for files.
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
