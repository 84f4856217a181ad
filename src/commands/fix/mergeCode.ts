import { applyDiff, readDiff } from './applyDiff.ts';

export interface Merged {
  readonly text: string;
  /** Whether the code replaces the whole file, because nothing shows where it belongs. */
  readonly isWhole: boolean;
}

/**
 * Merges the code of an answer into a file's text. The code may be a diff; a part of the file, located by its functions, classes or
 * settings or by its first and last lines; or otherwise the whole file. The result is shown before it is applied.
 * @returns `undefined` if the code is a diff of other lines
 */
export function mergeCode(name: string, before: string, code: string): Merged | undefined {
  // A line of dashes alone may be an SQL comment or the start of a YAML document.
  if (/^(?:@@ |--- .*\n\+\+\+ )/m.test(code)) {
    const [first] = readDiff(code);
    const text = first && applyDiff(before, first);
    return text === undefined ? undefined : { text, isWhole: false };
  }
  const ending = before.includes('\r\n') ? '\r\n' : '\n';
  const part = code.replaceAll('\r\n', '\n').trimEnd();
  const text = before.replaceAll('\r\n', '\n');
  const merged = withDefinitions(text, part, /\.ya?ml$/.test(name)) ?? betweenItsEnds(text, part);
  return { text: (merged ?? `${part}\n`).replaceAll('\n', ending), isWhole: merged === undefined };
}

interface Definition {
  readonly name: string;
  readonly start: number;
  /** Index after its last line that is not blank. */
  readonly end: number;
}

/** The start of a top-level part of Python or YAML; captures its name. */
const heads = { python: /^(?:async def|def|class) +(\w+)/, yaml: /^([\w-]+):(?:\s|$)/ };

/**
 * Returns Python's top-level functions and classes with their decorators, or YAML's settings.
 * @returns `undefined` if there is other code that must not be skipped
 */
function definitionsOf(lines: readonly string[], head: RegExp, isElsePassed: boolean): Definition[] | undefined {
  const found: Definition[] = [];
  let start: number | undefined;
  let name: string | undefined;
  const close = (behind: number): void => {
    let end = behind;
    while (end > 0 && (lines[end - 1] ?? '').trim() === '') end -= 1;
    if (start !== undefined && name !== undefined) found.push({ name, start, end });
    start = undefined;
    name = undefined;
  };
  for (const [index, line] of lines.entries()) {
    if (line === '' || /^[\s)\]}]/.test(line) || (head === heads.yaml && /^-(?: |$)/.test(line))) continue;
    const defined = head.exec(line)?.[1];
    const isDecorator = line.startsWith('@');
    if (name !== undefined || (defined === undefined && !isDecorator)) close(index);
    if (defined !== undefined || isDecorator) {
      start ??= index;
      name = defined;
    } else if (!isElsePassed) return undefined;
  }
  close(lines.length);
  return found;
}

/** Replaces the file's parts that have the same names, or returns `undefined` if the code has other parts too. */
function withDefinitions(before: string, code: string, isYaml: boolean): string | undefined {
  const head = isYaml ? heads.yaml : heads.python;
  const [lines, own] = [before.split('\n'), code.split('\n')];
  const parts = definitionsOf(own, head, false);
  if (!parts || parts.length === 0) return undefined;
  const there = definitionsOf(lines, head, true) ?? [];
  const pairs = parts.map((part) => ({ part, old: there.filter(({ name }) => name === part.name) }));
  if (pairs.some(({ old }) => old.length > 1 || (old.length === 0 && !isYaml))) return undefined;
  // New settings go to the end; if no name occurs in the file, the code is another file.
  if (pairs.every(({ old }) => old.length === 0)) return undefined;
  const added = pairs.filter(({ old }) => old.length === 0).flatMap(({ part }) => own.slice(part.start, part.end));
  if (added.length > 0) lines.splice(there.at(-1)?.end ?? lines.length, 0, ...added);
  const replaced = pairs
    .flatMap(({ part, old }) => old.map((each) => ({ part, old: each })))
    .sort((left, right) => right.old.start - left.old.start);
  for (const { part, old } of replaced)
    lines.splice(old.start, old.end - old.start, ...own.slice(part.start, part.end));
  return lines.join('\n');
}

/**
 * Replaces the part between the code's first and last lines, or returns `undefined` unless each occurs exactly once in the file, in this
 * order.
 */
function betweenItsEnds(before: string, code: string): string | undefined {
  const [lines, own] = [before.split('\n'), code.split('\n')];
  const [first, last] = [own[0]?.trimEnd() ?? '', own.at(-1)?.trimEnd() ?? ''];
  const placesOf = (wanted: string): number[] =>
    lines.flatMap((line, index) => (line.trimEnd() === wanted ? [index] : []));
  const [starts, ends] = [placesOf(first), placesOf(last)];
  const [start, end] = [starts[0], ends[0]];
  if (first === '' || last === '' || start === undefined || end === undefined || own.length < 2) return undefined;
  if (starts.length > 1 || ends.length > 1 || end <= start) return undefined;
  return [...lines.slice(0, start), ...own, ...lines.slice(end + 1)].join('\n');
}
