import { findQuartzProblem } from '../../shared/quartz/quartz.ts';

const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '0 0 0 1 1 ?',
  '@annually': '0 0 0 1 1 ?',
  '@monthly': '0 0 0 1 * ?',
  '@weekly': '0 0 0 ? * SUN',
  '@daily': '0 0 0 * * ?',
  '@midnight': '0 0 0 * * ?',
  '@hourly': '0 0 * * * ?',
};

const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

/** Returns the Quartz form of a nickname such as `@daily` or of an expression with the five fields of cron, if there is one. */
export function quartzOf(text: string): string | undefined {
  const found = nicknames[text.trim().toLowerCase()] ?? fromFiveFields(text.trim().split(/\s+/));
  return found !== undefined && findQuartzProblem(found) === undefined ? found : undefined;
}

function fromFiveFields(fields: readonly string[]): string | undefined {
  const [minute, hour, day = '', month, weekday = ''] = fields;
  if (fields.length !== 5) return undefined;
  // cron counts weekdays from Sunday as 0, Quartz from 1; numbers of steps are no weekdays.
  const named = weekday.replace(/(?<!\/)\b[0-7]\b/g, (number) => days[Number(number)] ?? number).toUpperCase();
  const isEveryDay = day === '*' || day === '?';
  const isEveryWeekday = named === '*' || named === '?';
  // If both are given, cron runs on either, for which Quartz has no expression.
  if (!isEveryDay && !isEveryWeekday) return undefined;
  return ['0', minute, hour, isEveryWeekday ? day : '?', month, isEveryWeekday ? '?' : named].join(' ');
}
