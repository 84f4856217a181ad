import type { YAMLError } from 'yaml';
import { l10n } from '../../shared/l10n.ts';

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
      return l10n.t(
        'Unquoted text cannot start with {0}. Quote it.',
        text.replace(/^Plain value cannot start with /, ''),
      );
    case 'BAD_ALIAS':
      return l10n.t(
        'The name of this anchor or alias is invalid. A name has letters and digits only. If this is a text, quote it.',
      );
    case 'MULTIPLE_DOCS':
      return l10n.t('A job file holds one document. Move the text after `---` to a file of its own.');
    case 'MISSING_CHAR':
      return missingCharacter(text);
    case 'UNEXPECTED_TOKEN':
      if (text.endsWith('at node end'))
        return l10n.t('This follows the end of a value. Remove it, or quote the whole text.');
      return l10n.t(
        'This is unexpected here: {0}. Remove it, or quote the text.',
        text.replace(/^Unexpected /, '').replaceAll('-', ' '),
      );
    case 'TAG_RESOLVE_FAILED':
      return l10n.t('A job file cannot have tags such as !name. Remove the tag, or quote the text.');
    default:
      return l10n.t('This is not valid YAML: {0}.', text);
  }
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
  return l10n.t('This is not valid YAML: {0}.', text);
}
