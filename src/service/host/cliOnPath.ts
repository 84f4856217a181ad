import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import * as vscode from 'vscode';
import { describeError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { localFolders } from './localFolders.ts';

/**
 * Adds the command `millrace` to the editor's terminals, with this window's local service. It is absent in Restricted Mode, because it runs
 * programs of the workspace.
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
      // The setting may have been turned off in the meantime.
      if (!isOn()) return;
      const { dataFolder, root, hasFolder } = localFolders(context);
      variables.description = vscode.l10n.t(
        "Adds the command `millrace` to the PATH, for this window's local service.",
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

/** Windows with other versions of the extension write the same files, so they are replaced as a whole. */
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

/** Scripts that run the program `millrace`, by file name. */
interface LauncherScripts {
  readonly millrace: string;
  readonly 'millrace.cmd': string;
}

interface ProgramPlaces {
  /** The editor's executable, which acts as Node when told to. */
  readonly node: string;
  /** `millrace.js` of the extension. */
  readonly program: string;
  /** Path of the user's home folder. */
  readonly home: string;
}

/**
 * Returns the scripts for POSIX shells and for Windows. Windows reads scripts in a legacy code page, so the user name, which most often has
 * non-ASCII letters, is left to a variable.
 */
export function launcherScripts({ node, program, home }: ProgramPlaces): LauncherScripts {
  const [editor, script] = [node, program].map((path) => `'${path.replaceAll("'", String.raw`'\''`)}'`);
  const [windowsEditor, windowsScript] = [node, program].map((path) => `"${cmdPath(path, home)}"`);
  return {
    millrace: [
      '#!/bin/sh',
      '# Written by the extension Millrace: its command line, with the Node of the editor.',
      `if [ -x ${editor} ]; then`,
      `  ELECTRON_RUN_AS_NODE=1 exec ${editor} ${script} "$@"`,
      'fi',
      `exec node ${script} "$@"`,
      '',
    ].join('\n'),
    'millrace.cmd': [
      '@echo off',
      'rem Written by the extension Millrace: its command line, with the Node of the editor.',
      // If delayed expansion is on, it would remove each "!" from words and paths.
      'setlocal EnableExtensions DisableDelayedExpansion',
      `if not exist ${windowsEditor} goto path`,
      'set "ELECTRON_RUN_AS_NODE=1"',
      `${windowsEditor} ${windowsScript} %*`,
      'exit /b %errorlevel%',
      ':path',
      `node ${windowsScript} %*`,
      'exit /b %errorlevel%',
      '',
    ].join('\r\n'),
  };
}

function cmdPath(path: string, home: string): string {
  const isInHome = home !== '' && path.toLowerCase().startsWith(`${home.toLowerCase()}\\`);
  const [start, rest] = isInHome ? ['%USERPROFILE%', path.slice(home.length)] : ['', path];
  return start + rest.replaceAll('%', '%%');
}
