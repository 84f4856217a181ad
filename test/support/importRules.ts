/**
 * Who may import whom in src/, checked over the text of every import, `import type` and `import()` included.
 * The same rules are told in .github/CONTRIBUTING.md.
 */
import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { root } from './paths.ts';

interface Import {
  /** Path relative to src/, with forward slashes. */
  from: string;
  line: number;
  /** A path relative to src/, or the name of a package. */
  to: string;
  own: boolean;
  typeOnly: boolean;
}

/** Problems as `src/file.ts:line: message`, sorted; none if all rules are kept. */
export async function checkImports(source = path.join(root, 'src')): Promise<string[]> {
  const files = fs
    .readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.ts'));
  const imports = files.flatMap((file) => importsOf(file, fs.readFileSync(path.join(source, file), 'utf8')));
  const problems = imports.flatMap((one) => {
    const why = one.own ? whyNotOurs(one) : whyNotPackage(one);
    return why === undefined ? [] : [`src/${one.from}:${one.line}: ${one.from} must not import ${one.to}: ${why}.`];
  });
  return [...problems, ...findCycles(imports)].sort();
}

/** Imports of one file's text. Comments at the start of a line are skipped; dynamic ones count as any other. */
export function importsOf(file: string, text: string): Import[] {
  const code = text
    .replace(/^[ \t]*\/\/.*$/gm, '')
    .replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, (comment) => comment.replace(/[^\n]/g, ''));
  const found: Import[] = [];
  const pattern =
    /^[ \t]*(?:import|export)\b(?<type>[ \t]+type\b)?[^;'"=(]*?(?:\bfrom[ \t]*|[ \t]+)'(?<name>[^']+)'|\bimport\(\s*'(?<lazy>[^']+)'\s*\)/gm;
  for (const match of code.matchAll(pattern)) {
    const name = match.groups?.['name'] ?? match.groups?.['lazy'] ?? '';
    const own = name.startsWith('.');
    const to = own ? path.posix.join(path.posix.dirname(file), name) : name;
    const line = code.slice(0, match.index + match[0].search(/\S/)).split('\n').length;
    found.push({ from: file, line, to, own, typeOnly: match.groups?.['type'] !== undefined });
  }
  return found;
}

/** Where everything is put together. */
const isRoot = (file: string): boolean => file === 'extension.ts' || file === 'features.ts';
const isHost = (file: string): boolean => /(^|\/)host\//.test(file);
const area = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : file);
const isWebview = (file: string): boolean => /^(shared|chat|runs)\/webview\//.test(file);
/** What runs in Node and nowhere else. */
const isNode = (file: string): boolean =>
  isHost(file) || file.startsWith('shared/node/') || ['service', 'cli', 'deployments'].includes(area(file));
/** Of api/, what needs no connection: fields, rules, routes and limits of the documents. */
const isSchema = (file: string): boolean => file.startsWith('api/schema/');

/** Rooms of one area from the lowest to the highest: none may know one above it. */
const floors: readonly (readonly string[])[] = [
  ['api/schema/', 'api/client/'],
  ['jobfile/yaml/', 'jobfile/model/', 'jobfile/services/', 'jobfile/host/'],
  ['runs/store/', 'runs/polling/', 'runs/host/'],
  ['runs/store/', 'runs/tree/', 'runs/host/'],
  ['service/base/', 'service/runners/', 'service/store/', 'service/engine/', 'service/http/', 'service/startup/'],
  ['service/base/', 'service/background/', 'service/models/', 'service/http/', 'service/startup/'],
  ['service/background/', 'service/export/', 'service/http/'],
  ['service/engine/', 'service/notify/', 'service/startup/'],
];

/** Areas that everybody else, and their own host, meets at one door. */
const doors: Readonly<Record<string, string>> = { jobfile: 'jobfile/services/jobFileService.ts' };

/** What is behind the door that an import passes by, if it does. */
function passedDoor(from: string, to: string): string | undefined {
  const door = doors[area(to)];
  const isInside = area(from) === area(to) && !isHost(from);
  return door === undefined || isInside || isHost(to) || to === door ? undefined : door;
}

