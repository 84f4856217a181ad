import { dateTimeFormat } from '../../shared/dateTimeFormat.ts';
import { describeError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { nextFireTimes } from '../../shared/quartz/quartz.ts';
import { describeCron } from '../../shared/quartz/quartzWords.ts';
import { loadJobFileService } from '../loadJobFileService.ts';
import type { LookUp } from './lookUp.ts';
import { readSchedule, zoneIn } from './scheduleWords.ts';

const word = String.raw`(?:[\d*?/,\-#LW]|MON|TUE|WED|THU|FRI|SAT|SUN|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)+`;
// Only a short text is searched.
// oxlint-disable-next-line regexp/no-super-linear-move
const expressionPattern = new RegExp(String.raw`(?<![\w*?])${word}(?: +${word}){4,6}(?![\w*?])`, 'i');
/** Maximum characters searched for an expression, because the search takes quadratic time. */
const maxLength = 500;
const shownTimes = 5;

/** Returns the first cron expression in a text. */
export function cronIn(text: string): string | undefined {
  return expressionPattern.exec(text.slice(0, maxLength))?.[0];
}

/** Explains a Quartz expression, or writes one from words such as "every working day at 2:30 in Berlin". */
export const cron: LookUp = async (given, { nowMs }) => {
  const expression = cronIn(given) ?? readSchedule(given);
  if (expression === undefined)
    return {
      markdown: l10n.t('Write an expression, or a time in words that one expression can hold:'),
      links: ['/cron 0 30 7 ? * MON-FRI', '/cron every working day at 7:30', '/cron every 15 minutes'].map(
        (command) => ({
          title: command,
          command,
        }),
      ),
    };
  const zone = zoneIn(given) ?? dateTimeFormat(undefined, {}).resolvedOptions().timeZone;
  try {
    const words = describeCron(expression, zone);
    const format = dateTimeFormat(undefined, { timeZone: zone, dateStyle: 'full', timeStyle: 'short' });
    const times = nextFireTimes(expression, zone, nowMs, shownTimes).map((time) => `- ${format.format(time)}`);
    const next =
      times.length === 0 ? l10n.t('It never fires again.') : `${l10n.t('Next runs:')}\n\n${times.join('\n')}`;
    const { toYaml } = await loadJobFileService();
    const yaml = toYaml({ schedule: { quartz_cron_expression: expression, timezone_id: zone } });
    return { markdown: `\`${expression}\`: ${words}\n\n${next}\n\n\`\`\`yaml\n${yaml}\`\`\`` };
  } catch (error) {
    return { markdown: l10n.t('`{0}` is not a Quartz expression: {1}', expression, describeError(error)) };
  }
};
