import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../../../src/shared/errors.ts';
import {
  findQuartzProblem,
  findTimeZoneProblem,
  nextFireTimes,
  QuartzError,
} from '../../../../src/shared/quartz/quartz.ts';

interface Vector {
  timezoneId: string;
  expression: string;
  start: string;
  count: number;
  answer: string;
}

function readVectors(file: string): Vector[] {
  const text = readFileSync(path.join('test', 'fixtures', file), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [timezoneId = '', expression = '', start = '', count = '', answer = ''] = line.split('\t');
      return { timezoneId, expression, start, count: Number(count), answer };
    });
}

function answer({ timezoneId, expression, start, count }: Vector): string {
  try {
    const times = isoTimes(expression, timezoneId, start, count);
    return (times.length < count ? [...times, 'null'] : times).join(' ');
  } catch (error) {
    if (error instanceof QuartzError) return 'ERR';
    throw error;
  }
}

function isoTimes(expression: string, timezoneId: string, start: string, count: number): string[] {
  return nextFireTimes(expression, timezoneId, Date.parse(start), count).map((time) =>
    new Date(time).toISOString().replace('.000Z', 'Z'),
  );
}

function problem(expression: string): QuartzError {
  const found = findQuartzProblem(expression);
  assert.ok(found, `"${expression}" should be refused`);
  return found;
}

describe('nextFireTimes', () => {
  for (const [file, size] of [
    ['quartz-vectors.tsv', 772],
    ['quartz-odd-vectors.tsv', 500],
  ] as const) {
    it('counts the days before the last one from the month, and compares them as the scheduler does', () => {
      const days = (expression: string): string[] =>
        nextFireTimes(expression, 'UTC', Date.UTC(2026, 0, 31), 3).map((time) =>
          new Date(time).toISOString().slice(5, 10),
        );
      assert.deepEqual(days('0 0 0 L-3 * ?'), ['02-25', '03-28', '04-27']);
      assert.deepEqual(days('0 0 0 26,L-3 2 ?').slice(0, 1), ['02-26']);
    });

    it(`answers as Quartz does: ${file}`, () => {
      const vectors = readVectors(file);
      assert.equal(vectors.length, size);
      const wrong = vectors
        .map((vector) => ({ ...vector, expected: vector.answer.replace(/^ERR.*/, 'ERR'), actual: answer(vector) }))
        .filter(({ expected, actual }) => expected !== actual);
      assert.deepEqual(wrong, []);
    });
  }

  it('is strictly later than the start, to the millisecond', () => {
    const noon = Date.parse('2026-06-01T12:00:00Z');
    const day = 86_400_000;
    assert.deepEqual(nextFireTimes('0 0 12 * * ?', 'UTC', noon - 1, 1), [noon]);
    assert.deepEqual(nextFireTimes('0 0 12 * * ?', 'UTC', noon, 1), [noon + day]);
    assert.deepEqual(nextFireTimes('0 0 12 * * ?', 'UTC', noon, 0), []);
  });

  it('skips a local time that does not exist', () => {
    assert.deepEqual(isoTimes('0 30 2 * * ?', 'Europe/Berlin', '2026-03-28T00:00:00Z', 2), [
      '2026-03-28T01:30:00Z',
      '2026-03-30T00:30:00Z',
    ]);
  });

  it('fires once, the second time, at a local time that happens twice', () => {
    assert.deepEqual(isoTimes('0 30 2 * * ?', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2), [
      '2026-10-25T01:30:00Z',
      '2026-10-26T01:30:00Z',
    ]);
  });

  it('ends for schedules that never fire', () => {
    for (const expression of [
      '0 0 0 30 2 ? *',
      '0 0 0 31 2 ?',
      '0 0 0 31W 4,6 ?',
      '0 0 0 * * ? 2020',
      '0 0 0 0W * ?',
    ]) {
      assert.deepEqual(isoTimes(expression, 'America/New_York', '2026-01-01T00:00:00Z', 3), [], expression);
    }
  });

  it('looks no further than the last year', () => {
    const start = Date.parse('2026-01-01T00:00:00Z');
    assert.deepEqual(nextFireTimes('0 0 0 1 1 ? 2100', 'UTC', start, 2, { lastYear: 2099 }), []);
    assert.deepEqual(nextFireTimes('0 0 0 1 1 ? 2100', 'UTC', start, 2, { lastYear: 2126 }), [Date.UTC(2100, 0, 1)]);
  });

  it('takes fixed offsets and aliases as time zones', () => {
    const start = '2026-01-01T00:00:00Z';
    assert.deepEqual(isoTimes('0 0 12 * * ?', 'GMT+5:30', start, 1), ['2026-01-01T06:30:00Z']);
    assert.deepEqual(isoTimes('0 0 12 * * ?', 'GMT-0800', start, 1), ['2026-01-01T20:00:00Z']);
    assert.deepEqual(isoTimes('0 0 12 * * ?', 'PST', start, 1), ['2026-01-01T20:00:00Z']);
    assert.deepEqual(isoTimes('0 0 12 * * ?', 'Etc/GMT+3', start, 1), ['2026-01-01T15:00:00Z']);
  });

  it('finds a change of the clock that is not on a quarter of an hour', () => {
    // St. John's changed its clocks at 00:01 local time until 2011.
    assert.deepEqual(isoTimes('0 0/30 0 13 3 ? 2011', 'America/St_Johns', '2011-03-01T00:00:00Z', 3), [
      '2011-03-13T03:30:00Z',
    ]);
  });
});

