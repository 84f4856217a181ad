/**
 * Puts a real VS Code together from npm packages alone: the workbench, extension host and server that code-server carries,
 * with a Node of its own. Its window is a page in Chromium. Used if desktop VS Code cannot be had.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import {
  editorRecipes,
  isUnusedDependency,
  isUnusedExtension,
  keepSecrets,
  spdlogReplacement,
  watchdogReplacement,
  type EditorRecipe,
  type EditorVersion,
} from './editorRecipes.ts';
import { editorCache, root } from './paths.ts';
import { runOrThrow } from './processes.ts';

export interface AssembledEditor {
  version: EditorVersion;
  /** The exact version of VS Code. */
  vscode: string;
  /** The Node executable that runs the server and the extension host. */
  node: string;
  /** The script to run with it. */
  serverScript: string;
}

/**
 * Returns the editor from the cache, or puts it together first, saying what is fetched.
 * It is built beside the cache entry and renamed, so that an interrupted run leaves nothing half done.
 */
export async function assembleEditor(
  version: EditorVersion,
  say: (line: string) => void = console.log,
): Promise<AssembledEditor> {
  const recipe = editorRecipes[version];
  const folder = path.join(editorCache, `vscode-host-${recipe.vscode}-${recipeHash(recipe)}`);
  if (!fs.existsSync(folder)) {
    const startedAt = Date.now();
    say(
      `Putting VS Code ${recipe.vscode} together from npm (code-server ${recipe.package}, Node ` +
        `${recipe.node}; about 450 MB, once) in ${path.relative(root, folder)} …`,
    );
    fs.mkdirSync(editorCache, { recursive: true });
    const temporary = fs.mkdtempSync(path.join(editorCache, '.assembling-'));
    try {
      await unpackEditor(recipe, temporary);
      say('  unpacked; installing what its server needs …');
      await installDependencies(recipe, path.join(temporary, 'vscode'));
      await installNode(recipe, temporary);
      rename(temporary, folder);
      removeOlder(recipe, folder);
    } finally {
      fs.rmSync(temporary, { recursive: true, force: true });
    }
    say(`  VS Code ${recipe.vscode} is ready after ${((Date.now() - startedAt) / 1000).toFixed(0)} s.`);
  }
  return {
    version,
    vscode: recipe.vscode,
    node: nodeIn(path.join(folder, 'node')),
    serverScript: path.join(folder, 'vscode', 'out', 'server-main.js'),
  };
}

async function unpackEditor(recipe: EditorRecipe, folder: string): Promise<void> {
  const archive = await fetchPackage(`code-server@${recipe.package}`, folder, recipe.integrity);
  await runOrThrow('tar', ['-xzf', archive, '-C', folder, 'package/lib/vscode']);
  fs.rmSync(archive);
  fs.renameSync(path.join(folder, 'package', 'lib', 'vscode'), path.join(folder, 'vscode'));
  fs.rmSync(path.join(folder, 'package'), { recursive: true });
  const extensions = path.join(folder, 'vscode', 'extensions');
  for (const name of fs.readdirSync(extensions)) {
    if (isUnusedExtension(name)) fs.rmSync(path.join(extensions, name), { recursive: true });
  }
  const workbench = path.join(folder, 'vscode', 'out', 'vs', 'code', 'browser', 'workbench', 'workbench.js');
  fs.writeFileSync(workbench, keepSecrets(fs.readFileSync(workbench, 'utf8')));
}

