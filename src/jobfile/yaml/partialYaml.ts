import { l10n } from '../../shared/l10n.ts';
import { Anchors } from './anchors.ts';
import { parseComplete, type Budget } from './completeYaml.ts';
import { parseFast } from './fastYaml.ts';
import type { Problem, KeyNode, MapEntry, YamlNode } from './jobDocument.ts';
import { syntaxMessage } from './syntaxErrors.ts';
import type { TextRange } from './textRange.ts';

export interface PartialResult {
  readonly text: string;
  readonly root: YamlNode;
  readonly problems: readonly Problem[];
  readonly broken: readonly TextRange[];
}

/** Deeper than any job; anything below is parsed as one part. */
const maxDepth = 12;
/** Maximum number of mistakes; the text after them is not checked. */
const maxReported = 200;
/** So few parts are read one by one: with halving, the content of each would be read again for each half. */
const fewParts = 16;
/** Cost of starting the full parser, in its tokens. */
const partCost = 40;
/** Directives affect more than one part, and other line ends are not recognized here. */
const reachesOver = /^%|\r(?!\n)|\ufeff/m;
const documentStart = /^---[ \t]*\r?\n/m;
const anyText = /^[ \t]*[^\s#]/m;

/**
 * Parses a text that is not plain by splitting it along its indentation until each part that is not plain stands alone. So an error hides
 * only its own lines, and only those go to the slow parser. Returns `undefined` if the text cannot be split.
 */
export function parseInParts(text: string, budget: Budget): PartialResult | undefined {
  if (reachesOver.test(text)) return undefined;
  const from = settingsStart(text);
  const reader = new PartReader(text, budget);
  const lines = reader.lines(from);
  const first = lines[0];
  if (!first || /[[{]/.test(text[first.start] ?? '')) return undefined;
  const root = reader.root(lines, text.length);
  // Parts left out for their cost would look like mistakes; parsing the whole may cost less.
  return root && budget.cost >= 0 ? { text, root, problems: reader.problems, broken: reader.broken } : undefined;
}

/** Some entries or items of a block, with their nodes if they are plain. */
interface Part {
  readonly lines: readonly Line[];
  readonly to: number;
  readonly fast: YamlNode | null | undefined;
}

/** Returns the offset after a `---` that only comments precede. */
function settingsStart(text: string): number {
  const start = documentStart.exec(text);
  return start?.index === anyText.exec(text)?.index && start ? start.index + start[0].length : 0;
}

/** A line that is neither blank nor a comment. */
interface Line {
  /** Offset of its first character. */
  readonly start: number;
  readonly lineStart: number;
  readonly end: number;
  readonly indent: number;
  readonly isDash: boolean;
}

/** A key whose value is on the lines below, with the name of its anchor, if any. */
const keyAlone = /^(?:[A-Za-z_][\w.-]*|"[^"\\\n]*"|'[^'\n]*') *:(?:[ \t]+&([^\s,[\]{}]+))?(?:[ \t]+(?:#[^\n]*)?)?$/;
const keyStart = /^(?:&[^\s,[\]{}]+ +)?(?:<< *|[A-Za-z0-9_/][^\n:#]*|"[^"\n]*" *|'[^'\n]*' *):(?:\s|$)/;
const words = /^[A-Za-z_][\w .-]*$/;
/** A colon of another alphabet, or a colon with a space that YAML does not recognize. */
const oddColon = /^[A-Za-z_][\w.-]*(?::[^\S \t\r\n]|：)/;
/** A key without the space after its colon, on a line without another key. */
const closeColon = /^[A-Za-z_][\w.-]*:(?!.*:(?:\s|$))(?=[^\s:])/;

class PartReader {
  readonly problems: Problem[] = [];
  readonly broken: TextRange[] = [];
  readonly #text: string;
  readonly #budget: Budget;
  readonly #anchors = new Anchors();

  constructor(text: string, budget: Budget) {
    this.#text = text;
    this.#budget = budget;
  }

  lines(from: number): Line[] {
    const text = this.#text;
    const lines: Line[] = [];
    for (let lineStart = from; lineStart < text.length;) {
      let lineEnd = text.indexOf('\n', lineStart);
      if (lineEnd < 0) lineEnd = text.length;
      let start = lineStart;
      while (text[start] === ' ') start++;
      // A tab does not indent: the line belongs to the one above, whatever that is.
      const indent = text[start] === '\t' ? Infinity : start - lineStart;
      while (text[start] === ' ' || text[start] === '\t') start++;
      const end = text[lineEnd - 1] === '\r' && lineEnd - 1 > start ? lineEnd - 1 : lineEnd;
      const first = text[start] ?? '';
      if (start < end && first !== '#' && first !== '\r') {
        const isDash = first === '-' && (start + 1 === end || text[start + 1] === ' ');
        lines.push({ start, lineStart, end, indent, isDash });
      }
      lineStart = lineEnd + 1;
    }
    return lines;
  }

  /** Reads the whole text: lines before the first line of the leftmost column are indented too far. */
  root(lines: readonly Line[], to: number): YamlNode | undefined {
    const left = lines.reduce((min, { indent }) => Math.min(min, indent), Infinity);
    const [first] = lines;
    if (first?.indent === left) return this.#isMappingOrList(lines) ? this.block(lines, to) : undefined;
    const index = lines.findIndex(({ indent }) => indent === left);
    const next = lines[index];
    if (!first || !next || !keyStart.test(this.#textOf(first)) || !keyStart.test(this.#textOf(next))) return undefined;
    this.#report({ start: first.lineStart, end: next.lineStart }, this.#misplaced(first));
    return this.block(lines.slice(index), to);
  }

  #textOf(line: Line): string {
    return this.#text.slice(line.start, line.end);
  }

  #misplaced(line: Line): Problem {
    const key = /^[^\s:]+/.exec(this.#textOf(line))?.[0].length ?? 1;
    return {
      code: 'syntax',
      message: syntaxMessage({ code: 'BAD_INDENT', message: 'same column' }),
      start: line.start,
      end: line.start + key,
      severity: 'error',
    };
  }

  /** Reads a mapping or list whose parts start at the first line's indentation. Returns `undefined` if the lines form neither. */
  block(lines: readonly Line[], to: number, depth = 0): YamlNode | undefined {
    const first = lines[0];
    if (!first || depth > maxDepth) return undefined;
    const starts: number[] = [];
    for (const [index, line] of lines.entries()) {
      if (line.indent < first.indent || (first.isDash && line.indent === first.indent && !line.isDash))
        return undefined;
      // A list may stand in its key's own column.
      if (line.indent === first.indent && line.isDash === first.isDash) starts.push(index);
    }
    return first.isDash ? this.#list(lines, starts, to) : this.#map(lines, starts, to, depth);
  }

  #map(lines: readonly Line[], starts: readonly number[], to: number, depth: number): YamlNode | undefined {
    const entries: MapEntry[] = [];
    for (const part of this.#parts(lines, starts, to)) {
      if (this.#budget.cost < 0) return undefined;
      if (this.problems.length >= maxReported) {
        this.broken.push({ start: part.lines[0]?.lineStart ?? to, end: to });
        break;
      }
      const entry =
        part.fast?.kind === 'map' && !part.fast.flow ? part.fast.entries : this.#entry(part.lines, part.to, depth);
      if (entry === undefined) return undefined;
      for (const one of entry) entries.push(one);
    }
    const start = lines[0]?.start ?? 0;
    return {
      kind: 'map',
      start: entries[0]?.key.start ?? start,
      end: entries[entries.length - 1]?.value.end ?? start,
      flow: false,
      entries,
    };
  }

  /**
   * Yields the entries or items that start at these lines: plain ones in groups as large as possible, the others one by one.
   * @param isHalf whether these are half of a group already tried; a whole block is only split because it is not plain
   */
  *#parts(lines: readonly Line[], starts: readonly number[], to: number, isHalf = false): Iterable<Part> {
    const [first = 0] = starts;
    const isTried = starts.length < 2 || (isHalf && starts.length > fewParts);
    const fast = isTried ? parseFast(this.#text, lines[first]?.lineStart ?? to, to) : undefined;
    if (starts.length < 2 || fast) {
      yield { lines: lines.slice(first), to, fast };
      return;
    }
    const middle = starts.length >> 1;
    const half = starts[middle] ?? lines.length;
    yield* this.#parts(lines.slice(0, half), starts.slice(0, middle), lines[half]?.lineStart ?? to, true);
    yield* this.#parts(
      lines.slice(half),
      starts.slice(middle).map((start) => start - half),
      to,
      true,
    );
  }

  #entry(lines: readonly Line[], to: number, depth: number): readonly MapEntry[] | undefined {
    const head = lines[0];
    if (!head) return undefined;
    const headText = this.#textOf(head);
    const alone = lines.length > 1 ? keyAlone.exec(headText) : null;
    const key = alone ? this.#key(head) : undefined;
    const value = key && this.#valueBelow(lines, to, depth);
    if (key && value) {
      if (alone?.[1] !== undefined) this.#anchors.set(alone[1], value);
      return [{ key, value }];
    }
    const unfinished = this.#withoutColon(lines, to, depth);
    if (unfinished) return unfinished;
    if (!keyStart.test(headText)) return undefined;
    const node = this.#complete(head.lineStart, to);
    return node?.kind === 'map' && !node.flow ? node.entries : this.#isBroken(head.lineStart) ? [] : undefined;
  }

  /** Returns the entries of a line without the colon of its key or the space after it. Such a line hides only itself. */
  #withoutColon(lines: readonly Line[], to: number, depth: number): readonly MapEntry[] | undefined {
    const [head, next] = lines;
    if (!head) return undefined;
    const text = this.#textOf(head).trimEnd();
    const line = { start: head.lineStart, end: next?.lineStart ?? to };
    const colon = !next && closeColon.test(text) ? head.start + text.indexOf(':') : undefined;
    if (colon !== undefined) {
      this.#report(line, {
        code: 'syntax',
        message: l10n.t('A colon must be followed by a space. Add one.'),
        start: colon,
        end: colon + 1,
        severity: 'error',
      });
      return [];
    }
    const odd = next ? undefined : oddColon.exec(text)?.[0].length;
    if (odd !== undefined) {
      this.#report(line, {
        code: 'syntax',
        message: l10n.t('These characters only look like a colon and a space. Replace them with ": ".'),
        start: head.start + odd - 1,
        end: head.start + odd,
        severity: 'error',
        data: { replacements: [text[odd - 1] !== '：' ? ' ' : text[odd] === ' ' ? ':' : ': '] },
      });
      return [];
    }
    if (!words.test(text)) return undefined;
    const key: KeyNode = { start: head.start, end: head.start + text.length, name: text };
    const value = next && this.#valueBelow(lines, to, depth);
    if (next && !value) return undefined;
    this.#report(line, {
      code: 'syntax',
      message: l10n.t('A key must be followed by a colon. Add ": " and a value.'),
      start: key.start,
      end: key.end,
      severity: 'error',
    });
    return value ? [{ key, value }] : [];
  }

  /** Returns the mapping or list below the first line, which holds only a key. */
  #valueBelow(lines: readonly Line[], to: number, depth: number): YamlNode | undefined {
    const below = lines.slice(1);
    if (!this.#isMappingOrList(below)) return undefined;
    const known = this.problems.length;
    const mark = this.#anchors.mark;
    const value = this.block(below, to, depth + 1);
    if (value) return value;
    // The whole entry is read again and reports its problems then.
    this.problems.length = known;
    this.broken.length = known;
    this.#anchors.backTo(mark);
    return undefined;
  }

  /** Returns whether lines are a mapping or list. Lines without a key may be one multi-line text, even if some start with a dash. */
  #isMappingOrList(lines: readonly Line[]): boolean {
    const [first] = lines;
    return (
      first?.isDash === true ||
      lines.some((line) => line.indent === first?.indent && !line.isDash && keyStart.test(this.#textOf(line)))
    );
  }

  /** Returns the key of a line that holds nothing else. */
  #key(line: Line): KeyNode | undefined {
    const anchor = this.#textOf(line).search(/[ \t]&/);
    const node = parseFast(this.#text, line.lineStart, anchor < 0 ? line.end : line.start + anchor);
    return node?.kind === 'map' && !node.flow ? node.entries[0]?.key : undefined;
  }

  #list(lines: readonly Line[], starts: readonly number[], to: number): YamlNode | undefined {
    const items: YamlNode[] = [];
    for (const part of this.#parts(lines, starts, to)) {
      if (this.#budget.cost < 0) return undefined;
      const from = part.lines[0]?.lineStart ?? to;
      const node = part.fast ?? this.#complete(from, part.to);
      if (node?.kind === 'seq' && !node.flow) for (const item of node.items) items.push(item);
      else if (!this.#isBroken(from)) return undefined;
    }
    const start = lines[0]?.start ?? 0;
    return { kind: 'seq', start, end: items[items.length - 1]?.end ?? start + 1, flow: false, items };
  }

  #complete(from: number, to: number): YamlNode | null {
    this.#budget.cost -= partCost;
    const { root, problems } = parseComplete(this.#text, from, to, this.#budget, this.#anchors);
    for (const problem of problems) this.#report({ start: from, end: to }, problem);
    return root;
  }

  #report(range: TextRange, problem: Problem): void {
    this.problems.push(problem);
    this.broken.push(range);
    this.#anchors.lose(this.#text.slice(range.start, range.end));
  }

  #isBroken(start: number): boolean {
    return this.broken[this.broken.length - 1]?.start === start;
  }
}