describe('findQuartzProblem', () => {
  /** Expression, field, offending text. */
  const table: readonly (readonly [string, string, string])[] = [
    ['', 'expression', ''],
    ['* * * * *', 'expression', '* * * * *'],
    ['0 0 0 * * ? 2026 extra words', 'expression', 'extra words'],
    ['60 0 0 * * ?', 'seconds', '60'],
    ['0 5,60,7 0 * * ?', 'minutes', '60'],
    ['0 /60 0 * * ?', 'minutes', '/60'],
    ['0 0 24 * * ?', 'hours', '24'],
    ['0 0 1-24 * * ?', 'hours', '1-24'],
    ['0 0 0/24 * * ?', 'hours', '0/24'],
    ['0  0\t? * * ?', 'hours', '?'],
    ['0 0 L * * ?', 'hours', 'L'],
    ['0 0 0 32 * ?', 'dayOfMonth', '32'],
    ['0 0 0 1,L-31 * ?', 'dayOfMonth', 'L-31'],
    ['0 0 0 L- * ?', 'dayOfMonth', 'L-'],
    ['0 0 0 1l * ?', 'dayOfMonth', '1l'],
    ['0 0 0 32W * ?', 'dayOfMonth', '32W'],
    ['0 0 0 1#2 * ?', 'dayOfMonth', '1#2'],
    ['0 0 0 W * ?', 'dayOfMonth', 'W'],
    ['0 0 0 1 13 ?', 'month', '13'],
    ['0 0 0 1 jan-foo ?', 'month', 'jan-foo'],
    ['0 0 0 1 JA ?', 'month', 'JA'],
    ['0 0 0 1 L ?', 'month', 'L'],
    ['0 0 0 1 , ?', 'month', ','],
    ['0 0 0 1 5- ?', 'month', '5-'],
    ['0 0 0 1 1/x ?', 'month', '1/x'],
    ['0 0 0 1 1-5/ ?', 'month', '1-5/'],
    ['0 0 0 ? * 0', 'dayOfWeek', '0'],
    ['0 0 0 ? * 8L', 'dayOfWeek', '8L'],
    ['0 0 0 ? * MON,6L', 'dayOfWeek', 'MON,6L'],
    ['0 0 0 ? * 2#1,4#2', 'dayOfWeek', '2#1,4#2'],
    ['0 0 0 ? * mon#6', 'dayOfWeek', 'mon#6'],
    ['0 0 0 ? * 3W', 'dayOfWeek', '3W'],
    ['0 0 0 ? * ?', 'dayOfWeek', '?'],
    ['0 0 0 1 * MON', 'dayOfWeek', 'MON'],
    ['0 0 0 * * *', 'dayOfWeek', '*'],
    ['0 0 0 * * ?5x', 'dayOfWeek', '?5x'],
    ['0 0 0 * * ? 2027-2026', 'year', '2027-2026'],
    ['0 0 0 * * ? 99999999999', 'year', '99999999999'],
    ['0 0 0 * * ? &', 'year', '&'],
  ];

  for (const [expression, field, value] of table) {
    it(`underlines ${JSON.stringify(value)} in ${JSON.stringify(expression)}`, () => {
      const error = problem(expression);
      assert.ok(error instanceof AppError);
      assert.equal(error.kind, 'invalid');
      assert.equal(error.problem.field, field);
      assert.equal(error.problem.value, value);
      assert.equal(expression.slice(error.problem.start, error.problem.end), value);
      assert.ok(error.message.includes(value), error.message);
      assert.ok(error.remedy);
    });
  }

  it('names the field, the value and the remedy', () => {
    const error = problem('0 61 0 * * ?');
    assert.equal(error.message, 'The minutes field, "61", has the value 61, which is not from 0 to 59.');
    assert.equal(error.remedy, 'Write values from 0 to 59.');
  });

  for (const [expression, message, remedy] of [
    [
      '0 0 L * * ?',
      /^The hours field, "L", cannot use L\.$/,
      /^Write values from 0 to 23.*; L is for day-of-month and day-of-week\.$/,
    ],
    ['0 0 0 1L * ?', /cannot use L after a number/, /^Write "L" or "L-3" without a day before it\.$/],
    ['0 0 1L * * ?', /cannot use L after a number/, /^Write values from 0 to 23/],
    ['0 0 0 ? * 3W', /cannot use W/, /; W is for day-of-month\.$/],
    ['0 0 0 3#2 * ?', /cannot use #/, /; # is for day-of-week\.$/],
    ['0 0 0 ? * 2#', /needs a number from 1 to 5 after #/, /"2#1" for the first Monday/],
    ['0 0/75 0 * * ?', /has the step 75, which is too large/, /^Write a step from 1 to 59\.$/],
    ['0 0 0 L-40 * ?', /goes 40 days back from the last day of the month/, /from 0 to 30 after "L-"/],
    ['0 0 0 1 1 ? 2300/2', /starts after \d{4}, the last possible year/, /the smaller year first\.$/],
    ['0 0 0 1 1 ? 2040-2030', /has a range that ends before it starts/, /the smaller year first\.$/],
    [
      '0 0 0 ? * ?',
      /Both the day-of-month and the day-of-week field are "\?"/,
      /^Write "\*" instead of one of the two\.$/,
    ],
    ['0 0 0 1 * MON', /Both .* choose days; the day-of-week field is "MON"/, /^Write "\?" in one of the two\.$/],
    ['0 0 0 1 FOO ?', /has the unknown name "FOO"/, /^Write /],
    ['0 0 0 1 1-70 ?', /has the value 70, which is not from 1 to 12/, /^Write /],
    ['0 MON 0 1 1 ?', /holds letters, which have no meaning there/, /^Write values from 0 to 59/],
  ] as const)
    it(`says of ${expression} what is wrong, and what to write`, () => {
      const error = problem(expression);
      assert.match(error.message, message);
      assert.match(error.remedy ?? '', remedy);
    });

  it('accepts what Quartz lets pass', () => {
    const accepted = [
      '0 0 0 1,L * ?',
      '0 0 0 1,15W * ?',
      '0 0 0 ? * MON-FRI/2',
      '0 0 22-2 * * ?',
      '0\t0  12 * * ?\n',
      '*/0 5X 0 ? JANUARY monday',
    ];
    for (const expression of accepted) assert.equal(findQuartzProblem(expression), undefined, expression);
  });
});

describe('findTimeZoneProblem', () => {
  it('accepts ids of the time zone database', () => {
    for (const id of [
      'UTC',
      'GMT',
      'Etc/UTC',
      'Europe/Berlin',
      'US/Eastern',
      'America/Argentina/Buenos_Aires',
      'EST5EDT',
    ]) {
      assert.equal(findTimeZoneProblem(id), undefined, id);
    }
  });

  it('refuses anything else and says where ids come from', () => {
    for (const id of ['', 'Mars/Olympus', '+02:00', 'GMT+24', 'us/eastern']) {
      const error = findTimeZoneProblem(id);
      assert.ok(error, id);
      assert.equal(error.kind, 'invalid');
      assert.equal(error.problem.field, 'timezone');
      assert.match(error.remedy ?? '', /IANA time zone database/);
    }
  });

  it('knows the id that was meant when only the letter case is wrong', () => {
    assert.match(findTimeZoneProblem('europe/berlin')?.remedy ?? '', /"Europe\/Berlin"/);
    assert.throws(() => nextFireTimes('0 0 0 * * ?', 'europe/berlin', 0, 1), QuartzError);
  });
});

describe('borders of a schedule', () => {
  const refused = (expression: string): boolean => findQuartzProblem(expression) !== undefined;
  const days = (expression: string, from: string, zone = 'UTC', count = 2): string[] =>
    nextFireTimes(expression, zone, Date.parse(from), count).map((time) => new Date(time).toISOString().slice(0, 16));

  for (const [right, wrong] of [
    ['59 59 23 31 12 ?', '60 59 23 31 12 ?'],
    ['0 59 0 1 1 ?', '0 60 0 1 1 ?'],
    ['0 0 23 1 1 ?', '0 0 24 1 1 ?'],
    ['0 0 0 31 1 ?', '0 0 0 32 1 ?'],
    ['0 0 0 1 1 ?', '0 0 0 0 1 ?'],
    ['0 0 0 1 12 ?', '0 0 0 1 13 ?'],
    ['0 0 0 1 1 ?', '0 0 0 1 0 ?'],
    ['0 0 0 ? * 7', '0 0 0 ? * 8'],
    ['0 0 0 ? * 1', '0 0 0 ? * 0'],
    ['0/59 0 0 1 1 ?', '0/60 0 0 1 1 ?'],
    ['0 0/59 0 1 1 ?', '0 0/60 0 1 1 ?'],
    ['0 0 0/23 1 1 ?', '0 0 0/24 1 1 ?'],
    ['0 0 0 1/31 1 ?', '0 0 0 1/32 1 ?'],
    ['0 0 0 1 1/12 ?', '0 0 0 1 1/13 ?'],
    ['0 0 0 ? * 1/7', '0 0 0 ? * 1/8'],
    ['0 0 0 L-30 * ?', '0 0 0 L-31 * ?'],
    ['0 0 0 31W * ?', '0 0 0 32W * ?'],
    ['0 0/15x 0 1 1 ?', '0 0/5x 0 1 1 ?'],
    ['0 0 0 ? * 7L', '0 0 0 ? * 8L'],
    ['0 0 0 ? * 2#5', '0 0 0 ? * 2#6'],
    ['0 0 0 ? * FRIL', '0 0 0 ? * XXXL'],
    ['0 0 0 1 NOV-FEB ?', '0 0 0 1 NOV-XXX ?'],
    ['0 0 0 1 11-2 ?', '0 0 0 1 11-13 ?'],
    ['0 0 0 1 1 ? 2030-2031', '0 0 0 1 1 ? 2031-2030'],
    ['0 0 0 ?, * 2', '0 0 0 ?ab * 2'],
    ['0 0 0 ?a * 2', '0 0 0 ?aa * 2'],
    ['0 0 0 * * ? 2147483647', '0 0 0 * * ? 2147483648'],
  ] as const)
    it(`"${right}" is taken and "${wrong}" is not`, () =>
      assert.deepEqual([refused(right), refused(wrong)], [false, true]));

  it('what is too much is named without the white space around it', () => {
    const problem = findQuartzProblem('0 0 0 1 1 ? 2030  more and more \t ')?.problem;
    assert.deepEqual([problem?.value, problem?.start, problem?.end], ['more and more', 18, 31]);
  });

  it('centuries leap only every fourth time', () => {
    assert.deepEqual(
      nextFireTimes('0 0 0 29 2 ?', 'UTC', Date.UTC(1999, 0, 1), 1).map((time) =>
        new Date(time).toISOString().slice(0, 10),
      ),
      ['2000-02-29'],
    );
    assert.deepEqual(
      nextFireTimes('0 0 0 29 2 ?', 'UTC', Date.UTC(2097, 0, 1), 1, { lastYear: 2110 }).map((time) =>
        new Date(time).toISOString().slice(0, 10),
      ),
      ['2104-02-29'],
    );
  });

  it('the scheduler looks a hundred years ahead and no further', () => {
    const year = new Date().getFullYear();
    assert.equal(nextFireTimes(`0 0 0 1 1 ? ${year + 100}`, 'UTC', Date.now(), 1).length, 1);
    assert.equal(
      refused(`0 0 0 1 1 ? ${year + 101}`) ||
        nextFireTimes(`0 0 0 1 1 ? ${year + 101}`, 'UTC', Date.now(), 1).length === 0,
      true,
    );
  });

  it('a zone that differs in its letters alone is told with the right ones', () => {
    const found = findTimeZoneProblem('europe/berlin');
    assert.deepEqual([found?.kind, found?.remedy], ['invalid', 'Write "Europe/Berlin": upper and lower case matter.']);
    assert.ok(findTimeZoneProblem('EUROPE/BERLIN'));
    assert.equal(findTimeZoneProblem('Europe/Berlin'), undefined);
    assert.ok(findTimeZoneProblem('GMT+24'));
    assert.equal(findTimeZoneProblem('GMT+23:59'), undefined);
  });

  it('fixed offsets count the other way than the clock', () => {
    assert.deepEqual(days('0 0 12 * * ?', '2026-01-01T00:00:00Z', 'GMT+5:30', 1), ['2026-01-01T06:30']);
    assert.deepEqual(days('0 0 12 * * ?', '2026-01-01T00:00:00Z', 'GMT-5', 1), ['2026-01-01T17:00']);
  });

  it('the pause of daylight saving of four weeks is not overlooked', () => {
    assert.deepEqual(days('0 0 12 * * ?', '2020-04-18T00:00:00Z', 'Africa/Casablanca', 2), [
      '2020-04-18T11:00',
      '2020-04-19T12:00',
    ]);
    assert.deepEqual(days('0 0 12 * * ?', '2020-05-30T00:00:00Z', 'Africa/Casablanca', 2), [
      '2020-05-30T12:00',
      '2020-05-31T11:00',
    ]);
  });

  it('a change of the clock at an odd second is found to the second', () => {
    // Liberia left its mean time of -0:44:30 on 7 January 1972.
    assert.deepEqual(
      nextFireTimes('0 0 12 * * ?', 'Africa/Monrovia', Date.UTC(1972, 0, 5), 3).map((time) =>
        new Date(time).toISOString(),
      ),
      ['1972-01-05T12:44:30.000Z', '1972-01-06T12:44:30.000Z', '1972-01-07T12:00:00.000Z'],
    );
  });

  it('what is no text is a defect, and no problem of the expression', () => {
    assert.throws(() => findQuartzProblem(undefined as never), TypeError);
  });
});
