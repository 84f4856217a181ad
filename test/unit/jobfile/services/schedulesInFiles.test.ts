import assert from 'node:assert/strict';
import { validateText } from '../../../../src/jobfile/services/validate.ts';
import type { Problem } from '../../../../src/jobfile/yaml/problem.ts';

const nowMs = Date.UTC(2026, 0, 1, 12);
const file = (cron: string, zone = 'UTC', more = ''): string =>
  `existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a"}\nschedule:\n  quartz_cron_expression: ${cron}\n  timezone_id: ${zone}\n${more}`;

describe('the schedule of a job file', () => {
  const problems = (text: string): readonly Problem[] => validateText(text, { nowMs });
  const told = (text: string): string[] =>
    problems(text).map(({ code, severity, start, end }) => `${code} ${severity} ${text.slice(start, end)}`);

  it('is marked at the wrong part of its expression, however that is written', () => {
    for (const [cron, mark] of [
      ['0 0 25 * * ?', '25'],
      ['"0 0 25 * * ?"', '25'],
      ["'0 61 * * * ?'", '61'],
      ['0 0 8 * *', '0 0 8 * *'],
      // The text is not written as it is read.
      ['"0 0 25 * * \\x3f"', '"0 0 25 * * \\x3f"'],
      ['|\n    0 0 25 * * ?', '|\n    0 0 25 * * ?'],
    ] as const)
      assert.deepEqual(told(file(cron)), [`cron error ${mark}`], cron);
    const [problem] = problems(file('0 0 25 * * ?'));
    assert.equal(
      problem?.message,
      'The hours field, "25", has the value 25, which is not from 0 to 23. Write values from 0 to 23.',
    );
  });

  it('is told the zone that may be meant, or what to write', () => {
    const [similar] = problems(file('0 0 8 * * ?', 'Europe/Berln'));
    assert.deepEqual(told(file('0 0 8 * * ?', 'Europe/Berln')), ['unknownTimezone error Europe/Berln']);
    assert.match(similar?.message ?? '', /Did you mean Europe\/Berlin\?$/);
    assert.equal(similar?.data?.replacements?.[0], 'Europe/Berlin');
    const [odd] = problems(file('0 0 8 * * ?', 'zzzzzzzz'));
    assert.deepEqual(odd?.data?.replacements, []);
    assert.doesNotMatch(odd?.message ?? '', /Did you mean/);
    assert.match(odd?.message ?? '', /\. \S.*\.$/);
  });

  it('is warned about where it never fires again, if all of it is right', () => {
    for (const [cron, zone, ...wanted] of [
      ['0 0 8 * * ? 2025', 'UTC', 'neverFires warning 0 0 8 * * ? 2025'],
      ['0 0 8 * * ? 2026', 'UTC'],
      ['0 0 11 1 1 ? 2026', 'UTC', 'neverFires warning 0 0 11 1 1 ? 2026'],
      ['0 0 13 1 1 ? 2026', 'UTC'],
      ['0 0 13 1 1 ? 2026', 'Asia/Tokyo', 'neverFires warning 0 0 13 1 1 ? 2026'],
      ['0 0 11 1 1 ? 2026', 'America/New_York'],
      ['0 0 8 * * ? 2025', 'Nowhere', 'unknownTimezone error Nowhere'],
      ['0 0 25 * * ? 2025', 'Nowhere', 'cron error 25', 'unknownTimezone error Nowhere'],
      ['0 0 25 * * ? 2025', 'UTC', 'cron error 25'],
    ] as const)
      assert.deepEqual(told(file(cron, zone)), wanted, `${cron} ${zone}`);
    assert.equal(
      problems(file('0 0 8 * * ? 2025'))[0]?.message,
      '"0 0 8 * * ? 2025" never fires again: no such time lies ahead. Change the expression, or remove the schedule.',
    );
    const whole = 'existing_cluster_id: c\nspark_python_task: {python_file: "dfs:/a"}\nschedule:\n';
    assert.deepEqual(told(`${whole}  quartz_cron_expression: 0 0 8 * * ? 2025\n`), ['missingField error schedule']);
  });

});
