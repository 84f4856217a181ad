import path from 'node:path';
import * as vscode from 'vscode';
import { readJsonc } from '../../shared/readJsonc.ts';
import { codeColours, type CodeColours } from '../codeColours.ts';

/** More than any theme is made of: a file that includes itself ends there. */
const includesAtMost = 8;
/** In bytes; themes have some ten thousand. */
const fileAtMost = 2_000_000;

interface ThemeEntry {
  readonly id?: string;
  readonly label?: string;
  readonly path?: string;
}

/**
 * The colours of code in the theme that is shown. None, and so those of the default themes, where its file is not on the
 * host's side (a window on another machine), is no JSON, or cannot be read.
 */
export async function shownCodeColours(): Promise<CodeColours> {
  const name = shownTheme();
  const customizations = vscode.workspace.getConfiguration('editor').get<unknown>('tokenColorCustomizations');
  return codeColours(await themeRules(name), customizations, name);
}

/** Tells of another theme, and of another of the user's own colours. */
export function onDidChangeCodeColours(changed: () => unknown): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveColorTheme(changed),
    // A theme that is chosen is shown first, and stands in the settings afterwards.
    vscode.workspace.onDidChangeConfiguration(
      (change) =>
        ['editor.tokenColorCustomizations', 'workbench', 'window'].some((name) => change.affectsConfiguration(name)) &&
        changed(),
    ),
  );
}

/** Its name in the settings: which of them counts depends on whether the editor follows the system. */
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

/** The rules of a theme's file, after those that it includes. */
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
    // A theme of the kind that other editors have, or one that was just taken away: the default colours are readable, too.
    return [];
  }
}
