import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';

/**
 * A command line as program and arguments, so that no shell has to read it. Blanks separate; single and double quotes
 * keep blanks; `\"` and `\\` are known inside double quotes only, so that Windows paths need no doubling.
 * @throws AppError `invalid` where it is empty or a quote is not closed
 */
export function splitCommand(text: string): { program: string; args: string[] } {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (quote === '"' && character === '\\' && /["\\]/.test(text.charAt(index + 1))) {
      word = (word ?? '') + text.charAt(++index);
    } else if (quote !== '') {
      if (character === quote) quote = '';
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== '') throw new AppError('invalid', l10n.t('The command has a quotation mark ({0}) that is not closed. It was not run.', quote), { remedy: l10n.t('Close it in the profile\'s command.') });
  if (word !== undefined) words.push(word);
  const [program, ...args] = words;
  if (program === undefined || program === '') throw new AppError('invalid', l10n.t('The command is empty. It was not run.'), { remedy: l10n.t('Enter the program that prints the token.') });
  return { program, args };
}
