import { fenced } from './fencedText.ts';
import type { GuideAnswer } from './guideReply.ts';

const maxOutputLength = 2_000;

/** Says what a run did or does whose state and output are attached as the chat attaches them. Undefined if there is none. */
export function describeAttachedRun(text: string): GuideAnswer | undefined {
  const lines = text.split('\n');
  // Its name and state in one line, below the fence; its ids in the next ones.
  const at = lines.findIndex((line, index) => / — \S/.test(line) && (lines[index - 1] ?? '').startsWith('```'));
  const fence = /^`+/.exec(lines[at - 1] ?? '')?.[0];
  const ids = lines.slice(at + 1, at + 4).find((line) => /^run \d+(?: · |$)/.test(line));
  if (fence === undefined || ids === undefined) return undefined;
  const end = lines.findIndex((line, index) => index > at && line.trim() === fence);
  const whole = lines.slice(at, end === -1 ? undefined : end);
  const [name = '', state = ''] = (whole[0] ?? '').split(' — ');
  const written = whole.slice(whole.findIndex((line) => line.startsWith('── '))).join('\n');
  const facts = ids.split(' · ').slice(1).join(', ');
  const head = `**${name}**: ${state}${facts === '' ? '' : `, ${facts}`}.`;
  const shown = written.length > maxOutputLength ? `…\n${written.slice(-maxOutputLength)}` : written;
  const markdown = written.startsWith('── ')
    ? `${head}\n\nWhat it wrote:\n\n${fenced(shown, 'text')}`
    : `${head} It wrote nothing.`;
  return { found: true, confidence: 1, markdown, summary: `${name}: ${state}.`, facts: { name, state } };
}
