import { lookup } from 'node:dns/promises';
import fs from 'node:fs';
import path from 'node:path';
import { editorRecipes, type EditorVersion } from './editorRecipes.ts';
import { editorCache } from './paths.ts';

export interface DesktopEditor {
  executable: string;
}

/**
 * Desktop VS Code, if it can be had: named by VSCODE_EXECUTABLE (the newest version only), already downloaded, or
 * downloadable now. Undefined, after saying why, if there is no display or no network; a network that hangs is given up after 3 s.
 */
export async function findDesktopEditor(
  version: EditorVersion,
  say: (line: string) => void = console.log,
): Promise<DesktopEditor | undefined> {
  if (!hasDisplay()) {
    say('There is no display for desktop VS Code: the browser-hosted one is used.');
    return undefined;
  }
  const named = process.env['VSCODE_EXECUTABLE'];
  if (named !== undefined && named !== '' && version === '1.139') {
    if (fs.existsSync(named)) return { executable: named };
    throw new Error(`VSCODE_EXECUTABLE names ${named}, which does not exist. Name VS Code's executable, or unset it.`);
  }
  const { downloadAndUnzipVSCode } = await import('@vscode/test-electron');
  const exact = editorRecipes[version].vscode;
  const downloaded =
    fs.existsSync(editorCache) &&
    fs
      .readdirSync(editorCache)
      .some((name) => name.startsWith('vscode-') && name.endsWith(`-${exact}`) && !name.startsWith('vscode-host-'));
  if (!downloaded && !(await resolves('update.code.visualstudio.com'))) {
    say('Desktop VS Code cannot be downloaded from here: the browser-hosted one is used.');
    return undefined;
  }
  try {
    if (!downloaded) say(`Downloading desktop VS Code ${exact} into ${path.basename(editorCache)}/ …`);
    return { executable: await downloadAndUnzipVSCode({ version: exact, cachePath: editorCache, timeout: 15_000 }) };
  } catch (error) {
    say(
      `Desktop VS Code ${exact} could not be downloaded (${error instanceof Error ? error.message : String(error)}): the browser-hosted one is used.`,
    );
    return undefined;
  }
}

function hasDisplay(): boolean {
  return process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
}

async function resolves(host: string): Promise<boolean> {
  const giveUp = new Promise<false>((resolve) => setTimeout(resolve, 3000, false).unref());
  return Promise.race([
    lookup(host).then(
      () => true,
      () => false,
    ),
    giveUp,
  ]);
}
