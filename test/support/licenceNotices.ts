/** The licence texts of the packages whose code is in the bundles, read from what esbuild says that it bundled. */
import fs from 'node:fs';
import path from 'node:path';
import { root } from './paths.ts';

export interface Metafile {
  outputs: Readonly<Record<string, { inputs: Readonly<Record<string, { bytesInOutput: number }>> }>>;
}

export interface BundledPackage {
  name: string;
  version: string;
  /** As its manifest says it, an SPDX expression. */
  licence: string;
  /** Licence and notice files, whole. */
  texts: string[];
}

/** What may be in the package: licences that ask for nothing but their text. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
  'Zlib',
]);

/** Whether an SPDX expression lets the code be distributed under an allowed licence. */
export function isAllowed(expression: string): boolean {
  const words = expression.replace(/^\((.*)\)$/, '$1').split(/\s+/);
  const licences = words.filter((_, index) => index % 2 === 0);
  const joints = new Set(words.filter((_, index) => index % 2 === 1));
  if (joints.size > 1) return false;
  const needed = joints.has('OR')
    ? licences.some((one) => allowed.has(one))
    : licences.every((one) => allowed.has(one));
  return needed && [...joints].every((joint) => joint === 'AND' || joint === 'OR');
}

/** The packages with code in an output, by name. Throws if one has no licence text, or one that is not allowed. */
export function bundledPackages(metafile: Metafile, folder = root): BundledPackage[] {
  const folders = new Set<string>();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const place = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
      if (place !== undefined && bytesInOutput > 0) folders.add(place);
    }
  }
  return [...folders]
    .map((place) => describePackage(path.join(folder, place)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function describePackage(place: string): BundledPackage {
  const manifest = JSON.parse(fs.readFileSync(path.join(place, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string;
  };
  const licence = manifest.license ?? 'none';
  if (!isAllowed(licence))
    throw new Error(
      `${manifest.name} is bundled, and its licence, ${licence}, is not one of those that are allowed: ${[...allowed].join(', ')}.`,
    );
  const files = fs
    .readdirSync(place)
    .filter((name) => /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i.test(name))
    .sort();
  // A package may name its licence and leave out the text; that stands in licences/ then.
  const kept = path.join(import.meta.dirname, 'licences', `${manifest.name.replace('/', '+')}.txt`);
  const places =
    files.length > 0 ? files.map((name) => path.join(place, name)) : [kept].filter((file) => fs.existsSync(file));
  const texts = places.map((file) => fs.readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim());
  if (texts.length === 0)
    throw new Error(`${manifest.name} is bundled, and there is no licence text in ${path.relative(root, place)}.`);
  return { name: manifest.name, version: manifest.version, licence, texts };
}

/** The file that goes with the package. */
export function noticesText(packages: readonly BundledPackage[]): string {
  const line = '-'.repeat(20);
  const parts = packages.map(
    ({ name, version, licence, texts }) =>
      `${line}\n${name} ${version} (${licence})\n${line}\n\n${texts.join('\n\n')}\n`,
  );
  return `Millrace holds code of these packages. Each is under its own licence, which follows its name.\n\n${parts.join('\n')}`;
}
