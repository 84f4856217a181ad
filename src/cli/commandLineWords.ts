import { fill, l10n } from '../shared/l10n.ts';

/** What the editor calls by the profile stands in an option or in the environment here. */
const words: readonly (readonly [RegExp, string])[] = [
  [/^The base URL of the profile/, 'The address in --url'],
  [/the base URL(?: of the profile)?/, 'the address in --url'],
  [/host and port of the address in --url are right/, 'host and port are right'],
  [/enter it as the address in --url/, 'name it with --url'],
  [/The profile has no \{0\}/, 'MILLRACE_TOKEN holds no {0}'],
  [/(the (?:token|\{0\})) of the profile/i, '$1 in MILLRACE_TOKEN'],
  [/use a profile whose user/, 'use the token of a user who'],
  [/the user of this profile/, 'the user of this token'],
];

/** The same texts as in the editor, in words of the command line. */
export function useCommandLineWords(): void {
  l10n.use((message, ...values) =>
    fill(
      words.reduce((text, [word, own]) => text.replace(word, own), message),
      ...values,
    ),
  );
}
