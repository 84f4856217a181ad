import assert from 'node:assert/strict';
import { findQuartzProblem, nextFireTimes } from '../../../../src/shared/quartz/quartz.ts';
import { lastQuartzYear } from '../../../../src/shared/quartz/quartzParser.ts';
import { describeCron } from '../../../../src/shared/quartz/quartzWords.ts';
import { assertApproved } from '../../../support/approved.ts';

const afterMs = Date.UTC(2026, 0, 30, 22, 59, 30);

/** What a user is told of an expression: its words and when it fires next, or what is wrong with it. */
function told(expression: string, zone = 'UTC'): string {
  const problem = findQuartzProblem(expression);
  if (problem) return `${expression} | ${problem.message}`;
  const times = nextFireTimes(expression, zone, afterMs, 3);
  return `${expression} | ${describeCron(expression, zone)} | ${times.map((time) => new Date(time).toISOString()).join(' ')}`;
}

const seconds = ['0', '5', '*', '*/15', '5/20', '10-30', '1,2,30', '*/7'];
const minutes = ['0', '7', '*', '*/10', '3/15', '10-50', '7,38', '0/25'];
const hours = ['0', '9', '*', '*/2', '1/6', '9-17', '8,12,18', '22-4', '*/5'];
const days = [
  '* * ?',
  '1 * ?',
  'L * ?',
  'LW * ?',
  '15W * ?',
  'L-3 * ?',
  '1,15 * ?',
  '10-20 * ?',
  '*/5 * ?',
  '2/10 * ?',
  '31 * ?',
  '? * MON',
  '? * MON-FRI',
  '? * SUN,SAT',
  '? * 2#1',
  '? * 6L',
  '? * L',
  '? * FRI#5',
  '? * 2/2',
  '? * SAT-MON',
];
const months = ['*', '1', 'JAN-MAR', 'FEB,APR', '*/3', '2/5', '11-2'];
const years = ['2026', '2027-2029', '2026/2', '2020', '*', '2026,2028'];

const wrong = [
  '',
  '* * * * *',
  '0 0 8 * * *',
  '0 0 8 ? * ?',
  '60 0 8 * * ?',
  '0 60 8 * * ?',
  '0 0 24 * * ?',
  '0 0 8 0 * ?',
  '0 0 8 32 * ?',
  '0 0 8 * 13 ?',
  '0 0 8 * 0 ?',
  '0 0 8 ? * 8',
  '0 0 8 ? * 0',
  '0 0 8 ? * MONDAY',
  '0 0 8 ? JANUAR MON',
  '0 0 8 ? * MON#6',
  '0 0 8 ? * MON#0',
  '0 0 8 ? * MON#1,TUE#2',
  '0 0 8 L-31 * ?',
  '0 0 8 32W * ?',
  '0 0 8 1W,2 * ?',
  '0 0 8 L,1 * ?',
  '0 0/60 8 * * ?',
  '0 /0 8 * * ?',
  '0 5-x 8 * * ?',
  '0 5- 8 * * ?',
  '0 , 8 * * ?',
  '0 0 8 * * ? 1969',
  '0 0 8 * * ? 2300',
  '0 0 8 * * ? x',
  '0 0 8 * * ? 2026 more',
  '0 ? 8 * * ?',
  '0 0 8 30 2 ?',
  '0 0 8 H * ?',
  '0 L 8 * * ?',
  '0 0 8 ? * MON,',
  '0 0 8 ? * MON-',
  '0 0 25 ? * 9',
  '@daily',
];

describe('expressions of Quartz, as their users are told of them', () => {
  it('at times of the day', () => {
    const all = seconds.flatMap((second) =>
      minutes.flatMap((minute) => hours.map((hour) => `${second} ${minute} ${hour} * * ?`)),
    );
    assertApproved('quartz-times', `${all.map((each) => told(each)).join('\n')}\n`);
  });

  it('on days, in months and years', () => {
    const all = [
      ...days.flatMap((day) => ['0 30 7', '0 */10 *'].map((time) => `${time} ${day}`)),
      ...months.flatMap((month) =>
        ['0 0 6 1 M ?', '0 0 6 ? M MON', '0 0 6 * M ?', '0 0 6 L M ?'].map((each) => each.replace('M', month)),
      ),
      ...years.flatMap((year) => [`0 0 6 1 1 ? ${year}`, `0 0 6 * * ? ${year}`]),
    ];
    assertApproved('quartz-days', `${all.map((each) => told(each)).join('\n')}\n`);
  });

  it('in zones where clocks are changed', () => {
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'GMT+5',
      'Etc/GMT+5',
      'EST',
    ];
    const all = zones.flatMap((zone) =>
      ['0 30 2 29 3 ?', '0 30 2 25 10 ?', '0 0 */6 * * ?'].map((each) => `${zone}: ${told(each, zone)}`),
    );
    assertApproved('quartz-zones', `${all.join('\n')}\n`);
  });

  it('that are none', () => {
    const all = wrong.map((each) => {
      const problem = findQuartzProblem(each);
      return problem
        ? JSON.stringify({ each, ...problem, message: problem.message, remedy: problem.remedy })
        : told(each);
    });
    // The last year goes with the present one.
    assertApproved('quartz-problems', `${all.join('\n').replaceAll(String(lastQuartzYear()), 'LAST')}\n`);
  });

  it('name the last year of a schedule that ends before all others do', () => {
    const last = lastQuartzYear();
    const words = [last - 2, last - 1, last].map((year) => describeCron(`0 0 8 * * ? 2026-${year}`, 'UTC'));
    assert.deepEqual(
      words.slice(0, 2).map((text) => / 2026 to (\d+)/.exec(text)?.[1]),
      [`${last - 2}`, `${last - 1}`],
    );
    assert.match(words[2] ?? '', /, from 2026 on, UTC$/);
  });
});
