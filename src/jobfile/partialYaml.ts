import { l10n } from '../shared/l10n.ts';
import { newBudget, parseComplete } from './completeYaml.ts';
import { parseFast } from './fastYaml.ts';
import type { Problem } from './problem.ts';
import type { TextRange } from './textRange.ts';
import type { KeyNode, MapEntry, YamlNode } from './yamlNode.ts';

export interface PartialResult {
  readonly text: string;
  readonly root: YamlNode;
  readonly problems: readonly Problem[];
  readonly broken: readonly TextRange[];
}

/** Deeper than any job; what lies below is read at once. */
const maxDepth = 12;
/** What starting the complete parser costs, in its tokens. */
const partCost = 300;
/** Anchors and directives reach over parts, and after a marker comes another document. */
const reachesOver = /(?:^|[\s[{,:-])[&*][^\s]|^%|\r(?!\n)|\ufeff/m;
const marker = /^(?:---|\.\.\.)/m;
const documentStart = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*---[ \t]*\r?\n/;

/**
 * Reads a text that is not plain by taking it apart where its indentation says so, until what is not plain stands alone.
 * So an error hides nothing but its own lines, and the slow parser sees no more than those. Undefined where the text
 * cannot be taken apart.
 */
export function parseInParts(text: string): PartialResult | undefined {
  if (reachesOver.test(text)) return undefined;
  const from = documentStart.exec(text)?.[0].length ?? 0;
  if (marker.test(text.slice(from))) return undefined;
  const reader = new PartReader(text);
  const lines = reader.lines(from, text.length);
  const first = lines[0];
  if (first?.indent !== 0 || /[[{]/.test(text[first.start] ?? '')) return undefined;
  const root = reader.block(lines, text.length);
  return root && { text, root, problems: reader.problems, broken: reader.broken };
}

/** A line that is neither blank nor a comment. */
interface Line {
  /** Of its first character. */
  readonly start: number;
  readonly lineStart: number;
  readonly end: number;
  readonly indent: number;
  readonly isDash: boolean;
}

const keyAlone = /^(?:[A-Za-z_][\w.-]*|"[^"\\\n]*"|'[^'\n]*') *:[ \t]*(?:#[^\n]*)?$/;
const keyStart = /^(?:[A-Za-z0-9_/][^\n:#]*|"[^"\n]*"|'[^'\n]*') *:(?:\s|$)/;
const words = /^[A-Za-z_][\w .-]*$/;

class PartReader {
  readonly problems: Problem[] = [];
  readonly broken: TextRange[] = [];
  readonly #text: string;
  readonly #budget = newBudget();

  constructor(text: string) {
    this.#text = text;
  }

  lines(from: number, to: number): Line[] {
    const text = this.#text;
    const lines: Line[] = [];
    for (let lineStart = from; lineStart < to; ) {
      let lineEnd = text.indexOf('\n', lineStart);
      if (lineEnd < 0 || lineEnd > to) lineEnd = to;
      let start = lineStart;
      while (start < lineEnd && text[start] === ' ') start++;
      const end = text[lineEnd - 1] === '\r' && lineEnd - 1 > start ? lineEnd - 1 : lineEnd;
      const first = text[start] ?? '';
      if (start < end && first !== '#' && first !== '\r') {
        const isDash = first === '-' && (start + 1 === end || text[start + 1] === ' ');
        lines.push({ start, lineStart, end, indent: start - lineStart, isDash });
      }
      lineStart = lineEnd + 1;
    }
    return lines;
  }

  /** A mapping or list whose parts start at the first line's indentation. Undefined where the lines are not one. */
  block(lines: readonly Line[], to: number, depth = 0): YamlNode | undefined {
    const first = lines[0];
    if (!first || depth > maxDepth) return undefined;
    const starts: number[] = [];
    for (const [index, line] of lines.entries()) {
      if (line.indent < first.indent || (first.isDash && line.indent === first.indent && !line.isDash)) return undefined;
      // A list may stand in its key's own column.
      if (line.indent === first.indent && line.isDash === first.isDash) starts.push(index);
    }
    return first.isDash ? this.#list(lines, starts, to) : this.#map(lines, starts, to, depth);
  }

  #map(lines: readonly Line[], starts: readonly number[], to: number, depth: number): YamlNode | undefined {
    const entries: MapEntry[] = [];
    for (const [order, index] of starts.entries()) {
      if (this.#budget.cost < 0) return undefined;
      const next = starts[order + 1] ?? lines.length;
      const entry = this.#entry(lines.slice(index, next), lines[next]?.lineStart ?? to, depth);
      if (entry === undefined) return undefined;
      entries.push(...entry);
    }
    const start = lines[0]?.start ?? 0;
    return { kind: 'map', start: entries[0]?.key.start ?? start, end: entries[entries.length - 1]?.value.end ?? start, flow: false, entries };
  }

  #entry(lines: readonly Line[], to: number, depth: number): readonly MapEntry[] | undefined {
    const head = lines[0];
    if (!head) return undefined;
    const fast = parseFast(this.#text, head.lineStart, to);
    if (fast?.kind === 'map' && !fast.flow) return fast.entries;
    const headText = this.#text.slice(head.start, head.end);
    if (lines.length > 1 && keyAlone.test(headText)) {
      const key = this.#key(head);
      const known = this.problems.length;
      const value = key && this.#isMappingOrList(lines.slice(1)) ? this.block(lines.slice(1), to, depth + 1) : undefined;
      if (key && value) return [{ key, value }];
      // The whole entry is read again, and what it holds is reported then.
      this.problems.length = known;
      this.broken.length = known;
    }
    if (lines.length === 1 && words.test(headText.trimEnd())) {
      this.#report({ start: head.lineStart, end: to }, { code: 'syntax', message: l10n.t('A key must be followed by a colon. Add ": " and a value.'), start: head.start, end: head.start + headText.trimEnd().length, severity: 'error' });
      return [];
    }
    if (!keyStart.test(headText)) return undefined;
    const node = this.#complete(head.lineStart, to);
    return node?.kind === 'map' && !node.flow ? node.entries : this.#isBroken(head.lineStart) ? [] : undefined;
  }

  /** Lines without a key may be one text over several lines. */
  #isMappingOrList(lines: readonly Line[]): boolean {
    const indent = lines[0]?.indent;
    return lines.some((line) => line.indent === indent && (line.isDash || keyStart.test(this.#text.slice(line.start, line.end))));
  }

  /** The key of a line that holds nothing else. */
  #key(line: Line): KeyNode | undefined {
    const node = parseFast(this.#text, line.lineStart, line.end);
    return node?.kind === 'map' && !node.flow ? node.entries[0]?.key : undefined;
  }

  #list(lines: readonly Line[], starts: readonly number[], to: number): YamlNode | undefined {
    const items: YamlNode[] = [];
    for (const [order, index] of starts.entries()) {
      if (this.#budget.cost < 0) return undefined;
      const from = lines[index]?.lineStart ?? 0;
      const end = lines[starts[order + 1] ?? lines.length]?.lineStart ?? to;
      const node = parseFast(this.#text, from, end) ?? this.#complete(from, end);
      if (node?.kind === 'seq' && !node.flow) items.push(...node.items);
      else if (!this.#isBroken(from)) return undefined;
    }
    const start = lines[0]?.start ?? 0;
    return { kind: 'seq', start, end: items[items.length - 1]?.end ?? start + 1, flow: false, items };
  }

  #complete(from: number, to: number): YamlNode | null {
    this.#budget.cost -= partCost;
    const { root, problems } = parseComplete(this.#text, from, to, this.#budget);
    for (const problem of problems) this.#report({ start: from, end: to }, problem);
    return root;
  }

  #report(range: TextRange, problem: Problem): void {
    this.problems.push(problem);
    this.broken.push(range);
  }

  #isBroken(start: number): boolean {
    return this.broken[this.broken.length - 1]?.start === start;
  }
}
