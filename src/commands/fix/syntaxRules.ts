import { l10n } from '../../shared/l10n.ts';
import { proposal, type Rule, type Step } from './failedRun.ts';

/** Returns the replacement lines, or `undefined` if the intention is uncertain. */
type Mend = (lines: readonly string[], at: number, match: RegExpExecArray) => readonly string[] | undefined;

/** Python's error messages and their fixes. */
const mends: readonly (readonly [error: RegExp, mend: Mend])[] = [
  [/SyntaxError: expected ':'/, onLine((line) => beforeComment(line, (code) => `${code}:`))],
  [/SyntaxError: '([([{])' was never closed/, (lines, at, [, open = '']) => closed(lines, at, open)],
  [/SyntaxError: unmatched '([)\]}])'/, onLine((line, [, mark = '']) => withoutExtra(line, mark))],
  [/SyntaxError: unterminated string literal/, onLine(withQuote)],
  [
    /SyntaxError: invalid syntax\. Maybe you meant '==' or ':='/,
    // With several assignments in the line, it is uncertain which of them is meant.
    onLine((line) =>
      line.match(/(?<![=!<>:])=(?!=)/g)?.length === 1 ? line.replace(/(?<![=!<>:])=(?!=)/, '==') : undefined,
    ),
  ],
  [
    /SyntaxError: Missing parentheses in call to '(print|exec)'/,
    onLine((line, [, name = '']) =>
      beforeComment(line, (code) => code.replace(new RegExp(`\\b${name}\\s+(.*)$`), `${name}($1)`)),
    ),
  ],
  [
    /SyntaxError: invalid (?:non-printable )?character .{0,20}U\+[0-9A-F]{4}/,
    onLine((line) =>
      line
        .replace(/[\u2018\u2019]/g, "'")
        .replace(/[\u201C\u201D]/g, '"')
        .replace(/[\u00A0\u2003]/g, ' ')
        .replace(/[\u2013\u2212]/g, '-')
        .replace(/[\u200B\uFEFF]/g, ''),
    ),
  ],
  [
    /SyntaxError: multiple exception types must be parenthesized/,
    onLine((line) =>
      line.replace(/except ([\w., ]{1,200}):/, (_all, types: string) =>
        /, ?[a-z]\w*$/.test(types) ? `except ${types.replace(/, ?(?=\w+$)/, ' as ')}:` : `except (${types}):`,
      ),
    ),
  ],
  // Only at the end of a line: within a line, the position of the missing comma is uncertain.
  [
    /SyntaxError: invalid syntax\. Perhaps you forgot a comma\?/,
    onLine((line) => beforeComment(line, (code) => (/^[^([{]*["'\w]$/.test(code) ? `${code},` : undefined))),
  ],
  [
    /IndentationError: expected an indented block after .{1,100} on line (\d{1,9})/,
    (lines, at, [, head]) => indented(lines, at, Number(head) - 1),
  ],
  [/IndentationError: unexpected indent/, (lines, at) => withIndent(lines, at, indentOf(lastLine(lines, at)))],
  [
    /IndentationError: unindent does not match any outer indentation level/,
    (lines, at) => withIndent(lines, at, outerIndent(lines, at)),
  ],
  [/TabError: /, (lines) => lines.map((line) => line.replace(/^[\t ]+/, (blanks) => blanks.replaceAll('\t', '    ')))],
  // Python suggests a similar name that exists.
  [
    /(?:NameError: name|AttributeError: .{0,200}has no attribute|ImportError: cannot import name) '(\w+)'.{0,500}Did you mean: '(\w+)'\?/,
    onLine((line, [, wrong = '', right = '']) => line.replace(new RegExp(`\\b${wrong}\\b`, 'g'), right)),
  ],
  [
    /NameError: name '(json|os|sys|re|csv|math|time|random|datetime|pathlib|shutil|collections|itertools)' is not defined/,
    (lines, _at, [, name]) => withImport(lines, `import ${name}`),
  ],
];

/** Fixes errors that Python's message identifies with certainty. */
export const syntaxRules: Rule = ({ error, text, steps: [step] }) => {
  if (!step) return undefined;
  for (const [pattern, mend] of mends) {
    const match = pattern.exec(error) ?? pattern.exec(text);
    if (!match) continue;
    const lines = linesOf(step);
    const mended = mend(lines, step.line - 1, match);
    const changed = mended?.findIndex((line, at) => line !== lines[at]) ?? 0;
    return proposal(
      step.file,
      mended?.join(step.file.text.includes('\r\n') ? '\r\n' : '\n'),
      l10n.t('Change {0}, line {1}.', step.file.path, changed + 1),
    );
  }
  return undefined;
};

function linesOf({ file }: Step): string[] {
  return file.text.split(/\r?\n/);
}

function onLine(change: (line: string, match: RegExpExecArray) => string | undefined): Mend {
  return (lines, at, match) => {
    const line = change(lines[at] ?? '', match);
    return line === undefined ? undefined : lines.with(at, line);
  };
}

/** Returns a line with its string contents blanked out, and the end of each string; the last one may be unclosed. */
function readTexts(line: string): { bare: string; ends: number[]; isOpen: boolean } {
  let bare = '';
  let quote = '';
  const ends: number[] = [];
  for (let at = 0; at < line.length; at += 1) {
    const mark = line.charAt(at);
    const isQuote = mark === '"' || mark === "'";
    bare += quote !== '' || isQuote ? ' ' : mark;
    if (quote === '') quote = isQuote ? mark : '';
    else if (mark === quote) {
      quote = '';
      ends.push(at + 1);
    } else if (mark === '\\') {
      bare += ' ';
      at += 1;
    }
  }
  return { bare, ends, isOpen: quote !== '' };
}

/** Returns the line with its string contents blanked out, or `undefined` if the strings are uncertain. */
function withoutTexts(line: string): string | undefined {
  const { bare, isOpen } = readTexts(line);
  return isOpen ? undefined : bare;
}

/** Changes the code before a line's comment; a line with uncertain strings and a `#` is left unchanged. */
function beforeComment(line: string, change: (code: string) => string | undefined): string | undefined {
  if (!line.includes('#')) return change(line.trimEnd());
  const bare = withoutTexts(line);
  if (bare === undefined) return undefined;
  const at = bare.indexOf('#');
  const code = line.slice(0, at === -1 ? line.length : at).trimEnd();
  const changed = change(code);
  return changed === undefined ? undefined : changed + line.slice(code.length);
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Closes a bracket at the end of its statement, if the next line is not indented more than the line that opens it. */
function closed(lines: readonly string[], at: number, open: string): readonly string[] | undefined {
  const depth = indentOf(lines[at] ?? '').length;
  const next = lines.findIndex((line, index) => index > at && line.trim() !== '' && indentOf(line).length <= depth);
  let end = (next === -1 ? lines.length : next) - 1;
  while (end > at && (lines[end] ?? '').trim() === '') end -= 1;
  // In a statement that opens a block, the bracket closes before the colon.
  const isHead = /^\s*(?:async |def |class |if |elif |for |while |with |except )/.test(lines[at] ?? '');
  const colon = lines.findIndex(
    (line, index) => index >= at && index < end && (withoutTexts(line) ?? '').split('#', 1)[0]?.trimEnd().endsWith(':'),
  );
  if (isHead && colon !== -1) end = colon;
  const mended = beforeComment(lines[end] ?? '', (code) =>
    isHead && code.endsWith(':') ? `${code.slice(0, -1)}${closing[open]}:` : `${code}${closing[open]}`,
  );
  return mended === undefined ? undefined : lines.with(end, mended);
}

/** Removes a bracket that is never opened in the line; if there are several that are not adjacent, it is uncertain which. */
function withoutExtra(line: string, mark: string): string | undefined {
  const opening = Object.keys(closing).find((each) => closing[each] === mark);
  const code = withoutTexts(line)?.split('#', 1)[0] ?? '';
  const extra: number[] = [];
  let open = 0;
  for (const [at, each] of code.split('').entries()) {
    if (each === opening) open += 1;
    else if (each === mark && open > 0) open -= 1;
    else if (each === mark) extra.push(at);
  }
  const [first] = extra;
  return first === undefined || code.slice(first, first + extra.length) !== mark.repeat(extra.length)
    ? undefined
    : line.slice(0, first) + line.slice(first + 1);
}

/** Inserts the quote before the brackets and the colon at the end of the line. */
function withQuote(line: string): string | undefined {
  const quotes = line.match(/["']/g) ?? [];
  const [quote] = quotes;
  if (quote === undefined || quotes.some((each) => each !== quote) || quotes.length % 2 === 0) return undefined;
  // A quote directly followed by a letter may be an apostrophe.
  if (readTexts(line).ends.some((end) => /\w/.test(line.charAt(end)))) return undefined;
  const text = line.trimEnd();
  let end = text.length;
  while (end > 0 && ')]},:'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end) + quote + text.slice(end);
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

function lastLine(lines: readonly string[], at: number): string {
  return lines.slice(0, at).findLast((line) => line.trim() !== '') ?? '';
}

function withIndent(lines: readonly string[], at: number, indent: string | undefined): readonly string[] | undefined {
  return indent === undefined ? undefined : lines.with(at, indent + (lines[at] ?? '').trimStart());
}

/** Indents a block's only line; with several lines, it is uncertain which belong to the block. */
function indented(lines: readonly string[], at: number, head: number): readonly string[] | undefined {
  const indent = indentOf(lines[head] ?? '');
  const next = lines[at + 1] ?? '';
  if (
    (lines[at] ?? '').trim() === '' ||
    (next.trim() !== '' && indentOf(next).length >= indent.length && indent !== '')
  )
    return undefined;
  return withIndent(lines, at, `${indent}    `);
}

/** Returns the nearest indentation of an outer block. */
function outerIndent(lines: readonly string[], at: number): string | undefined {
  const wanted = indentOf(lines[at] ?? '').length;
  const all = [
    ...new Set(
      lines
        .slice(0, at)
        .filter((line) => line.trim() !== '')
        .map(indentOf),
    ),
  ];
  const sorted = all.toSorted((left, right) => Math.abs(left.length - wanted) - Math.abs(right.length - wanted));
  const [first, second] = sorted;
  const isCertain =
    first !== undefined && (second === undefined || Math.abs(second.length - wanted) > Math.abs(first.length - wanted));
  return isCertain ? first : undefined;
}

/** Inserts an import after the start of the file: comments, docstring, other imports. */
export function withImport(lines: readonly string[], what: string): readonly string[] {
  const future = lines.findLastIndex((line) => line.startsWith('from __future__ '));
  const imports = lines.findIndex((line) => /^(?:import|from) /.test(line));
  const code = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.toSpliced(future === -1 ? Math.max(0, imports === -1 ? code : imports) : future + 1, 0, what);
}
