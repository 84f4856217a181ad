import { applyDiff, readDiff } from './applyDiff.ts';

export interface Merged {
  readonly text: string;
  /** Nothing of the file says where the code belongs, so that it takes the place of all of it. */
  readonly isWhole: boolean;
}

/**
 * A file's text as the code of an answer would have it: the code may be a diff, a part of the file that says where it belongs by its
 * functions, classes or settings or by its first and last line, or else the whole file. What becomes of it is shown before it is done.
 * @returns undefined if the code is a diff of other lines
 */
export function mergeCode(name: string, before: string, code: string): Merged | undefined {
  // A line of dashes alone may be a comment of SQL, or the head of a YAML document.
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
  /** Behind its last line that is not blank. */
  readonly end: number;
}

/** What begins a part of Python or YAML at the margin; its name. */
const heads = { python: /^(?:async def|def|class) +(\w+)/, yaml: /^([\w-]+):(?:\s|$)/ };

/**
 * Python's functions and classes at the margin with their decorators, or YAML's settings.
 * @returns undefined if there is anything else that is not to be passed over
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

/** The file with its parts of the same names replaced; undefined if the code is not made of these alone. */
function withDefinitions(before: string, code: string, isYaml: boolean): string | undefined {
  const head = isYaml ? heads.yaml : heads.python;
  const [lines, own] = [before.split('\n'), code.split('\n')];
  const parts = definitionsOf(own, head, false);
  if (!parts || parts.length === 0) return undefined;
  const there = definitionsOf(lines, head, true) ?? [];
  const pairs = parts.map((part) => ({ part, old: there.filter(({ name }) => name === part.name) }));
  if (pairs.some(({ old }) => old.length > 1 || (old.length === 0 && !isYaml))) return undefined;
  // Settings that are new go to the end; a file of which nothing is named is another file.
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

/** The file with what is between the code's first and last line replaced; undefined if the two are not once in it, in this order. */
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
