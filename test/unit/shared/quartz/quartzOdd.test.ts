import assert from 'node:assert/strict';
import { findQuartzProblem, nextFireTimes } from '../../../../src/shared/quartz/quartz.ts';
import { describeCron } from '../../../../src/shared/quartz/quartzWords.ts';

const times = (expression: string, from: string, count = 2): string[] =>
  nextFireTimes(expression, 'UTC', Date.parse(from), count).map((time) => new Date(time).toISOString().slice(0, 19));
const refused = (expression: string): string | undefined => findQuartzProblem(expression)?.problem.value;

describe('what the scheduler lets pass, and what it then does', () => {
  for (const [expression, from, expected] of [
    // Characters behind a star are nothing.
    ['*5 0 0 1 1 ?', '2026-01-01T00:00:00Z', ['2026-01-01T00:00:01', '2026-01-01T00:00:02']],
    ['0 0 0 L-W * ?', '2026-01-01T00:00:00Z', ['2026-01-30T00:00:00', '2026-02-27T00:00:00']],
    ['0 0 0 1 L,3 ?', '2026-01-01T00:00:00Z', ['2026-03-01T00:00:00', '2027-03-01T00:00:00']],
    ['0 0 0 L-30 * ?', '2026-01-01T00:00:00Z', ['2026-03-01T00:00:00', '2026-05-01T00:00:00']],
    // The years whose number ends with 00 are leap years every 400 years.
    ['0 0 0 L 2 ?', '2099-06-01T00:00:00Z', ['2100-02-28T00:00:00', '2101-02-28T00:00:00']],
    ['0 0 0 L 2 ?', '1999-06-01T00:00:00Z', ['2000-02-29T00:00:00', '2001-02-28T00:00:00']],
    ['0 0 0 29 2 ?', '2096-06-01T00:00:00Z', ['2104-02-29T00:00:00', '2108-02-29T00:00:00']],
    ['0 0 0 28,L-3 2 ?', '2026-01-31T00:00:00Z', ['2026-02-25T00:00:00', '2026-02-28T00:00:00']],
    // It goes to the weekday without going back to the beginning of that day.
    ['0 0 6,18 15,15W * ?', '2026-01-10T12:00:00Z', ['2026-01-15T18:00:00', '2026-02-15T06:00:00']],
    ['0 0 0 31W * ?', '2026-05-01T00:00:00Z', ['2026-05-29T00:00:00', '2026-07-31T00:00:00']],
    ['0 0 0 1 1 ? 2030-2147483647', '2026-01-01T00:00:00Z', ['2030-01-01T00:00:00', '2031-01-01T00:00:00']],
  ] as const)
    it(`${expression} fires at ${expected[0]}`, () => assert.deepEqual(times(expression, from), expected));

  for (const [right, wrong, value] of [
    ['0 0 0 ? * 9#1', '0 0 0 ? * 9', '9'],
    ['0 0 0 ? * 1L', '0 0 0 ? * 0L', '0L'],
    ['99 0 0 * * ?', '98 0 0 * * ?', '98'],
    ['0 0 0 ? * 2', '0 0 98 ? * 2', '98'],
    ['0 0 0 98 * MON', '0 0 0 97 * ?', '97'],
    ['0 0 0 L-W * ?', '0 0 0 L- * ?', 'L-'],
    ['0 0 0 ? * 6L', '0 0 0 ? * L,6', 'L,6'],
    ['0 0 0 * * ? ,', '0 , 0 * * ?', ','],
    ['0 0 0 * 1/12 ?', '0 0 0 * 1/13 ?', '1/13'],
    ['*/59 0 0 * * ?', '*/60 0 0 * * ?', '*/60'],
    ['0 0 0 ? * 2#5', '0 0 0 ? * 2#6', '2#6'],
    ['0 0 0 ?1 * 2', '0 0 0 ?12 * 2', '?12'],
    ['0 0 0 * * ?\n', '0 0 0 * * 8\r\n', '8'],
    ['0 0 0 * 1-12 ?', '0 0 0 * 1-13 ?', '1-13'],
  ] as const)
    it(`"${right.trim()}" is taken and "${wrong.trim()}" is not`, () =>
      assert.deepEqual([refused(right), refused(wrong)], [undefined, value]));
});

describe('words of schedules that are seldom', () => {
  for (const [expression, words] of [
    ['0 0 9-11 * * ?', 'At 09:00, 10:00 and 11:00 every day'],
    ['0 0 9-12 * * ?', 'Every hour from 09:00 to 12:00, every day'],
    ['0 0 9-12 ? * MON', 'Every hour from 09:00 to 12:00 on Mondays'],
    ['2 0 * * * ?', 'At 2 seconds past every hour'],
    ['0 2 * * * ?', 'At 2 minutes past every hour'],
    ['*/10 50-10 9 * * ?', 'Every 10 seconds during every minute from 50 to 10 past 09:00, every day'],
    ['*/10 50-59 9 * * ?', 'Every 10 seconds from 09:50:00 to 09:59:50, every day'],
    ['*/10 50-59 9,11 * * ?', 'Every 10 seconds during every minute from 50 to 59 past 09:00 and 11:00, every day'],
    ['1-4 * 9 * * ?', 'At every second from 1 to 4 of every minute past 09:00 every day'],
    ['1-3 * 9 * * ?', 'At seconds 1, 2 and 3 of every minute past 09:00 every day'],
    ['15/15 * * * * ?', 'At seconds 15, 30 and 45 of every minute'],
    ['15 */20 * * * ?', 'Every 20 minutes at second 15'],
    ['0 0 */4 ? * 2#1', 'Every 4 hours from 00:00 to 20:00 on the first Monday of every month'],
    ['0 0 22-3 * * ?', 'Every hour from 22:00 to 03:00, every day'],
    ['0 0 0 * * ? 2026', 'At 00:00 every day, in 2026'],
    ['0 0 0 1-3 * ?', 'At 00:00 on the 1st, the 2nd and the 3rd of every month'],
    ['0 0 0 ? JAN-FEB MON', 'At 00:00 on Mondays in January and February'],
    ['0 0 0 ? * MON-TUE', 'At 00:00 on Mondays and Tuesdays'],
    ['0 0 0 30W * ?', 'At 00:00 on the weekday nearest to the 30th of every month that has it'],
    ['0 0 0 30 1 ?', 'At 00:00 on the 30th of January'],
    ['0 0 0 28,31 * ?', 'At 00:00 on the 28th and the 31st of every month'],
    ['0 0 0 ? 2 MON#5', 'At 00:00 on the fifth Monday of February'],
    ['0 0 0 * * ? 1970-2000', 'At 00:00 every day, 1970 to 2000'],
  ] as const)
    it(`${expression} is "${words}"`, () => assert.equal(describeCron(expression, 'UTC'), `${words}, UTC`));
});