function isAbove(to: string, from: string): boolean {
  return floors.some((rooms) => {
    const level = rooms.findIndex((room) => from.startsWith(room));
    return level !== -1 && rooms.findIndex((room) => to.startsWith(room)) > level;
  });
}

function whyNotPackage({ from, to }: Import): string | undefined {
  if (to === 'vscode' && !isRoot(from) && !isHost(from))
    return 'the editor’s API is for extension.ts, features.ts and folders named host';
  if (isBuiltin(to) && !isNode(from))
    return 'Node’s modules are for folders named host, for service, cli, deployments and shared/node';
  return undefined;
}

/** For each area, which others it may reach; its own is always allowed. */
const reach: Record<string, (to: string, typeOnly: boolean) => boolean> = {
  shared: () => false,
  api: (to) => area(to) === 'shared',
  connection: (to) => ['shared', 'api'].includes(area(to)),
  // A feature is handed its connection; it may name the type of it.
  chat: (to, typeOnly) => ['shared', 'api'].includes(area(to)) || (typeOnly && area(to) === 'connection'),
  runs: (to, typeOnly) => ['shared', 'api'].includes(area(to)) || (typeOnly && area(to) === 'connection'),
  jobfile: (to) => area(to) === 'shared' || isSchema(to),
  service: (to) => area(to) === 'shared' || isSchema(to),
  // The same program in a terminal: what is no host's, and nothing of the editor.
  cli: (to) => ['shared', 'api', 'jobfile', 'runs', 'service', 'deployments'].includes(area(to)),
  // What the editor and the terminal both write.
  deployments: (to) => ['shared', 'jobfile'].includes(area(to)),
  commands: (to) => !isRoot(to) && !isWebview(to) && !['service', 'cli'].includes(area(to)),
};

function whyNotOurs({ from, to, typeOnly }: Import): string | undefined {
  if (isRoot(from)) return undefined;
  const door = passedDoor(from, to);
  if (door !== undefined) return `the door there is ${door}`;
  const own = area(from);
  if (isHost(to) && (area(to) !== own || !isHost(from)))
    return 'a host folder is reached only from itself, from extension.ts and from features.ts';
  if (to.startsWith('shared/node/') && !isNode(from)) return 'that room is for what runs in Node and nowhere else';
  if (isWebview(from)) {
    return (isWebview(to) && own === area(to)) ||
      area(to) === 'shared' ||
      (own === 'chat' &&
        /^chat\/(protocol|conversation|conversationEvent|conversationThoughts|playground|parameterForm|externalLink)\.ts$/.test(
          to,
        )) ||
      (own === 'runs' && /^runs\/(page\/pageProtocol|output\/)/.test(to))
      ? undefined
      : 'a webview knows shared, and of its feature the protocol and what it draws';
  }
  if (isWebview(to)) return 'the webview runs in a browser and is built by itself';
  if (isAbove(to, from)) return 'that room stands above this one';
  if (area(to) === own) return undefined;
  if (isHost(from) && own !== 'commands') {
    // Types leave nothing behind.
    const allowed = ['shared', 'connection'].includes(area(to)) || (typeOnly && area(to) === 'api');
    return allowed ? undefined : 'a host imports its own feature, shared and connection (and types of api)';
  }
  const rule = reach[own];
  if (rule === undefined) return `there is no rule for src/${own}; add one to test/support/importRules.ts`;
  return rule(to, typeOnly) ? undefined : `that is outside what ${own} may reach`;
}

/** One problem for each circle of imports, found from its first file. */
function findCycles(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to, own } of imports) {
    if (own) next.set(from, [...(next.get(from) ?? []), to]);
  }
  const problems = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start !== -1) {
      const circle = trail.slice(start);
      const first = circle.indexOf([...circle].sort()[0] ?? file);
      const turned = [...circle.slice(first), ...circle.slice(0, first)];
      problems.add(`src/${turned[0]}:1: a circle of imports: ${[...turned, turned[0]].join(' → ')}.`);
      return;
    }
    if (done.has(file)) return;
    for (const to of next.get(file) ?? []) visit(to, [...trail, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return [...problems];
}
