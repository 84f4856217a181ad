/** Builds the extension and packs it with vsce: `npm run package`. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { bundledPackages, noticesText, type Metafile } from './licenceNotices.ts';
import { dist, out, root, vsixFile } from './paths.ts';
import { runOrThrow } from './processes.ts';

/** Builds dist/ with esbuild.js. Throws with esbuild's own messages if it fails. */
export async function build(args: readonly string[] = []): Promise<void> {
  await runOrThrow(process.execPath, [path.join(root, 'esbuild.js'), ...args], { cwd: root, echo: true });
  const metafile = JSON.parse(fs.readFileSync(path.join(out, 'meta.json'), 'utf8')) as Metafile;
  fs.writeFileSync(path.join(dist, 'third-party-notices.txt'), noticesText(bundledPackages(metafile)));
}

/** What vsce packs, and where it lies in the package. The texts of package.json must lie beside it there. */
const staged: Readonly<Record<string, string>> = {
  'package.json': 'package.json',
  '.vscodeignore': '.vscodeignore',
  'CHANGELOG.md': 'CHANGELOG.md',
  LICENSE: 'LICENSE',
  dist: 'dist',
  media: 'media',
  'media/l10n/package.nls.json': 'package.nls.json',
};

/** A picture of the repository on a line of its own. */
const localPicture = /^(?:!\[[^\]]*\]\((?!https:)[^)\s]+\)|<picture>[^]*?<\/picture>)\n\n?/gm;

/**
 * Builds for production and packs out/millrace.vsix. Returns its size and SHA-256 in words. The same sources give the same bytes.
 * MILLRACE_REPOSITORY, the https address of the repository, is where the page's pictures and links lead; without it the page has none.
 */
export async function packageExtension(): Promise<string> {
  await build(['--production']);
  const folder = path.join(out, 'package');
  fs.rmSync(folder, { recursive: true, force: true });
  for (const [from, to] of Object.entries(staged))
    if (fs.existsSync(path.join(root, from)))
      fs.cpSync(path.join(root, from), path.join(folder, to), { recursive: true });
  const repository = process.env['MILLRACE_REPOSITORY'];
  const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8');
  fs.writeFileSync(
    path.join(folder, 'README.md'),
    repository === undefined ? readme.replace(localPicture, '') : readme,
  );
  const links =
    repository === undefined
      ? ['--no-rewrite-relative-links']
      : ['--baseContentUrl', `${repository}/blob/HEAD`, '--baseImagesUrl', `${repository}/raw/HEAD`];
  // A fixed time for every entry of the archive makes the package reproducible.
  const env = { ...process.env, SOURCE_DATE_EPOCH: process.env['SOURCE_DATE_EPOCH'] ?? '1767225600', NO_COLOR: '1' };
  const vsce = path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  const temporary = `${vsixFile}.new`;
  await runOrThrow(process.execPath, [vsce, 'package', '--no-dependencies', ...links, '--out', temporary], {
    cwd: folder,
    env,
  });
  fs.renameSync(temporary, vsixFile);
  const bytes = fs.readFileSync(vsixFile);
  const sha = createHash('sha256').update(bytes).digest('hex');
  return `${path.relative(root, vsixFile)}: ${(bytes.length / 1024).toFixed(0)} KiB, SHA-256 ${sha}`;
}

if (process.argv[1] === import.meta.filename) console.log(await packageExtension());
