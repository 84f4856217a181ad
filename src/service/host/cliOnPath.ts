import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import * as vscode from 'vscode';
import { describeError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { launcherScripts } from './launcherScripts.ts';
import { localFolders } from './localFolders.ts';

/**
 * The command `millrace` in the editor's terminals, with the local service of this window. In Restricted Mode it is not there,
 * since it runs programs of the workspace.
 */
export function registerCliOnPath(context: vscode.ExtensionContext, { log }: { log: Logger }): vscode.Disposable {
  const { environmentVariableCollection: variables } = context;
  const isOn = (): boolean =>
    vscode.workspace.isTrusted && vscode.workspace.getConfiguration('millrace').get<boolean>('terminal.command', true);
  const update = async (): Promise<void> => {
    if (!isOn()) {
      variables.clear();
      return;
    }
    try {
      const folder = join(context.globalStorageUri.fsPath, 'bin');
      await writeScripts(folder, join(context.extensionPath, 'dist', 'millrace.js'));
      // It may have been turned off while they were written.
      if (!isOn()) return;
      const { dataFolder, root, hasFolder } = localFolders(context);
      variables.description = vscode.l10n.t(
        'Puts the command `millrace` on the PATH, for the local service of this window.',
      );
      variables.prepend('PATH', folder + delimiter);
      if (!hasFolder) {
        variables.delete('MILLRACE_DATA');
        variables.delete('MILLRACE_ROOT');
        return;
      }
      variables.replace('MILLRACE_DATA', dataFolder);
      variables.replace('MILLRACE_ROOT', root);
    } catch (error) {
      log.warn(`The command millrace is not in the terminals: ${describeError(error)}`);
    }
  };
  void update();
  return vscode.Disposable.from(
    vscode.workspace.onDidGrantWorkspaceTrust(() => void update()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void update()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('millrace.terminal.command')) void update();
    }),
  );
}

/** Windows of other versions of the extension write the same files, so that none is ever seen half written. */
async function writeScripts(folder: string, program: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const scripts = launcherScripts({ node: process.execPath, program, home: homedir() });
  for (const [name, text] of Object.entries(scripts)) {
    const path = join(folder, name);
    if ((await readFile(path, 'utf8').catch(() => undefined)) === text) continue;
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, text);
    await chmod(draft, 0o755);
    await rename(draft, path);
  }
}
