import { findQuartzProblem } from '../../shared/quartz/quartz.ts';
import { similarNames } from '../../shared/similarNames.ts';

const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

const macros: Readonly<Record<string, string>> = {
  '@hourly': '0 0 * * * ?',
  '@daily': '0 0 0 * * ?',
  '@weekly': '0 0 0 ? * SUN',
  '@monthly': '0 0 0 1 * ?',
  '@yearly': '0 0 0 1 1 ?',
};

/** The Quartz expression that is meant: by one of Unix with its five fields or its name, two days that say nothing, or a day or month that is mistyped. */
export function mendCron(expression: string): string | undefined {
  const written = expression.trim().split(/\s+/);
  const macro = macros[expression.trim()];
  if (macro !== undefined) return macro;
  const isUnix = written.length === 5;
  const fields = isUnix ? ['0', ...written] : [...written];
  if (fields.length < 6) return undefined;
  if (fields[2] === '24') fields[2] = '0';
  fields[4] = withNames(fields[4] ?? '', months);
  // Unix counts the days of the week from 0, Quartz from 1.
  const week = isUnix
    ? (fields[5] ?? '').replace(/(?<![/#])\b[0-7]\b/g, (day) => days[Number(day) % 7] ?? day)
    : (fields[5] ?? '');
  fields[5] = withNames(week, days);
  const [ofMonth, ofWeek] = [fields[3], fields[5]];
  if (ofWeek === '*' && ofMonth !== '?') fields[5] = '?';
  else if (ofMonth === '*' && ofWeek !== '?') fields[3] = '?';
  else if (ofMonth === '?' && ofWeek === '?') fields[3] = '*';
  const mended = fields.join(' ');
  return mended === expression || findQuartzProblem(mended) ? undefined : mended;
}

function withNames(field: string, names: readonly string[]): string {
  return field.replace(/[A-Za-z]{3,9}/g, (word) => {
    const name = word.slice(0, 3).toUpperCase();
    return names.includes(name) ? name : (similarNames(name, names, 1)[0] ?? word);
  });
}
