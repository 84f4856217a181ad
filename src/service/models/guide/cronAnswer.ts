import { dateTimeFormat } from '../../../shared/dateTimeFormat.ts';
import { nextFireTimes } from '../../../shared/quartz/quartz.ts';
import { exampleSettings, exampleYaml } from './exampleJob.ts';
import { fenced } from './fencedText.ts';
import type { GuideAnswer } from './guideReply.ts';

const cronWord = String.raw`(?:[\d*?/,\-#LW]|MON|TUE|WED|THU|FRI|SAT|SUN|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)+`;
// Questions are short.
// oxlint-disable-next-line regexp/no-super-linear-move
const cronPattern = new RegExp(String.raw`(?<![\w*?])${cronWord}(?: +${cronWord}){5,6}(?![\w*?])`, 'i');
const zonePattern = /\b(?:UTC|[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?)\b/;
const shownTimes = 5;

/**
 * Tells when a Quartz expression in the question fires next. Undefined if there is none.
 * @param nowInMs epoch milliseconds from which to count
 */
export function answerAboutCron(text: string, nowInMs: number): GuideAnswer | undefined {
  const expression = cronPattern.exec(text)?.[0];
  if (expression === undefined) return undefined;
  const zone = zonePattern.exec(text)?.[0] ?? 'UTC';
  try {
    const times = nextFireTimes(expression, zone, nowInMs, shownTimes);
    const format = dateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'full', timeStyle: 'medium' });
    const list = times.map((time) => `- ${format.format(time)}`);
    const settings = exampleSettings('schedule') ?? {};
    settings['schedule'] = { quartz_cron_expression: expression, timezone_id: zone };
    const when = times.length === 0 ? 'It never fires again.' : `It fires next, in ${zone}:\n\n${list.join('\n')}`;
    return {
      found: true,
      confidence: 1,
      markdown: `\`${expression}\` is a valid Quartz expression. ${when}\n\nIn a job file:\n\n${fenced(exampleYaml(settings), 'yaml')}`,
      summary: times.length === 0 ? 'It never fires again.' : `It fires next at ${list[0]?.slice(2) ?? ''} (${zone}).`,
      facts: {
        expression,
        timezone: zone,
        times: times.map((time) => new Date(time).toISOString()),
        example: exampleYaml(settings),
      },
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      found: true,
      confidence: 1,
      markdown: `\`${expression}\` is not a valid Quartz expression: ${reason}`,
      summary: reason,
      facts: { expression, problem: reason },
    };
  }
}
