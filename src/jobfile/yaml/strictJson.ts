import { l10n } from '../../shared/l10n.ts';
import type { JobDocument, Problem, YamlNode } from './jobDocument.ts';
import type { TextRange } from './textRange.ts';

/** Numbers and the other words of JSON. */
const plainJson = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)$/;

/**
 * Returns the problem of a file that is YAML but not JSON, at the first such place. Comments and trailing commas are allowed, as in the
 * editor's own JSON files.
 */
export function jsonProblem({ root, text }: JobDocument): Problem | undefined {
  const place = root === null ? undefined : firstYaml(root, text);
  if (!place) return undefined;
  const message = l10n.t(
    'This is YAML, but the file is named as JSON, which has names and texts in double quotes, each on one line. Correct it, or name the file .job.yml.',
  );
  return { code: 'notJson', message, start: place.start, end: Math.max(place.end, place.start + 1), severity: 'error' };
}

function firstYaml(node: YamlNode, text: string): TextRange | undefined {
  const isQuoted = (range: TextRange): boolean => /^"[^\n]*"$/.test(text.slice(range.start, range.end));
  switch (node.kind) {
    case 'alias':
      return node;
    case 'scalar':
      return isQuoted(node) || plainJson.test(text.slice(node.start, node.end)) ? undefined : node;
    case 'seq':
      return node.flow ? firstOf(node.items, (item) => firstYaml(item, text)) : node.items[0];
    case 'map':
      if (!node.flow) return node.entries[0]?.key;
      return firstOf(node.entries, ({ key, value }) => (isQuoted(key) ? firstYaml(value, text) : key));
  }
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
