import MarkdownIt, { type Env, type Token } from 'markdown-it';
import { externalLink } from '../../externalLink.ts';

export type { Env, Token };

/** Maximum nesting depth, since deeper nesting could exhaust the stack; deeper content stays text. */
const deepestNesting = 40;

/**
 * Markdown without raw HTML. Bare URLs become links only with their scheme ("job.py" is a file, not a site in Paraguay), and only http and
 * https links are links. A user name is read as a part of the URL, which is then no link; otherwise the link would lead to the wrong host.
 */
const markdown = new MarkdownIt({ html: false, linkify: true, maxNesting: deepestNesting });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false, urlAuth: true });
markdown.linkify.add('ftp:', null).add('mailto:', null).add('//', null);
// Without this rule, the parser would drop the rest of the answer, not only what is nested too deeply.
markdown.block.ruler.before('table', 'deepest', (state, first, end, isSilent) => {
  if (isSilent || state.level < deepestNesting - 2) return false;
  let line = first;
  while (line < end && (state.isEmpty(line) || (state.sCount[line] ?? 0) >= state.blkIndent)) line += 1;
  state.push('paragraph_open', 'p', 1);
  const inline = state.push('inline', '', 0);
  Object.assign(inline, {
    content: state.getLines(first, line, state.blkIndent, false).trim(),
    map: [first, line],
    children: [],
  });
  state.push('paragraph_close', 'p', -1);
  state.line = line;
  return true;
});
/** Marks around a formula, and its maximum length. */
const formulas = [
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ['$$', '$$'],
] as const;
const maxFormula = 2_000;
// Formulas are shown as code, since Markdown would take their backslashes and underscores for its own.
markdown.inline.ruler.before('escape', 'formula', (state, isSilent) => {
  const { src, pos } = state;
  const [open, close] = formulas.find(([mark]) => src.startsWith(mark, pos)) ?? [];
  if (open === undefined || close === undefined) return false;
  const inner = src.slice(pos + open.length, pos + maxFormula);
  const end = inner.indexOf(close);
  const content = inner.slice(0, Math.max(0, end)).trim();
  if (content === '') return false;
  if (!isSilent) state.push('code_inline', 'code', 0).content = content;
  state.pos += open.length + end + close.length;
  return true;
});
markdown.validateLink = (url) => externalLink(url) !== undefined;
// By default, a host in Punycode is shown in its own letters, which may look like another host.
markdown.normalizeLinkText = (url) => url;

/** Length below which text is always parsed. */
const minDenseLength = 2_000;
/** Maximum density of markup characters; ordinary Markdown is below 0.1. */
const maxDensity = 0.3;

/**
 * Returns the tokens of a Markdown text. A text that consists almost entirely of markup characters, which takes the longest to parse, is
 * returned as plain text.
 */
export function parseMarkdown(source: string, env: Env = {}): Token[] {
  return isDense(source) ? plainTokens(source) : markdown.parse(source, env);
}

/** Relative parsing cost of each character; those not listed cost almost nothing. */
const weights = new Map([...'[]!*_~`<&\\\n'].map((mark) => [mark.charCodeAt(0), 1]));
for (const mark of '|-') weights.set(mark.charCodeAt(0), 0.5);

function isDense(source: string): boolean {
  if (source.length < minDenseLength) return false;
  const limit = source.length * maxDensity;
  let sum = 0;
  let fence = '';
  for (let from = 0; from < source.length && sum <= limit;) {
    const lineEnd = source.indexOf('\n', from);
    const end = lineEnd < 0 ? source.length : lineEnd + 1;
    // Text in a fence is not parsed, so code may have any density.
    const marker = /[`~]/.test(source.charAt(from))
      ? (/^(?:`{3,}|~{3,})/.exec(source.slice(from, from + 100))?.[0] ?? '')
      : '';
    if (fence === '') fence = marker;
    else if (marker.startsWith(fence) && source.slice(from + marker.length, end).trim() === '') fence = '';
    if (fence === '') sum += weightOf(source, from, end);
    from = end;
  }
  return sum > limit;
}

function weightOf(source: string, from: number, end: number): number {
  let sum = 0;
  for (let at = from; at < end; at += 1) sum += weights.get(source.charCodeAt(at)) ?? 0;
  return sum;
}

function plainTokens(source: string): Token[] {
  const { Token } = MarkdownIt;
  const text = new Token('text', '', 0);
  text.content = source;
  const inline = new Token('inline', '', 0);
  Object.assign(inline, { level: 1, map: [0, 1], children: [text] });
  const opening = Object.assign(new Token('paragraph_open', 'p', 1), { block: true, map: [0, 1] });
  return [opening, inline, new Token('paragraph_close', 'p', -1)];
}
