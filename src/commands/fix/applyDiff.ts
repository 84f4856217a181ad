/** A change at one place: the existing lines and their replacement. */
interface Hunk {
  /** The line at which the diff places it, counted from 0, or `undefined` if the diff does not say. */
  readonly hint: number | undefined;
  readonly old: readonly string[];
  readonly now: readonly string[];
}

/** The changes of a unified diff to one file. */
export interface FileDiff {
  /** The path without git's `a/` and `b/`, or `undefined` if the diff names none. */
  readonly path: string | undefined;
  readonly hunks: readonly Hunk[];
}

/**
 * Parses a unified diff as written by git and by models: line counts are ignored, headers may be missing. Returns an empty list if the text
 * is not a diff.
 */
export function readDiff(text: string): FileDiff[] {
  const files: { path: string | undefined; hunks: { hint: number | undefined; old: string[]; now: string[] }[] }[] = [];
  const lines = text.replaceAll('\r\n', '\n').trimEnd().split('\n');
  let hunk: { hint: number | undefined; old: string[]; now: string[] } | undefined;
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1] ?? '';
    if (line.startsWith('--- ') && next.startsWith('+++ ')) {
      files.push({ path: pathOf(next.slice(4)) ?? pathOf(line.slice(4)), hunks: [] });
      hunk = undefined;
    } else if (line.startsWith('@@') || (!hunk && files.length === 0 && /^[+-](?![+-]{2} )/.test(line))) {
      if (files.length === 0) files.push({ path: undefined, hunks: [] });
      const start = /^@@ -(\d{1,9})/.exec(line)?.[1];
      hunk = { hint: start === undefined ? undefined : Math.max(0, Number(start) - 1), old: [], now: [] };
      files.at(-1)?.hunks.push(hunk);
      if (!line.startsWith('@@')) addLine(hunk, line);
    } else if (hunk) {
      if (/^(?:diff |index |new file |deleted file )/.test(line)) hunk = undefined;
      else if (!line.startsWith('+++ ') || !lines[index - 1]?.startsWith('--- ')) addLine(hunk, line);
    }
  }
  return files.filter(({ hunks }) => hunks.some(({ old, now }) => old.join('\n') !== now.join('\n')));
}

function addLine(hunk: { old: string[]; now: string[] }, line: string): void {
  if (line.startsWith('\\')) return;
  const [mark, rest] = [line.charAt(0), line.slice(1)];
  // A model often omits the space of an empty line.
  const isContext = mark === ' ' || mark === '';
  if (mark === '-' || isContext) hunk.old.push(rest);
  if (mark === '+' || isContext) hunk.now.push(rest);
}

function pathOf(name: string): string | undefined {
  const path =
    name
      .split('\t')[0]
      ?.trim()
      .replace(/^[ab]\//, '') ?? '';
  return path === '' || path === '/dev/null' ? undefined : path;
}

/**
 * Applies a diff to a text. Trailing spaces are ignored, and each place is searched for near the line that the diff names.
 * @returns `undefined` if the lines of a change are missing, or occur several times and the diff does not say which is meant
 */
export function applyDiff(before: string, { hunks }: FileDiff): string | undefined {
  const ending = before.includes('\r\n') ? '\r' : '';
  const lines = before.split('\n');
  let from = 0;
  let shift = 0;
  for (const { hint, old, now } of hunks) {
    const at = placeOf(lines, old, from, hint === undefined ? undefined : hint + shift);
    if (at === undefined) return undefined;
    // Unchanged lines keep their own spaces and line ends.
    const kept = new Map(old.map((line, index) => [line, lines[at + index]]));
    lines.splice(at, old.length, ...now.map((line) => kept.get(line) ?? line + ending));
    from = at + now.length;
    shift += now.length - old.length;
  }
  return lines.join('\n');
}

/** Returns whether a text has the new lines of a diff already, at the very place that the diff names. */
export function isApplied(text: string, { hunks }: FileDiff): boolean {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  return hunks.every(({ hint, old, now }) => {
    const isThere = (part: readonly string[]): boolean =>
      hint !== undefined && part.every((line, index) => line === lines[hint + index]);
    // Lines that are only removed at the end leave a beginning that is also there before.
    return isThere(now) && (now.length >= old.length || !isThere(old));
  });
}

function placeOf(
  lines: readonly string[],
  old: readonly string[],
  from: number,
  hint: number | undefined,
): number | undefined {
  if (old.length === 0) return hint === undefined || hint > lines.length ? undefined : Math.max(from, hint);
  const found: number[] = [];
  for (let at = from; at + old.length <= lines.length; at += 1)
    if (old.every((line, index) => line.trimEnd() === lines[at + index]?.trimEnd())) found.push(at);
  if (hint === undefined) return found.length === 1 ? found[0] : undefined;
  return found.toSorted((left, right) => Math.abs(left - hint) - Math.abs(right - hint))[0];
}

/** Unchanged lines shown before and after a change. */
const shownAround = 2;

/**
 * Returns the change of a file as a unified diff with one hunk.
 * @returns `undefined` if applying the diff would not give exactly this text
 */
export function diffOf(path: string, before: string, after: string): string | undefined {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const isSame = (line: number): boolean => old[line] === now[line];
  let start = 0;
  while (start < Math.min(old.length, now.length) && isSame(start)) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const from = Math.max(0, start - shownAround);
  const tail = old.slice(old.length - end, old.length - end + shownAround);
  const hunk = [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
    ...tail.map((line) => ` ${line}`),
  ].map((line) => line.replace(/\r$/, ''));
  if (hunk.at(-1) === ' ') hunk.pop();
  const count = (mark: string): number => hunk.filter((line) => !line.startsWith(mark)).length;
  const head = `@@ -${from + 1},${count('+')} +${from + 1},${count('-')} @@`;
  const diff = [`--- a/${path}`, `+++ b/${path}`, head, ...hunk].join('\n');
  const [read] = readDiff(diff);
  return read && applyDiff(before, read) === after ? diff : undefined;
}
