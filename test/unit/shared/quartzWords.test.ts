import assert from 'node:assert/strict';
import { QuartzError } from '../../../src/shared/quartz/quartz.ts';
import { describeCron } from '../../../src/shared/quartz/quartzWords.ts';

const table: readonly (readonly [expression: string, words: string])[] = [
  ['0 30 2 LW * ?', 'At 02:30 on the last weekday of every month'],
  ['0 0 12 * * ?', 'At 12:00 every day'],
  ['0 0 12 ? * MON,TUE,WED,THU,FRI,SAT,SUN', 'At 12:00 every day'],
  ['0 0 * * * ?', 'Every hour'],
  ['0 30 * * * ?', 'At 30 minutes past every hour'],
  ['30 1 * * * ?', 'At 1 minute and 30 seconds past every hour'],
  ['* * * * * ?', 'Every second'],
  ['0 * * * * ?', 'Every minute'],
  ['0 */5 * * * ?', 'Every 5 minutes'],
  ['0 2/5 * * * ?', 'Every 5 minutes from minute 2 of every hour'],
  ['0 */7 * * * ?', 'At every 7th minute from 0 to 56 past every hour'],
  ['0 10-50 * * * ?', 'At every minute from 10 to 50 past every hour'],
  ['0 0 */2 * * ?', 'Every 2 hours from 00:00 to 22:00, every day'],
  ['0 30 1/4 * * ?', 'Every 4 hours from 01:30 to 21:30, every day'],
  ['0 0/5 9-17 * * ?', 'Every 5 minutes from 09:00 to 17:55, every day'],
  ['0 * 22-2 * * ?', 'Every minute from 22:00 to 02:59, every day'],
  ['0 0 9-17 ? * MON-FRI', 'Every hour from 09:00 to 17:00, Monday to Friday'],
  ['0 0 9,12,17 * * ?', 'At 09:00, 12:00 and 17:00 every day'],
  ['0 7,22,38 9,12,17 * * ?', 'At minutes 7, 22 and 38 past 09:00, 12:00 and 17:00 every day'],
  ['0 */7 9-17 * * ?', 'At every 7th minute from 0 to 56 past every hour from 09:00 to 17:00 every day'],
  ['15 30 8 * * ?', 'At 08:30:15 every day'],
  ['0/20 0 12 ? 2,12 6L *', 'Every 20 seconds from 12:00:00 to 12:00:40 on the last Friday of February and December'],
  ['0/20 30 * * * ?', 'Every 20 seconds during minute 30 past every hour'],
  ['*/10 * 9-17 * * ?', 'Every 10 seconds from 09:00 to 17:59:50, every day'],
  ['5/20 1/4 2,5 * * ?', 'At seconds 5, 25 and 45 of every 4th minute from 1 to 57 past 02:00 and 05:00 every day'],
  ['10-40 * 8 * * ?', 'At every second from 10 to 40 of every minute past 08:00 every day'],
  ['0 0 0 1 * ?', 'At 00:00 on the 1st of every month'],
  ['0 0 0 L * ?', 'At 00:00 on the last day of every month'],
  ['0 0 0 L-3 * ?', 'At 00:00 on the day 3 days before the last day of every month'],
  ['0 0 0 L-3W * ?', 'At 00:00 on the weekday nearest to the day 3 days before the last day of every month'],
  ['0 0 0 15W * ?', 'At 00:00 on the weekday nearest to the 15th of every month'],
  ['0 0 0 5,LW 2 ?', 'At 00:00 on the 5th and the last weekday of February'],
  ['0 0 0 31 * ?', 'At 00:00 on the 31st of every month with this day'],
  ['0 0 0 10-20 1 ?', 'At 00:00 on the 10th to the 20th of January'],
  ['0 0 0 1/5 2,12 ?', 'At 00:00 on every 5th day from the 1st to the 31st of February and December'],
  ['0 0 0 ? * MON', 'At 00:00 on Mondays'],
  ['0 0 0 ? * FRI-MON', 'At 00:00, Friday to Monday'],
  ['0 0 0 ? * 3/2', 'At 00:00 on Tuesdays, Thursdays and Saturdays'],
  ['0 0 0 ? * FRIL', 'At 00:00 on the last Friday of every month'],
  ['0 0 0 ? * L', 'At 00:00 on Saturdays'],
  ['0 0 0 ? * 6#3', 'At 00:00 on the third Friday of every month'],
  ['0 0 0 ? * MON#5', 'At 00:00 on the fifth Monday of every month with this day'],
  ['0 0 0 ? NOV-FEB SUN', 'At 00:00 on Sundays in November to February'],
  ['0 0 0 ? */3 MON-FRI', 'At 00:00, Monday to Friday, in January, April, July and October'],
  ['0 0 12 * 1,7 ?', 'At 12:00 every day in January and July'],
  ['0 0 1 ? * 2-6 2027', 'At 01:00, Monday to Friday, in 2027'],
  ['0 0 1 * * ? 2026-2028', 'At 01:00 every day, 2026 to 2028'],
  ['0 0 1 * * ? 2026/2', 'At 01:00 every day, every 2 years from 2026'],
  ['0 0 1 * * ? 2026-2036/5', 'At 01:00 every day, every 5 years from 2026 to 2036'],
  ['0 0 1 , * ?', 'At 01:00 on no day'],
  ['0 0 1 * * ? ,', 'At 01:00 every day, never'],
  ['0 0 1 ? * MON-WED,FRI', 'At 01:00 on Mondays, Tuesdays, Wednesdays and Fridays'],
  [
    '0 0 1 2,4-6,L-2,10W * ?',
    'At 01:00 on the 2nd, the 4th, the 5th, the 6th, the day 2 days before the last day and the weekday nearest to the 10th of every month',
  ],
  ['30 */5 9-17 * * ?', 'Every 5 minutes from 09:00:30 to 17:55:30, every day'],
  ['0 15,45 */2 * * ?', 'At minutes 15 and 45 past every 2nd hour from 00:00 to 22:00 every day'],
  ['0 0 0 21-23 * ?', 'At 00:00 on the 21st, the 22nd and the 23rd of every month'],
  ['0 7 1,3,4,9,12,15,20 * * ?', 'At 01:07, 03:07, 04:07, 09:07, 12:07, 15:07 and 20:07 every day'],
  ['0 7,9,38,39,41,50,55 9 * * ?', 'At minutes 7, 9, 38, 39, 41, 50 and 55 past 09:00 every day'],
];

describe('describeCron', () => {
  for (const [expression, words] of table) {
    it(`${expression} is "${words}"`, () => {
      assert.equal(describeCron(expression, 'UTC'), `${words}, UTC`);
    });
  }

  it('ends with the time zone', () => {
    assert.equal(
      describeCron('0 30 2 LW * ?', 'Europe/Berlin'),
      'At 02:30 on the last weekday of every month, Europe/Berlin',
    );
  });

  it('throws for invalid expressions', () => {
    assert.throws(() => describeCron('0 60 2 * * ?', 'UTC'), QuartzError);
    assert.throws(() => describeCron('0 0 2 * * ?', 'Nowhere'), QuartzError);
  });
});
