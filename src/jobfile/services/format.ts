import { parseDocument, type JobDocument } from '../yaml/document.ts';
import type { YamlNode } from '../yaml/jobDocument.ts';
import { Layout } from '../yaml/layout.ts';
import { changed, type TextChange } from '../yaml/textRange.ts';

export interface FormatOptions {
  /** Spaces for one level; 2 by default. */
  readonly indent?: number;
}

const maxIndent = 8;
/** Far more lines than any job has, and still formatted without a noticeable wait. */
const maxLines = 20_000;

/**
 * Returns the changes that format a file. Comments, anchors, quotes and the order of keys stay unchanged: only white space is touched.
 * Returns no changes if the file cannot be parsed, or if the result would parse to a different file.
 */
export function format(document: JobDocument, { indent = 2 }: FormatOptions = {}): readonly TextChange[] {
  const { root, problems, text } = document;
  if (root === null || problems.length > 0 || hasMoreLines(text, maxLines)) return [];
  const changes = new Layout(text, Math.min(maxIndent, Math.max(1, indent))).changes(root) ?? [];
  if (changes.length === 0) return [];
  const after = changed(text, changes);
  const again = parseDocument(after);
  const isSame = again.problems.length === 0 && again.root !== null && sameNodes(root, again.root);
  return isSame && differsInSpaceOnly(text, after) ? changes : [];
}

function hasMoreLines(text: string, max: number): boolean {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0 && count <= max; at = text.indexOf('\n', at + 1)) count++;
  return count > max;
}

function differsInSpaceOnly(one: string, other: string): boolean {
  let [at, otherAt] = [0, 0];
  for (;;) {
    while (isSpace(one.charCodeAt(at))) at++;
    while (isSpace(other.charCodeAt(otherAt))) otherAt++;
    if (at >= one.length || otherAt >= other.length) return at >= one.length && otherAt >= other.length;
    if (one.charCodeAt(at++) !== other.charCodeAt(otherAt++)) return false;
  }
}

/** Returns whether a layout may change the character: blanks, tabs and line ends. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Returns whether two nodes are written alike, regardless of their positions. The targets of aliases are compared at their anchors. */
function sameNodes(one: YamlNode, other: YamlNode): boolean {
  if (one.kind === 'scalar')
    return other.kind === 'scalar' && Object.is(one.value, other.value) && one.style === other.style;
  if (one.kind === 'alias') return other.kind === 'alias' && one.name === other.name;
  if (one.kind === 'seq') {
    return (
      other.kind === 'seq' &&
      one.flow === other.flow &&
      one.items.length === other.items.length &&
      one.items.every((item, index) => sameAt(item, other.items[index]))
    );
  }
  return (
    other.kind === 'map' &&
    one.flow === other.flow &&
    one.entries.length === other.entries.length &&
    one.entries.every(
      ({ key, value }, index) =>
        key.name === other.entries[index]?.key.name && sameAt(value, other.entries[index]?.value),
    )
  );
}

function sameAt(one: YamlNode, other: YamlNode | undefined): boolean {
  return other !== undefined && sameNodes(one, other);
}
