import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { splitWords } from '../shared/splitWords.ts';

/**
 * A command line as program and arguments, so that no shell has to read it. Blanks separate; single and double quotes
 * keep blanks; `\"` and `\\` are known inside double quotes only, so that Windows paths need no doubling.
 * @throws AppError `invalid` if it is empty or a quote is not closed
 */
export function splitCommand(text: string): { program: string; args: string[] } {
  const { words, openQuote } = splitWords(text, { escapes: 'quoted' });
  if (openQuote !== undefined)
    throw new AppError(
      'invalid',
      l10n.t('The command has a quotation mark ({0}) that is not closed. It was not run.', openQuote),
      { remedy: l10n.t("Close it in the profile's command.") },
    );
  const [program, ...args] = words;
  if (program === undefined || program === '')
    throw new AppError('invalid', l10n.t('The command is empty. It was not run.'), {
      remedy: l10n.t('Enter the program that prints the token.'),
    });
  return { program, args };
}
