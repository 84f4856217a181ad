/** Starts and stops the server of an assembled VS Code; see `editorAssembly.ts` for where it comes from. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type AssembledEditor, assembleEditor } from './editorAssembly.ts';
import { newestEditor, type EditorVersion } from './editorRecipes.ts';
import { out } from './paths.ts';
import { runOrThrow, startGroup, stopGroup } from './processes.ts';

export type Settings = Record<string, unknown>;

export interface EditorOptions {
  version?: EditorVersion;
  /** The profile's folder. Left out: a new one, never seen by any editor and deleted by `stop`. */
  profileFolder?: string;
  /** User settings, added to `quietSettings`; one given as undefined is left out. `keep` leaves the profile's own as they are. */
  settings?: Settings | 'keep';
  /** Packages to install into the profile before the start. */
  vsix?: readonly string[];
  /** Has all extensions that the editor comes with, also those of `needlessExtensions`. */
  complete?: boolean;
  /** Lets the page run tests in the extension host and end the editor; toasts and modal dialogs are then suppressed by the editor. */
  smokeTestDriver?: boolean;
  /** Additional environment of the server and of its extension host. */
  environment?: NodeJS.ProcessEnv;
  port?: number;
  /** Ask every window for this token, so that nothing else on the machine or in a browser can use the editor. */
  connectionToken?: string;
}

export interface RunningEditor {
  /** Address of the window, without a folder. */
  url: string;
  port: number;
  version: EditorVersion;
  profileFolder: string;
  /** Resolves when the server ends, by itself or by `stop`. */
  ended: Promise<void>;
  /** Everything the server printed so far. */
  output(): string;
  stop(): Promise<void>;
}

/** An editor that asks nothing, fetches nothing and shows nothing of its own. */
export const quietSettings: Settings = {
  'chat.disableAIFeatures': true,
  'millrace.local.installDebugger': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.editor.useModal': 'off',
  'security.workspace.trust.enabled': false,
  'remote.autoForwardPorts': false,
  'window.commandCenter': false,
  'window.title': '${dirty}${activeEditorShort}${separator}${rootName}',
  // The third extension host, in a page of its own, would have no extension of these.
  'extensions.webWorker': false,
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'telemetry.telemetryLevel': 'off',
  'git.enabled': false,
  'window.autoDetectColorScheme': false,
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  // Without a GPU, the processor would do the drawing.
  'terminal.integrated.gpuAcceleration': 'off',
};

/**
 * What the editor comes with and the tests do without, but for a few that have the editor complete: tools for languages and services that no
 * job has to do with. What these do at each start and add to each menu takes a tenth of the processor time of opening a window.
 */
const needlessExtensions = new Set([
  ...['git', 'git-base', 'github', 'github-authentication', 'merge-conflict', 'tunnel-forwarding'],
  ...['grunt', 'gulp', 'jake', 'npm', 'emmet', 'debug-auto-launch', 'debug-server-ready', 'simple-browser'],
  ...['css', 'html', 'php', 'typescript'].map((language) => `${language}-language-features`),
  ...['extension-editing', 'references-view', 'terminal-suggest'],
]);