async function installDependencies(recipe: EditorRecipe, folder: string): Promise<void> {
  const manifestFile = path.join(folder, 'package.json');
  const manifest = readJson(manifestFile) as Manifest;
  trim(manifest, recipe);
  delete manifest.allowScripts;
  writeJson(manifestFile, manifest);
  const lockFile = path.join(folder, 'npm-shrinkwrap.json');
  const lock = readJson(lockFile) as { packages: Record<string, Manifest> };
  for (const key of Object.keys(lock.packages)) {
    const name = key.replace(/^node_modules\//, '');
    const owner = Object.keys(recipe.overrides).find(
      (replaced) => name === replaced || name.startsWith(`${replaced}-`) || name.startsWith(`${replaced}/`),
    );
    if (key !== '' && (owner !== undefined || isUnusedDependency(name))) delete lock.packages[key];
  }
  const lockRoot = lock.packages[''];
  if (lockRoot !== undefined) trim(lockRoot, recipe);
  writeJson(lockFile, lock);
  await runOrThrow(
    'npm',
    ['install', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: folder, env: npmEnvironment() },
  );
  replaceModule(folder, '@vscode/spdlog', spdlogReplacement);
  replaceModule(folder, '@vscode/native-watchdog', watchdogReplacement);
  replaceModule(folder, 'native-watchdog', watchdogReplacement);
}

interface Manifest {
  dependencies?: Record<string, string>;
  overrides?: Record<string, unknown>;
  allowScripts?: unknown;
}

function trim(manifest: Manifest, recipe: EditorRecipe): void {
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    if (isUnusedDependency(name)) delete manifest.dependencies?.[name];
  }
  manifest.dependencies = { ...manifest.dependencies, ...recipe.overrides };
}

function replaceModule(folder: string, name: string, source: string): void {
  const module = path.join(folder, 'node_modules', name);
  if (fs.existsSync(module)) fs.writeFileSync(path.join(module, 'index.js'), source);
}

async function installNode(recipe: EditorRecipe, folder: string): Promise<void> {
  if (process.platform === 'darwin') {
    // There is no such package for macOS: the Node that runs this script has to do.
    fs.mkdirSync(path.join(folder, 'node', 'bin'), { recursive: true });
    fs.symlinkSync(process.execPath, path.join(folder, 'node', 'bin', 'node'));
    return;
  }
  const name = `node-${process.platform === 'win32' ? 'win' : 'linux'}-${process.arch}`;
  const archive = await fetchPackage(`${name}@${recipe.node}`, folder);
  await runOrThrow('tar', ['-xzf', archive, '-C', folder]);
  fs.rmSync(archive);
  fs.renameSync(path.join(folder, 'package'), path.join(folder, 'node'));
}

function nodeIn(folder: string): string {
  return process.platform === 'win32' ? path.join(folder, 'bin', 'node.exe') : path.join(folder, 'bin', 'node');
}

async function fetchPackage(spec: string, folder: string, integrity?: string): Promise<string> {
  const result = await runOrThrow('npm', ['pack', spec, '--json', '--silent', '--pack-destination', folder], {
    cwd: folder,
    env: npmEnvironment(),
  });
  // npm 11 prints a list, npm 12 an object by name: the file is found the same way in both.
  const file = /"filename":\s*"([^"]+)"/.exec(result.stdout)?.[1];
  if (file === undefined) throw new Error(`npm pack ${spec} named no file:\n${result.stdout}`);
  const archive = path.join(folder, path.basename(file));
  if (integrity !== undefined) {
    const received = `sha512-${createHash('sha512').update(fs.readFileSync(archive)).digest('base64')}`;
    if (received !== integrity)
      throw new Error(`The package ${spec} is not the one it should be (${received}); nothing of it was used.`);
  }
  return archive;
}

/** npm's own variables of an enclosing `npm run` would be taken as settings of the inner npm. */
export function npmEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(?!config_(registry|userconfig|cache|cafile|.*proxy))/i.test(name),
    ),
  );
}

function rename(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    // Another run was faster: its result is the same.
    if (!fs.existsSync(to)) throw error;
  }
}

/** An editor put together by an earlier recipe is not used again. */
function removeOlder(recipe: EditorRecipe, folder: string): void {
  for (const name of fs.readdirSync(editorCache)) {
    if (name.startsWith(`vscode-host-${recipe.vscode}-`) && name !== path.basename(folder))
      fs.rmSync(path.join(editorCache, name), { recursive: true, force: true });
  }
}

function recipeHash(recipe: EditorRecipe): string {
  const parts = [
    JSON.stringify(recipe),
    spdlogReplacement,
    watchdogReplacement,
    isUnusedDependency.toString(),
    isUnusedExtension.toString(),
    keepSecrets.toString(),
    process.arch,
  ];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 8);
}

function readJson(file: string): unknown {
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

function writeJson(file: string, value: unknown): void {
  fs.writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}
