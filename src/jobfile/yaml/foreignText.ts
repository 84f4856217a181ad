import { codePoint } from '../../api/schema/field.ts';
import { l10n } from '../../shared/l10n.ts';
import type { JobDocument, Problem } from './jobDocument.ts';
import type { TextRange } from './textRange.ts';

/** A text without what YAML cannot read, at the same offsets, and the problems of what was taken out. */
export interface ReadableText {
  readonly text: string;
  readonly problems: readonly Problem[];
  /** Places of values that are unknown. */
  readonly broken: readonly TextRange[];
}

const maxReported = 20;

const jsonPart = /"(?:[^"\\\n]|\\.)*"|(?<![:A-Za-z_/])\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** Returns JSON with its comments replaced by spaces, as the editor's JSON with comments allows them; any other text unchanged. */
export function withoutJsonComments(text: string): string {
  if (!/^\s*[{/]/.test(text) || !/\/[/*]/.test(text)) return text;
  const without = text.replace(jsonPart, (part) => (part.startsWith('"') ? part : blank(part)));
  return /^\s*\{\s*["}]/.test(without) ? without : text;
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}

const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]/g;

/** Replaces control characters, which YAML does not allow, by spaces. */
export function withoutControls(text: string): ReadableText {
  const problems = Array.from(text.matchAll(control), ({ 0: character, index: start }): Problem => ({
    code: 'controlCharacter',
    message: l10n.t('This is the control character {0}, which YAML does not allow. Remove it.', codePoint(character)),
    start,
    end: start + 1,
    severity: 'error',
    data: { replacements: [''] },
  })).slice(0, maxReported);
  return { text: problems.length === 0 ? text : text.replace(control, ' '), problems, broken: [] };
}

/** Indentation before a line's text, with spaces of every kind, such as the no-break space that web pages contain. */
const indentation = /^[ \t\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000]+(?=[^\s#]|$)/gm;
const oddSpace = /[^ \t]/;

/**
 * Replaces the white space of lines that are indented with anything but spaces.
 * @param isText returns whether an offset is inside of a text of several lines, where every character is allowed
 */
export function withPlainSpaces(text: string, isText: (offset: number) => boolean): ReadableText {
  const lines = [...text.matchAll(indentation)].filter(
    ({ 0: indent, index }) => oddSpace.test(indent) && !isText(index),
  );
  const problems = lines.slice(0, maxReported).map(({ 0: indent, index: start }): Problem => {
    const odd = oddSpace.exec(indent)?.[0] ?? '';
    return {
      code: 'syntax',
      message: l10n.t(
        'This line is indented with the character {0}, which YAML reads as text. Use spaces.',
        codePoint(odd),
      ),
      start,
      end: start + indent.length,
      severity: 'error',
      data: { replacements: [' '.repeat(indent.length)] },
    };
  });
  return {
    text: masked(
      text,
      lines.map(({ 0: indent, index: start }) => ({ start, end: start + indent.length })),
      ' ',
    ),
    problems,
    broken: [],
  };
}

/** A placeholder with the rest of its value, or a tag of a template. */
const template = /\{\{[^{}\n]*\}\}[^\n#,\]}]*|\{[%#][^\n]{0,300}?[%#]\}|(?<=^[ \t]{0,40})<%[^\n]{0,300}?%>(?=\s*$)/gm;

/** Maximum characters before a placeholder that say where it stands. */
const maxLooked = 200;

/** Returns whether a placeholder starts a value or a line; inside of a text, YAML reads it as text. */
function isRead(text: string, { 0: part, index }: RegExpExecArray): boolean {
  if (!part.startsWith('{{')) return true;
  const around = text.slice(Math.max(0, index - maxLooked), index);
  const before = around.slice(around.lastIndexOf('\n') + 1).trimEnd();
  return before === '' || /[:\-[,]$/.test(before);
}

/** Replaces the placeholders and tags of a template, which only its own program could read, and reports the first. */
export function withoutTemplate(text: string): ReadableText {
  const found = [...text.matchAll(template)].filter((one) => isRead(text, one));
  const [first] = found;
  if (!first) return { text, problems: [], broken: [] };
  const isTag = (one: RegExpExecArray): boolean => !one[0].startsWith('{{') || isWholeLine(text, rangeOf(one));
  const quoted = JSON.stringify(first[0].trimEnd());
  const problem: Problem = {
    code: 'template',
    message: isTag(first)
      ? l10n.t('Job files are not rendered as templates. Render this file first, or remove {0}.', first[0].slice(0, 60))
      : l10n.t('Job files are not rendered as templates. Put a placeholder in quotes to send it: {0}.', quoted),
    ...rangeOf(first),
    severity: 'error',
    ...(!isTag(first) && { data: { replacements: [quoted] } }),
  };
  const tags = found.filter(isTag).map(rangeOf);
  const values = found.filter((one) => !isTag(one)).map(rangeOf);
  return { text: masked(masked(text, tags, ' '), values, 'x'), problems: [problem], broken: [...tags, ...values] };
}

function isWholeLine(text: string, { start, end }: TextRange): boolean {
  const lineEnd = text.indexOf('\n', end);
  const around =
    text.slice(text.lastIndexOf('\n', start) + 1, start) + text.slice(end, lineEnd < 0 ? undefined : lineEnd);
  return around.trim() === '';
}

function rangeOf({ 0: part, index: start }: RegExpExecArray): TextRange {
  return { start, end: start + part.trimEnd().length };
}

function masked(text: string, ranges: readonly TextRange[], character: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of ranges) {
    parts.push(text.slice(from, start), character.repeat(end - start));
    from = end;
  }
  return parts.join('') + text.slice(from);
}

/** Returns a document of a readable text as that of the original. */
export function restored(document: JobDocument, text: string, { problems, broken }: ReadableText): JobDocument {
  return {
    text,
    root: document.root,
    problems: [...problems, ...document.problems].sort((one, other) => one.start - other.start),
    broken: [...broken, ...document.broken],
  };
}