/** A folder of links to the extensions that the tests need of those that the editor comes with. */
function neededExtensions({ serverScript }: AssembledEditor): string {
  const all = path.join(path.dirname(serverScript), '..', 'extensions');
  const hash = createHash('sha256').update(JSON.stringify([all, ...needlessExtensions]));
  const kept = path.join(out, 'builtin', hash.digest('hex').slice(0, 16));
  if (fs.existsSync(kept)) return kept;
  const fresh = `${kept}.${process.pid}`;
  fs.mkdirSync(fresh, { recursive: true });
  for (const { name } of fs.readdirSync(all, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
    if (!needlessExtensions.has(name)) fs.symlinkSync(path.join(all, name), path.join(fresh, name), 'junction');
  // Whoever was first has it; the other's is as good.
  if (fs.existsSync(kept)) fs.rmSync(fresh, { recursive: true });
  else fs.renameSync(fresh, kept);
  return kept;
}

/** Starts the server and waits until its window can be opened. `stop` ends it with all of its children. */
export async function startEditor(options: EditorOptions = {}): Promise<RunningEditor> {
  const editor = await assembleEditor(options.version ?? newestEditor);
  const temporary = options.profileFolder === undefined;
  const profileFolder = options.profileFolder ?? fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-profile-'));
  if (options.settings !== 'keep') writeSettings(profileFolder, { ...quietSettings, ...options.settings });
  const folders = [
    '--user-data-dir',
    profileFolder,
    '--server-data-dir',
    path.join(profileFolder, 's'),
    '--extensions-dir',
    path.join(profileFolder, 'ext'),
  ];
  const environment = serverEnvironment(profileFolder, options.environment);
  if (options.vsix !== undefined && options.vsix.length > 0)
    await installPackages(editor, options.vsix, path.join(profileFolder, 'ext'), environment);
  const access =
    options.connectionToken === undefined
      ? ['--without-connection-token']
      : ['--connection-token', options.connectionToken];
  const args = [
    ...[
      '--host',
      '127.0.0.1',
      '--port',
      String(options.port ?? 0),
      ...access,
      '--accept-server-license-terms',
      '--telemetry-level',
      'off',
    ],
    ...folders,
    ...(options.complete === true ? [] : ['--builtin-extensions-dir', neededExtensions(editor)]),
    ...(options.smokeTestDriver === true ? ['--enable-smoke-test-driver'] : []),
  ];
  const child = startGroup(editor.node, [editor.serverScript, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`VS Code ${editor.vscode} did not start within 60 s:\n${output}`)),
      60_000,
    );
    const onText = (text: string): void => {
      output += text;
      const found = /Web UI available at https?:\/\/[^\s:]+:(\d+)/.exec(output)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(Number(found));
    };
    child.stdout?.setEncoding('utf8').on('data', onText);
    child.stderr?.setEncoding('utf8').on('data', onText);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`VS Code ${editor.vscode} ended with code ${code} at its start:\n${output}`));
    });
  }).catch(async (error: unknown) => {
    await stopGroup(child);
    throw error;
  });
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    version: editor.version,
    profileFolder,
    ended,
    output: () => output,
    async stop() {
      await stopGroup(child);
      if (temporary) fs.rmSync(profileFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/**
 * Installs packages as a user does, once for each editor and state of their files: what the editor made of them serves the profiles that
 * want the same, since forty installations of one package take longer than some of the tests.
 */
async function installPackages(
  editor: AssembledEditor,
  vsix: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  if (fs.existsSync(path.join(folder, 'extensions.json'))) return install(editor, vsix, folder, environment);
  const hash = createHash('sha256').update(editor.serverScript);
  for (const file of vsix) hash.update(fs.readFileSync(file));
  const kept = path.join(out, 'installed', hash.digest('hex').slice(0, 16));
  if (!fs.existsSync(kept)) {
    const fresh = `${kept}.${process.pid}`;
    await install(editor, vsix, fresh, environment);
    // Whoever was first has it; the other's is as good.
    if (fs.existsSync(kept)) fs.rmSync(fresh, { recursive: true });
    else fs.renameSync(fresh, kept);
  }
  fs.cpSync(kept, folder, { recursive: true });
  // The list of what is installed says where.
  const list = path.join(folder, 'extensions.json');
  const entries = JSON.parse(fs.readFileSync(list, 'utf8')) as { location: unknown; relativeLocation: string }[];
  for (const entry of entries)
    entry.location = { $mid: 1, path: path.join(folder, entry.relativeLocation), scheme: 'file' };
  fs.writeFileSync(list, JSON.stringify(entries));
}

async function install(
  editor: AssembledEditor,
  vsix: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-install-'));
  const folders = [
    '--user-data-dir',
    temporary,
    '--server-data-dir',
    path.join(temporary, 's'),
    '--extensions-dir',
    folder,
  ];
  try {
    for (const file of vsix)
      await runOrThrow(
        editor.node,
        [editor.serverScript, ...folders, '--install-extension', path.resolve(file), '--force'],
        { env: environment },
      );
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Writes the user settings of a profile; settings that are undefined are left out. */
export function writeSettings(profileFolder: string, settings: Settings): void {
  const folder = path.join(profileFolder, 'User');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'settings.json'), `${JSON.stringify(settings, undefined, 2)}\n`);
}

function serverEnvironment(profileFolder: string, extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  // What an enclosing VS Code or npm has set would change how this one behaves.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(VSCODE_|ELECTRON_|npm_|NODE_OPTIONS$)/i.test(name),
  );
  // What this user's programs remember is not for tests, nor theirs for them.
  const state = path.join(profileFolder, 'state');
  return { ...Object.fromEntries(inherited), EXTENSIONS_GALLERY: '{}', XDG_STATE_HOME: state, ...extra };
}
