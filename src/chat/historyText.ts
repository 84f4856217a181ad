import { dateTimeFormat } from '../shared/dateTimeFormat.ts';
import { l10n } from '../shared/l10n.ts';
import type { ConversationEvent } from './conversationEvent.ts';

/** Returns the text of all messages, including attachment names and function results; all branches, each message on its own lines. */
export function conversationText(events: readonly ConversationEvent[]): string {
  const messages = new Map<string, string[]>();
  let isVectors = false;
  for (const event of events) {
    if (event.type === 'endpointChosen') isVectors = event.task === 'embedding';
    if (event.type === 'userAdded') {
      const { id, text, attachments = [], toolResults = [] } = event;
      const results = toolResults.map(({ name = '', content }) => `${name} ${content}`);
      messages.set(id, [[text, ...attachments.map(({ label }) => label), ...results].filter(Boolean).join('\n')]);
    }
    if (event.type !== 'answerDelta' || isVectors) continue;
    const parts = messages.get(event.id) ?? [];
    messages.set(event.id, parts);
    for (const { text = '' } of event.choices) parts.push(text);
  }
  return [...messages.values()].map((parts) => parts.join('')).join('\n');
}

/** Characters of an excerpt before the match, and in total. */
const beforeFound = 24;
const excerptLength = 90;

/** Returns one line around the first match of the words, or `undefined` if there is none. Case-insensitive. */
export function excerptOf(text: string, words: string): string | undefined {
  const found = words === '' ? -1 : text.toLowerCase().indexOf(words.toLowerCase());
  if (found === -1) return undefined;
  const from = Math.max(0, found - beforeFound);
  const excerpt = text.slice(from, from + excerptLength).replaceAll(/\s/g, ' ');
  return `${from > 0 ? '…' : ''}${excerpt}${from + excerptLength < text.length ? '…' : ''}`;
}

/** Returns a time's group in a list: today, yesterday, earlier this month, or the month's name. */
export function dateGroup(atMs: number, nowMs: number, language: string | undefined): string {
  const [date, now] = [new Date(atMs), new Date(nowMs)];
  const day = (value: Date): number => new Date(value.getFullYear(), value.getMonth(), value.getDate()).getTime();
  const days = Math.round((day(now) - day(date)) / 86_400_000);
  if (days <= 0) return l10n.t('Today');
  if (days === 1) return l10n.t('Yesterday');
  const isThisMonth = date.getFullYear() === now.getFullYear() && date.getMonth() === now.getMonth();
  if (isThisMonth) return l10n.t('Earlier This Month');
  return dateTimeFormat(language, { month: 'long', year: 'numeric' }).format(date);
}
