import type { YAMLError, CST } from 'yaml';
import { l10n } from '../../shared/l10n.ts';
import type { TextRange } from './textRange.ts';

/** Returns whether the error is an unclosed bracket inside another mapping or list. */
export function isUnclosedBracket(error: Pick<YAMLError, 'code' | 'message'>): boolean {
  return error.code === 'BAD_INDENT' && /end with a [\]}]$/.test(error.message);
}

/** Returns whether a quoted text runs to the end of the input. */
export function isUnclosedQuote(error: Pick<YAMLError, 'code' | 'message'>): boolean {
  return error.code === 'MISSING_CHAR' && /^Missing closing ['"]quote$/.test(error.message);
}

/** Returns a message for an error of the YAML library that states the rule and the remedy. */
export function syntaxMessage(error: Pick<YAMLError, 'code' | 'message'>): string {
  const text = error.message;
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return l10n.t('YAML does not allow tabs for indentation. Use spaces.');
    case 'BAD_INDENT':
      if (text.includes('same column'))
        return l10n.t(
          'The indentation does not match the lines above. Start all keys of a mapping and all items of a list in the same column.',
        );
      if (isUnclosedBracket(error))
        return l10n.t(
          'This {0} is not closed by a {1}, or its content is not indented more than its key. Add the {1}, or indent the lines.',
          text.endsWith(']') ? '[' : '{',
          text.slice(-1),
        );
      return l10n.t(
        'The indentation is wrong here. Indent the content of a key or an item more than the key or item itself, with spaces.',
      );
    case 'BLOCK_AS_IMPLICIT_KEY':
      return l10n.t(
        'A value cannot hold another "key: value" on the same line. Put the inner one on a line of its own, or quote the text.',
      );
    case 'MULTILINE_IMPLICIT_KEY':
      return l10n.t('A key must be on one line and be followed by a colon. Add the colon, or join the lines.');
    case 'BAD_DQ_ESCAPE':
      return l10n.t('This escape sequence does not exist. Double the backslash, or put the text in single quotes.');
    case 'BAD_SCALAR_START':
      return l10n.t('Unquoted text cannot start with {0}. Quote it.', text.slice(-1));
    case 'BAD_ALIAS':
      return l10n.t(
        'The name of this anchor or alias is invalid. A name has letters and digits only. If this is a text, quote it.',
      );
    case 'MULTIPLE_DOCS':
      return l10n.t('A job file holds one document. Move the text after `---` to a file of its own.');
    case 'MISSING_CHAR':
      return missingCharacter(text);
    case 'UNEXPECTED_TOKEN':
      return unexpectedToken(text);
    case 'BLOCK_IN_FLOW':
      return l10n.t('Inside of {…} and […], commas separate the items. Write them without "- ".');
    case 'MULTIPLE_ANCHORS':
      return l10n.t('A value can have one anchor. Remove the others.');
    case 'TAG_RESOLVE_FAILED':
      return l10n.t('A job file cannot have tags such as !name. Remove the tag, or quote the text.');
    default:
      return l10n.t('This cannot be read as YAML. Correct it, or quote the text.');
  }
}

function unexpectedToken(text: string): string {
  if (text.endsWith('at node end'))
    return l10n.t('This follows the end of a value. Remove it, or quote the whole text.');
  const end = /flow-(seq|map)-end/.exec(text)?.[1];
  if (end !== undefined)
    return l10n.t('This {0} closes nothing. Remove it, or quote the text.', end === 'seq' ? ']' : '}');
  if (text.includes('block-seq-ind'))
    return l10n.t('A list starts on the line below its key. Move the item there, or quote the text.');
  if (text.startsWith('Unexpected ,')) return l10n.t('This comma separates nothing. Remove it.');
  if (text.startsWith('Block scalar header'))
    return l10n.t('A text after | or > starts on the next line. Move it there, or quote it.');
  return l10n.t('This is unexpected here. Remove it, or quote the text.');
}

function missingCharacter(text: string): string {
  if (isUnclosedQuote({ code: 'MISSING_CHAR', message: text }))
    return l10n.t('This text has no closing quote. Add it at the end of the text.');
  if (text.includes('followed by map values'))
    return l10n.t('A key must be followed by a colon. Add ": " and a value.');
  if (text.includes('- indicator')) return l10n.t('A list item starts with "- ". Add it.');
  if (text.includes('Missing ,')) return l10n.t('A comma is missing between two items. Add it.');
  if (text.includes('Missing space after')) return l10n.t('A colon must be followed by a space. Add one.');
  if (text.includes('Comments must')) return l10n.t('A comment needs a space before its #. Add one.');
  const expected = /(?:end with a|expected) (.)$/.exec(text)?.[1];
  if (expected) return l10n.t('The closing {0} is missing. Add it.', expected);
  return l10n.t('This cannot be read as YAML. Correct it, or quote the text.');
}

/** Finds where a text is unclosed. The library reports where it gave up, which may be lines below the start. */
type Find = (token: CST.Token) => number | undefined;

/** Returns the offset of the innermost `[` or `{` that is not closed, or `undefined` if there is none. */
export function unclosedBracket(tokens: readonly CST.Token[]): number | undefined {
  return firstIn(tokens, (token) => {
    if (token.type !== 'flow-collection') return undefined;
    const expected = token.start.source === '[' ? ']' : '}';
    return token.end[0]?.source === expected ? undefined : token.offset;
  });
}

/** Returns the offset of the opening quote of a text that ends at `end` without a closing quote. */
export function openingQuote(tokens: readonly CST.Token[], end: number): number | undefined {
  return firstIn(tokens, (token) => {
    const isQuoted = token.type === 'double-quoted-scalar' || token.type === 'single-quoted-scalar';
    return isQuoted && token.offset + token.source.length === end ? token.offset : undefined;
  });
}

/** Searches the children of a token before the token itself. The depth is bounded when the tokens are created. */
function firstIn(tokens: Iterable<CST.Token | null | undefined>, find: Find): number | undefined {
  for (const token of tokens) {
    const found = token ? (firstIn(childrenOf(token), find) ?? find(token)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function* childrenOf(token: CST.Token): Iterable<CST.Token | null | undefined> {
  if (token.type === 'document') yield token.value;
  if (token.type !== 'block-map' && token.type !== 'block-seq' && token.type !== 'flow-collection') return;
  for (const item of token.items) {
    yield item.key;
    yield item.value;
  }
}

/** How many lines are searched for a second key. */
const maxLines = 20;
const maxLength = 2000;

/**
 * Returns a key that is indented more than the keys above it, so that YAML reads it as part of the text before it, and the message for it.
 * Returns `undefined` if the text at `offset` holds a second key on its own line.
 */
export function continuedLine(source: string, offset: number): (TextRange & { message: string }) | undefined {
  const lineEnd = source.indexOf('\n', offset);
  if (lineEnd < 0 || /:(?:\s|$)/.test(source.slice(offset, lineEnd))) return undefined;
  const lines = source.slice(lineEnd, lineEnd + maxLength).split('\n', maxLines);
  for (let index = 0, start = lineEnd; index < lines.length; start += (lines[index]?.length ?? 0) + 1, index++) {
    const [all = '', indent = '', key = ''] = /^([ \t]*)([^\s:]+)[ \t]*:(?:\s|$)/.exec(lines[index] ?? '') ?? [];
    if (all === '') continue;
    const message = l10n.t(
      "{0} is indented more than the key above it, so it would continue that key's text. Start it in the same column as the other keys of its mapping.",
      key,
    );
    return { start: start + indent.length, end: start + indent.length + key.length, message };
  }
  return undefined;
}
