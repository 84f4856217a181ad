import { l10n } from '../../shared/l10n.ts';
import { newBudget, parseComplete, refill, type Budget } from './completeYaml.ts';
import { parseFast } from './fastYaml.ts';
import { restored, withoutControls, withoutJsonComments, withoutTemplate, withPlainSpaces } from './foreignText.ts';
import {
  unreadFrom,
  resolved,
  type JobDocument,
  type KeyNode,
  type MapEntry,
  type YamlNode,
  type YamlPath,
} from './jobDocument.ts';
import { parseInParts } from './partialYaml.ts';
import { isTabIndentation, readWithoutTabs } from './tabIndentation.ts';

export type { JobDocument };

/** Far more than any job needs, and still parsed between two keystrokes. */
const maxLength = 500_000;

/** Parses any YAML, and so JSON, in bounded time. Never throws. */
export function parseDocument(text: string): JobDocument {
  if (text.length > maxLength) {
    const message = l10n.t(
      'The file has {0} characters. Job files over {1} characters are not read. Shorten it.',
      text.length,
      maxLength,
    );
    return {
      text,
      root: null,
      problems: [unreadFrom(0, 'tooLarge', message)],
      broken: [{ start: 0, end: text.length }],
    };
  }
  const budget = newBudget();
  const clean = withoutControls(withoutJsonComments(text));
  let document = readIndented(clean.text, budget);
  const isInsideText = (offset: number): boolean => {
    const node = nodeAt(document.root, offset)?.node;
    return node?.kind === 'scalar' && node.start < offset;
  };
  const spaced = withPlainSpaces(clean.text, isInsideText);
  if (spaced.problems.length > 0) document = restored(readIndented(spaced.text, refill(budget)), clean.text, spaced);
  const plain = document.problems.length > 0 ? withoutTemplate(spaced.text) : spaced;
  if (plain.problems.length > 0 && plain !== spaced)
    document = restored(readIndented(plain.text, refill(budget)), clean.text, {
      ...plain,
      problems: [...plain.problems, ...spaced.problems],
    });
  return clean.text === text ? document : restored(document, text, clean);
}

function readIndented(text: string, budget: Budget): JobDocument {
  const document = read(text, budget);
  if (!document.problems.some((problem) => isTabIndentation(text, problem))) return document;
  return readWithoutTabs(text, (spaced) => read(spaced, refill(budget)));
}

function read(text: string, budget: Budget): JobDocument {
  const fast = parseFast(text);
  if (fast !== undefined) return { text, root: fast, problems: [], broken: [] };
  return parseInParts(text, budget) ?? parseWhole(text, refill(budget));
}

function parseWhole(text: string, budget: Budget): JobDocument {
  const { root, problems } = parseComplete(text, 0, text.length, budget);
  return { text, root, problems, broken: problems.length > 0 ? [{ start: 0, end: text.length }] : [] };
}

export function entryOf(node: YamlNode | null | undefined, name: string): MapEntry | undefined {
  const map = resolved(node ?? undefined);
  return map?.kind === 'map' ? map.entries.find((entry) => entry.key.name === name) : undefined;
}

export interface Found {
  readonly node: YamlNode;
  /** The key whose value is the node, if there is one. */
  readonly key?: KeyNode;
}

/**
 * Returns the node at a path, or `undefined` if there is none.
 * @param find finds an entry of a mapping; by default it ignores merged entries
 */
export function findPath(root: YamlNode | null, path: YamlPath, find = entryOf): Found | undefined {
  if (root === null) return undefined;
  let found: Found = { node: root };
  for (const step of path) {
    const node = resolved(found.node);
    if (typeof step === 'string') {
      const entry = find(node, step);
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
  /** Whether the offset is on the key rather than on the value. */
  readonly onKey: boolean;
}

/** Returns the innermost key or value at an offset. */
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
      if (offset >= value.start && offset <= value.end)
        return { step: key.name, found: { node: value, key }, onKey: false };
    }
  } else if (node.kind === 'seq') {
    const index = node.items.findIndex((item) => offset >= item.start && offset <= item.end);
    const item = node.items[index];
    if (item) return { step: index, found: { node: item }, onKey: false };
  }
  return undefined;
}
