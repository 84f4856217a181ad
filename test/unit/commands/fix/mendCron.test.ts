import assert from 'node:assert/strict';
import { mendCron } from '../../../../src/commands/fix/jobRules.ts';

describe('a cron expression that the scheduler refuses', () => {
  const cases: readonly (readonly [written: string, meant: string | undefined])[] = [
    ['0 30 7 * * *', '0 30 7 * * ?'],
    ['30 7 * * *', '0 30 7 * * ?'],
    ['0 6 * * 1-5', '0 0 6 ? * MON-FRI'],
    ['0 6 * * 0', '0 0 6 ? * SUN'],
    ['0 0 8 ? * MON-FRY', '0 0 8 ? * MON-FRI'],
    ['0 0 8 ? * monday', '0 0 8 ? * MON'],
    ['0 0 8 1 JANUARY *', '0 0 8 1 JAN ?'],
    ['0 0 8 ? * ?', '0 0 8 * * ?'],
    ['  0   6 * * 1,3 ', '0 0 6 ? * MON,WED'],
    ['0 6 1 * *', '0 0 6 1 * ?'],
    ['*/5 6 * * *', '0 */5 6 * * ?'],
    ['0 6 * * 7', '0 0 6 ? * SUN'],
    ['0 6 * jan-feb sun', '0 0 6 ? JAN-FEB SUN'],
    ['0 0 8 1 * MON', undefined],
    ['0 0 8 ? * 2', undefined],
    ['0 0 8 * * MON#2', '0 0 8 ? * MON#2'],
    ['0 0 8 L * *', '0 0 8 L * ?'],
    ['0 0 8 ? * *', undefined],
    ['0 0 8 * *', '0 0 0 8 * ?'],
    ['0 0 8 *', undefined],
    ['0 0 25 * * ?', undefined],
    ['every day', undefined],
    ['@hourly', '0 0 * * * ?'],
    [' @daily\n', '0 0 0 * * ?'],
    ['@weekly', '0 0 0 ? * SUN'],
    ['@monthly', '0 0 0 1 * ?'],
    ['@yearly', '0 0 0 1 1 ?'],
    ['@never', undefined],
    ['0 0 8 * * ?', undefined],
  ];
  for (const [written, meant] of cases)
    it(`${written} ${meant === undefined ? 'is left alone' : `is ${meant}`}`, () =>
      assert.equal(mendCron(written), meant));
});
