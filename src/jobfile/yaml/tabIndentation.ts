import { l10n } from '../../shared/l10n.ts';
import type { JobDocument, Problem } from './jobDocument.ts';
import { lineStart, type TextRange } from './textRange.ts';

/** For longer texts, only the parser's first mistake is reported. */
const maxLength = 200_000;
const maxReported = 100;

/** The white space before the first character of a line, if it contains a tab and is followed by text. */
const indentation = /^ *\t[ \t]*(?=[^\s#])/gm;

/** Returns whether a mistake is a tab in the indentation of its line, or the text after it. */
export function isTabIndentation(text: string, { start }: Problem): boolean {
  if (text.length > maxLength) return false;
  const before = text.slice(lineStart(text, start), start + 1);
  return before.includes('\t') && before.slice(0, -1).trim() === '';
}

/**
 * Reads a text that is indented with tabs, which YAML does not allow, as if they were spaces, so that other problems are still found. Lines
 * that still fit nowhere are left out.
 * @param read reads a text without tabs
 */
export function readWithoutTabs(text: string, read: (text: string) => JobDocument): JobDocument {
  const lines = linesOf(text);
  const spaced = read(
    replaced(
      text,
      lines.map(({ start, indentEnd }) => ({ start, end: indentEnd })),
    ),
  );
  const without = spaced.problems.length === 0 ? spaced : read(replaced(text, lines));
  const fits =
    without.problems.length >= spaced.problems.length &&
    !spaced.problems.some((problem) => lines.some((line) => problem.start >= line.start && problem.start <= line.end));
  const document = fits ? spaced : without;
  const broken = fits ? document.broken : [...document.broken, ...lines];
  // Without its line, the lines meant to be below it fit nowhere.
  const others = document.problems.filter(
    ({ start }) => fits || !lines.some(({ end }) => isNextLine(text, end, start)),
  );
  return { text, root: document.root, problems: [...tabProblems(text, lines), ...others], broken };
}

function isNextLine(text: string, end: number, start: number): boolean {
  return start > end && text.slice(end, start).trim() === '';
}

interface TabLine extends TextRange {
  readonly indentEnd: number;
}

function linesOf(text: string): readonly TabLine[] {
  return Array.from(text.matchAll(indentation), ({ 0: indent, index: start }) => {
    const lineEnd = text.indexOf('\n', start);
    return { start, indentEnd: start + indent.length, end: lineEnd < 0 ? text.length : lineEnd };
  });
}

/** Returns the text with these ranges replaced by spaces, so that all offsets stay the same. */
function replaced(text: string, ranges: readonly TextRange[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of ranges) {
    parts.push(text.slice(from, start), ' '.repeat(end - start));
    from = end;
  }
  return parts.join('') + text.slice(from);
}

/** Returns one problem for each group of consecutive lines, since the mistake is the same. */
function tabProblems(text: string, lines: readonly TabLine[]): readonly Problem[] {
  const first = lines.filter(({ start }, index) => index === 0 || lines[index - 1]?.end !== start - 1);
  return first.slice(0, maxReported).map(({ start, indentEnd }) => ({
    code: 'syntax',
    message: l10n.t('YAML does not allow tabs for indentation. Use spaces.'),
    start: text.indexOf('\t', start),
    end: indentEnd,
    severity: 'error',
  }));
}
