import path from 'node:path';
import * as vscode from 'vscode';
import { readJsonc } from '../../shared/readJsonc.ts';
import { codeColours, type CodeColours } from '../codeColours.ts';

/** Maximum include depth, more than any theme uses; stops a file that includes itself. */
const includesAtMost = 8;
/** Maximum file size in bytes; themes have some ten thousand. */
const fileAtMost = 2_000_000;

interface ThemeEntry {
  readonly id?: string;
  readonly label?: string;
  readonly path?: string;
}

/**
 * Returns the code colors of the current theme. Returns none, so that the default colors apply, if the theme's file is not on the extension
 * host's machine (remote window), is not JSON or cannot be read.
 */
export async function shownCodeColours(): Promise<CodeColours> {
  const name = shownTheme();
  const customizations = vscode.workspace.getConfiguration('editor').get<unknown>('tokenColorCustomizations');
  return codeColours(await themeRules(name), customizations, name);
}

/** Calls `changed` when the theme or the user's own colors change. */
export function onDidChangeCodeColours(changed: () => unknown): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveColorTheme(changed),
    // The editor first shows a newly chosen theme and then writes it to the settings.
    vscode.workspace.onDidChangeConfiguration(
      (change) =>
        ['editor.tokenColorCustomizations', 'workbench', 'window'].some((name) => change.affectsConfiguration(name)) &&
        changed(),
    ),
  );
}

/** Returns the theme's name from the settings, which depends on whether the editor follows the system. */
function shownTheme(): string {
  const { kind } = vscode.window.activeColorTheme;
  const { Dark, HighContrast, HighContrastLight } = vscode.ColorThemeKind;
  const isDark = kind === Dark || kind === HighContrast;
  const isHighContrast = kind === HighContrast || kind === HighContrastLight;
  const follows = (setting: string): boolean => vscode.workspace.getConfiguration('window').get(setting) === true;
  const setting =
    isHighContrast && follows('autoDetectHighContrast')
      ? `preferredHighContrast${isDark ? '' : 'Light'}ColorTheme`
      : follows('autoDetectColorScheme')
        ? `preferred${isDark ? 'Dark' : 'Light'}ColorTheme`
        : 'colorTheme';
  return vscode.workspace.getConfiguration('workbench').get<string>(setting) ?? '';
}

async function themeRules(name: string): Promise<unknown[]> {
  for (const { extensionUri, packageJSON } of vscode.extensions.all) {
    const { contributes } = packageJSON as { contributes?: { themes?: ThemeEntry[] } };
    if (!Array.isArray(contributes?.themes)) continue;
    const file = contributes.themes.find(({ id, label }) => (id ?? label) === name)?.path;
    if (typeof file === 'string') return readRules(extensionUri, file, includesAtMost);
  }
  return [];
}

/** Returns the rules of a theme's file, after those of its includes. */
async function readRules(folder: vscode.Uri, file: string, includes: number): Promise<unknown[]> {
  try {
    const uri = vscode.Uri.joinPath(folder, file);
    if ((await vscode.workspace.fs.stat(uri)).size > fileAtMost) return [];
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    const { include, tokenColors } = readJsonc(text) as { include?: unknown; tokenColors?: unknown };
    const included =
      typeof include === 'string' && includes > 0
        ? await readRules(folder, path.posix.join(path.posix.dirname(file), include), includes - 1)
        : [];
    return [...included, ...(Array.isArray(tokenColors) ? (tokenColors as unknown[]) : [])];
  } catch {
    // The theme is in another editor's format or has just been uninstalled: the default colors are readable, too.
    return [];
  }
}
