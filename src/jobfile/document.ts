import { newBudget, parseComplete } from './completeYaml.ts';
import { parseFast } from './fastYaml.ts';
import type { Problem } from './problem.ts';
import type { KeyNode, MapEntry, MapNode, YamlNode, YamlPath } from './yamlNode.ts';

/** A job file's text as positioned nodes. */
export interface JobDocument {
  readonly text: string;
  /** Null where nothing is written. */
  readonly root: YamlNode | null;
  /** What is wrong as YAML, whatever a job is. */
  readonly problems: readonly Problem[];
  /** Parts of the text that hold a syntax error: nothing is known about what is missing there. */
  readonly broken: readonly TextRange[];
}

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Far more than a request to the service may have in one field, and still read at once. */
const maxLength = 4_000_000;

/** Reads YAML, and so JSON, of any kind in bounded time. Never throws. */
export function parseDocument(text: string): JobDocument {
  if (text.length > maxLength) {
    const message = `The file has ${text.length} characters; a job file of more than ${maxLength} is not read. Shorten it.`;
    return { text, root: null, problems: [{ code: 'tooLarge', message, start: 0, end: 1, severity: 'error' }], broken: [{ start: 0, end: text.length }] };
  }
  const fast = parseFast(text);
  if (fast !== undefined) return { text, root: fast, problems: [], broken: [] };
  return parseParts(text) ?? parseWhole(text);
}

function parseWhole(text: string): JobDocument {
  const { root, problems } = parseComplete(text);
  return { text, root, problems, broken: problems.length > 0 ? [{ start: 0, end: text.length }] : [] };
}

const partStart = /^(?:[A-Za-z_][\w.-]*|"[^"\\\n]*"|'[^'\n]*') *:(?=[ \r\n]|$)/gm;
const nothingBefore = /^(?:[ \t]*(?:#[^\n]*)?\r?\n|---[ \t]*\r?\n)*$/;
/** What starting the complete parser costs, in its tokens. */
const partCost = 300;
/** Anchors and directives reach over parts, and after a marker comes another document. */
const reachesOver = /(?:^|[\s[{,:-])[&*][^\s]|^%|\r(?!\n)|\ufeff/m;
const marker = /^(?:---|\.\.\.)/m;

/**
 * Reads each field of the top level by itself, so that an error in one neither hides the others nor makes the
 * whole file go through the slow parser at each keystroke. Undefined where the text cannot be taken apart.
 */
function parseParts(text: string): JobDocument | undefined {
  const starts = [...text.matchAll(partStart)].map((match) => match.index);
  const first = starts[0];
  if (first === undefined || starts.length < 2 || reachesOver.test(text) || !nothingBefore.test(text.slice(0, first)) || marker.test(text.slice(first))) return undefined;
  const entries: MapEntry[] = [];
  const problems: Problem[] = [];
  const broken: TextRange[] = [];
  const budget = newBudget();
  for (const [index, start] of starts.entries()) {
    // Very many parts that are not plain cost less when they are read at once.
    if (budget.cost < 0) return undefined;
    const end = starts[index + 1] ?? text.length;
    const fast = parseFast(text, start, end);
    let node = fast ?? null;
    if (fast === undefined) {
      budget.cost -= partCost;
      const complete = parseComplete(text, start, end, budget);
      problems.push(...complete.problems);
      if (complete.problems.length > 0) broken.push({ start, end });
      node = complete.root;
    }
    if (node?.kind === 'map') entries.push(...node.entries);
    else if (problems.length === 0) return undefined;
  }
  const last = entries[entries.length - 1];
  const root: MapNode = { kind: 'map', start: first, end: last?.value.end ?? first, flow: false, entries };
  return { text, root, problems, broken };
}

/** The node that an alias stands for, or the node itself. */
export function resolved(node: YamlNode | undefined): Exclude<YamlNode, { kind: 'alias' }> | undefined {
  let current = node;
  while (current?.kind === 'alias') current = current.target;
  return current;
}

export function entryOf(node: YamlNode | null | undefined, name: string): MapEntry | undefined {
  const map = resolved(node ?? undefined);
  return map?.kind === 'map' ? map.entries.find((entry) => entry.key.name === name) : undefined;
}

export interface Found {
  readonly node: YamlNode;
  /** The key that holds the node, where it is the value of one. */
  readonly key?: KeyNode;
}

/** The node at a path, or undefined where there is none. */
export function findPath(root: YamlNode | null, path: YamlPath): Found | undefined {
  if (root === null) return undefined;
  let found: Found = { node: root };
  for (const step of path) {
    const node = resolved(found.node);
    if (typeof step === 'string') {
      const entry = entryOf(node, step);
      if (!entry) return undefined;
      found = { node: entry.value, key: entry.key };
    } else {
      const item = node?.kind === 'seq' ? node.items[step] : undefined;
      if (!item) return undefined;
      found = { node: item };
    }
  }
  return found;
}

export interface NodeAtOffset extends Found {
  readonly path: YamlPath;
  /** The offset is on the key, not on the value. */
  readonly onKey: boolean;
}

/** The innermost key or value at an offset. */
export function nodeAt(root: YamlNode | null, offset: number): NodeAtOffset | undefined {
  if (root === null || offset < root.start || offset > root.end) return undefined;
  const path: (string | number)[] = [];
  let found: Found = { node: root };
  for (;;) {
    const inner = childAt(found.node, offset);
    if (!inner) return { ...found, path, onKey: false };
    path.push(inner.step);
    found = inner.found;
    if (inner.onKey) return { ...found, path, onKey: true };
  }
}

function childAt(node: YamlNode, offset: number): { step: string | number; found: Found; onKey: boolean } | undefined {
  if (node.kind === 'map') {
    for (const { key, value } of node.entries) {
      if (offset >= key.start && offset <= key.end) return { step: key.name, found: { node: value, key }, onKey: true };
      if (offset >= value.start && offset <= value.end) return { step: key.name, found: { node: value, key }, onKey: false };
    }
  } else if (node.kind === 'seq') {
    const index = node.items.findIndex((item) => offset >= item.start && offset <= item.end);
    const item = node.items[index];
    if (item) return { step: index, found: { node: item }, onKey: false };
  }
  return undefined;
}
