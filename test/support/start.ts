/** `npm start`: a VS Code with the extension and a workspace of samples, until Ctrl+C. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { ensurePython } from './debian.ts';
import { findDesktopEditor } from './desktopEditor.ts';
import { quietSettings, startEditor, writeSettings } from './editor.ts';
import { assembleEditor } from './editorAssembly.ts';
import { newestEditor } from './editorRecipes.ts';
import { build, packageExtension } from './package.ts';
import { editorCache, root, vsixFile } from './paths.ts';
import { endLeftovers, startGroup, stopGroup } from './processes.ts';

const workspace = path.join(editorCache, 'sample-workspace');
const profile = path.join(editorCache, 'start-profile');
/** Fixed if it is free, so that the browser finds its own storage again. */
const usualPort = 8420;

/**
 * Options: `--fresh` forgets workspace and profile of earlier starts, `--port N` chooses the port, `--browser` never takes
 * desktop VS Code.
 */
export async function startForUser(args: readonly string[]): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    // A terminal sends the signal to the whole group, and run.mjs passes it on: the second one is not another wish.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  prepareWorkspace(args.includes('--fresh'));
  await ensurePython();
  const desktop = args.includes('--browser') ? undefined : await findDesktopEditor(newestEditor);
  const running = desktop === undefined ? await startBrowserHost(portOf(args)) : await startDesktop(desktop.executable);
  await Promise.race([stopped, running.ended]);
  console.log('\nStopping VS Code and what it started …');
  await running.stop();
  const left = await endLeftovers(5000);
  console.log(left.length === 0 ? 'Stopped.' : `Stopped; ${left.length} processes had to be ended by force.`);
  process.exit(0);
}

interface Running {
  /** Resolves when the editor ends by itself. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

function prepareWorkspace(fresh: boolean): void {
  if (fresh) {
    fs.rmSync(workspace, { recursive: true, force: true });
    fs.rmSync(profile, { recursive: true, force: true });
  }
  fs.mkdirSync(profile, { recursive: true });
  if (!fs.existsSync(path.join(profile, 'User', 'settings.json'))) writeSettings(profile, quietSettings);
  if (fs.existsSync(workspace)) return;
  const sample = path.join(root, 'media', 'sample');
  fs.mkdirSync(editorCache, { recursive: true });
  if (fs.existsSync(sample)) fs.cpSync(sample, workspace, { recursive: true });
  else fs.mkdirSync(workspace);
}

async function startBrowserHost(port: number | undefined): Promise<Running> {
  console.log('Building and packing the extension …');
  console.log(await packageExtension());
  await assembleEditor(newestEditor);
  const connectionToken = randomBytes(16).toString('hex');
  const editor = await startEditor({
    version: newestEditor,
    profileFolder: profile,
    settings: 'keep',
    complete: true,
    vsix: [vsixFile],
    connectionToken,
    port: port ?? (await freePort(usualPort)),
  });
  console.log(`
VS Code with Millrace is running. Open this address in a browser on this machine:

  ${editor.url}?tkn=${connectionToken}&folder=${encodeURI(workspace)}

The workspace is a copy of the samples: ${path.relative(root, workspace)} (npm start -- --fresh makes a new one).
Press Ctrl+C to stop.`);
  return { ended: editor.ended, stop: () => editor.stop() };
}

async function startDesktop(executable: string): Promise<Running> {
  console.log('Building the extension …');
  await build();
  const args = [
    workspace,
    `--extensionDevelopmentPath=${root}`,
    `--user-data-dir=${profile}`,
    `--extensions-dir=${path.join(profile, 'ext')}`,
    '--skip-welcome',
    '--skip-release-notes',
    '--disable-updates',
    '--wait',
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
  const child = startGroup(executable, args, { stdio: 'ignore' });
  console.log(
    `\nVS Code with Millrace is starting, with ${path.relative(root, workspace)}, a copy of the samples. Press Ctrl+C, or close its window, to stop.`,
  );
  return { ended: new Promise((resolve) => child.once('exit', () => resolve())), stop: () => stopGroup(child) };
}

function portOf(args: readonly string[]): number | undefined {
  const index = args.indexOf('--port');
  if (index === -1) return undefined;
  const port = Number(args[index + 1]);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port needs a number from 0 to 65535, not “${args[index + 1] ?? ''}”. Nothing was started.`);
  return port;
}

/** The port wished for, or 0 (the system chooses) if it is taken. */
async function freePort(wished: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(0));
    probe.listen(wished, '127.0.0.1', () => probe.close(() => resolve(wished)));
  });
}
