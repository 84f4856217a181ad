import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { deflate } from '@gfx/zopfli';
import { extensionPage } from './extensionPage.ts';
import { bundledPackages, noticesText, type Metafile } from './licenceNotices.ts';
import { dist, out, root, vsixFile } from './paths.ts';
import { runOrThrow } from './processes.ts';
import { withoutComments } from './programText.ts';
import { readEntry, zipArchive, zipEntries } from './zip.ts';

// The library ends the process at an error that nobody handles, wherever it comes from: that is for the tests' reporter to tell.
for (const event of ['unhandledRejection', 'uncaughtException'])
  for (const listener of process.rawListeners(event))
    if (listener.name === 'abort' || String(listener).includes('instanceof ExitStatus'))
      process.off(event, listener as () => void);

/** Builds dist/ with esbuild.js. Throws with esbuild's own messages if it fails. */
export async function build(args: readonly string[] = []): Promise<void> {
  await alone(() => bundle(args));
}

async function bundle(args: readonly string[]): Promise<void> {
  await runOrThrow(process.execPath, [path.join(root, 'esbuild.js'), ...args], { cwd: root, echo: true });
  const metafile = JSON.parse(fs.readFileSync(path.join(out, 'meta.json'), 'utf8')) as Metafile;
  fs.writeFileSync(path.join(dist, 'third-party-notices.txt'), noticesText(bundledPackages(metafile)));
}

/** All that `.vscodeignore` may let through. vsce compares every file it finds with that, and a checkout has tens of thousands in its caches. */
const partsOfPackage = ['package.json', '.vscodeignore', 'CHANGELOG.md', 'LICENSE', 'dist', 'media'];

/** Builds for production and packs out/millrace.vsix, twice the same bytes from the same sources. Returns what was made, in words. */
export async function packageExtension(): Promise<string> {
  return alone(pack);
}

async function pack(): Promise<string> {
  await bundle(['--production']);
  if (!fs.existsSync(path.join(dist, 'extension.js')))
    throw new Error('There is no dist/extension.js; nothing was packed.');
  fs.mkdirSync(out, { recursive: true });
  const vsce = path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  const temporary = path.join(out, `packing-${process.pid}.vsix`);
  const staged = path.join(out, `packing-${process.pid}`);
  for (const name of partsOfPackage) fs.cpSync(path.join(root, name), path.join(staged, name), { recursive: true });
  const page = extensionPage(fs.readFileSync(path.join(root, 'README.md'), 'utf8'));
  fs.writeFileSync(path.join(staged, 'README.md'), page);
  // The time of every entry in the archive; any fixed one makes the package reproducible.
  const env = { ...process.env, SOURCE_DATE_EPOCH: process.env['SOURCE_DATE_EPOCH'] ?? '1767225600', NO_COLOR: '1' };
  const options = ['--no-dependencies', '--no-rewrite-relative-links', '--out', temporary];
  await runOrThrow(process.execPath, [vsce, 'package', ...options], { cwd: staged, env });
  fs.rmSync(staged, { recursive: true });
  fs.writeFileSync(temporary, await packedTighter(temporary));
  // Whoever is reading the package of before goes on reading that.
  fs.renameSync(temporary, vsixFile);
  const bytes = fs.readFileSync(vsixFile);
  const sha = createHash('sha256').update(bytes).digest('hex');
  return `${path.relative(root, vsixFile)}: ${(bytes.length / 1024).toFixed(0)} KiB, SHA-256 ${sha}`;
}

/** Of Zopfli: two take 9 s for a whole package, fifty 28 s and save 450 bytes. */
const numiterations = 50;
/** What was deflated before, by the hash of its content. */
const deflatedBefore = path.join(root, '.cache', 'deflated');

/**
 * The same files in fewer bytes: JSON, pictures and the manifest without their spaces, JSON without what only a checkout needs, programs
 * without comments, all deflated by Zopfli.
 */
async function packedTighter(archive: string): Promise<Buffer> {
  const files = [];
  for (const name of zipEntries(archive)) {
    const content = tightContent(name, readEntry(archive, name));
    files.push({ name, content, deflated: await deflated(content) });
  }
  return zipArchive(files);
}

function tightContent(name: string, content: Buffer): Buffer {
  if (/^extension\/dist\/.*\.(?:py|pl|R)$/.test(name))
    return Buffer.from(withoutComments(name, content.toString('utf8')));
  if (/\.(?:svg|vsixmanifest)$/.test(name)) return Buffer.from(content.toString('utf8').replace(/>\s+</g, '><'));
  if (!/^extension\/(?:package\.json|media\/[^/]+\.json)$/.test(name)) return content;
  const {
    scripts: _scripts,
    devDependencies: _dependencies,
    optionalDependencies: _node,
    ...rest
  } = JSON.parse(content.toString('utf8')) as object & {
    scripts?: unknown;
    devDependencies?: unknown;
    optionalDependencies?: unknown;
  };
  return Buffer.from(JSON.stringify(rest));
}

async function deflated(content: Buffer): Promise<Uint8Array> {
  const file = path.join(deflatedBefore, `${createHash('sha256').update(content).digest('hex')}-${numiterations}`);
  if (fs.existsSync(file)) return fs.readFileSync(file);
  const bytes = await new Promise<Uint8Array>((resolve, reject) =>
    deflate(content, { numiterations }, (error, result) => (error === null ? resolve(result) : reject(error))),
  );
  fs.mkdirSync(deflatedBefore, { recursive: true });
  // Written whole or not at all: a package must not be made of half a file.
  const temporary = `${file}.${process.pid}`;
  fs.writeFileSync(temporary, bytes);
  fs.renameSync(temporary, file);
  return bytes;
}

/** Runs an action while no other script of this checkout builds or packs; a lock older than two minutes is a dead script's. */
async function alone<T>(action: () => Promise<T>): Promise<T> {
  const lock = path.join(out, '.building');
  fs.mkdirSync(out, { recursive: true });
  for (;;) {
    try {
      fs.mkdirSync(lock);
      break;
    } catch {
      const since = fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (Date.now() - since > 120_000) fs.rmSync(lock, { recursive: true, force: true });
      else await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  try {
    return await action();
  } finally {
    fs.rmSync(lock, { recursive: true, force: true });
  }
}
