import type { AnswerLink } from '../../chat/conversationEvent.ts';
import { l10n } from '../../shared/l10n.ts';
import { commandText, type LookUp, lookUpNames, type ManualEntry } from './lookUp.ts';

/** Maximum entries that an answer shows. */
const maxShown = 4;
/** Share of the question's words, by weight, that an entry must contain. */
const minShare = 0.5;
/** Number of entries that a word in no entry is assumed to have. */
const unknownCount = 10;

/** Splits a Markdown file at its headings. */
export function sectionsOf(file: string, markdown: string): ManualEntry[] {
  const entries: ManualEntry[] = [];
  let isCode = false;
  let [title, lines]: [string, string[]] = ['', []];
  const add = (): void => {
    if (title !== '' && lines.some((line) => line.trim() !== ''))
      entries.push({ title, text: lines.join('\n'), target: `${file}#${anchorOf(title)}` });
  };
  for (const line of markdown.split('\n')) {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,6} (.+)$/.exec(line)?.[1];
    if (heading === undefined) lines.push(line);
    else {
      add();
      [title, lines] = [heading, []];
    }
  }
  add();
  return entries;
}

/** Returns the anchor that Markdown previews give a heading. */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s+/g, '-');
}

/** Shows the sections of the manual, the commands, the settings and the fields whose words fit. */
export const help: LookUp = async (given, context) => {
  const found = searchManual(await context.manual(), given);
  if (found.length > 0)
    return { markdown: l10n.t('Found in the manual:'), links: found.map((entry) => linkTo(entry, given)) };
  const markdown =
    given === ''
      ? l10n.t('These commands are answered without a model. Type `/` to see what each needs.')
      : l10n.t(
          'The manual has nothing about this. For other questions, choose an endpoint with a model: this one only looks things up.',
        );
  const names = given === '' ? lookUpNames.filter((name) => name !== 'help') : (['help'] as const);
  return { markdown, links: names.map((name) => ({ title: `/${name}`, command: `/${name}` })) };
};

function linkTo({ title, text, target }: ManualEntry, given: string): AnswerLink {
  const detail = target?.startsWith('command:') === true ? l10n.t('Runs this command') : bestSentence(text, given);
  return { title, detail, ...(target !== undefined && { section: target }) };
}

/** Returns the entries that fit best, the best first; none if all share too few words with the question. */
function searchManual(entries: readonly ManualEntry[], given: string): ManualEntry[] {
  const asked = [...new Set(wordsOf(given))];
  if (asked.length === 0) return [];
  const known = entries.map((entry) => ({
    entry,
    title: new Set(wordsOf(entry.title)),
    all: new Set(wordsOf(`${entry.title} ${entry.text}`)),
  }));
  // A word that few entries have tells more than one that many have.
  const weightOf = new Map(
    asked.map((word) => {
      // What the manual does not know may be beside the point: "my chat history".
      const count = known.filter(({ all }) => all.has(word)).length || unknownCount;
      return [word, Math.log(1 + entries.length / (1 + count))];
    }),
  );
  const weight = (words: readonly string[]): number => words.reduce((sum, word) => sum + (weightOf.get(word) ?? 0), 0);
  return known
    .map(({ entry, title, all }) => ({
      entry,
      share: weight(asked.filter((word) => all.has(word))) / weight(asked),
      // A title that is asked for in full comes before a long text with the same words.
      lead: weight(asked.filter((word) => title.has(word))) / (weight(asked) * Math.sqrt(Math.max(1, title.size))),
    }))
    .filter(({ share }) => share >= minShare)
    .sort((left, right) => right.share + 2 * right.lead - (left.share + 2 * left.lead))
    .slice(0, maxShown)
    .map(({ entry }) => entry);
}

const idle = new Set(
  (
    'a about all an and any are as at be by can do does for from get give has have how i if in is it its ' +
    'me my need of on or please set should show tell that the them there this to use want was what happen happens see two when where which why will with you your'
  ).split(' '),
);

/** Returns the words of a text without endings, so that "retries" and "retry" are the same. */
function wordsOf(text: string): string[] {
  return (
    text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .replace(/\be-mail/g, 'email')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .filter((word) => word.length > 1 && !idle.has(word))
    .map((word) =>
      word
        .replace(/ies$/, 'y')
        .replace(/(?<=...)(?:ing|ed|es|s)$/, '')
        .replace(/(?<=..)(.)\1$/, '$1'),
    );
}

/** Returns the sentence, list item or table row that has most of the words, otherwise the first. */
function bestSentence(text: string, given: string): string {
  const asked = new Set(wordsOf(given));
  const sentences = text
    .replace(/```[\s\S]*?```|<picture>[\s\S]*?<\/picture>/g, '')
    .split(/\n\s*\n|\n(?=[-*|] ?)|\n\d\. |(?<=[.!?])\s+(?=[A-Z`*])/)
    .map(plain)
    .filter((sentence) => /\p{L}{3}/u.test(sentence));
  const count = (sentence: string): number => wordsOf(sentence).filter((word) => asked.has(word)).length;
  return sentences.toSorted((left, right) => count(right) - count(left))[0] ?? '';
}

/** Returns Markdown as plain text in one line. */
function plain(markdown: string): string {
  return markdown
    .replace(/^\s*(?:[-*] |\d+\. )/, '')
    .replace(/\[([^\][]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|`/g, '')
    .split('|')
    .map((cell) => cell.replace(/\s+/g, ' ').trim())
    .filter((cell) => cell !== '')
    .join(' · ');
}

/** Returns the command that looks up a text in the manual. */
export function helpFor(text: string): string {
  return commandText({ name: 'help', given: text.replace(/\s+/g, ' ').slice(0, 200) });
}
