import assert from 'node:assert/strict';
import { answerAboutCron } from '../../../../../src/service/models/guide/guideAnswer.ts';

const now = Date.UTC(2026, 0, 1, 12);

describe('an answer about a Quartz expression', () => {
  it('tells the next five times in the zone that is named, and shows it in a job file', () => {
    const {
      markdown = '',
      summary,
      facts,
    } = answerAboutCron('When does 0 0 8 * * ? in Europe/Berlin fire?', now) ?? {};
    assert.match(
      markdown,
      /^`0 0 8 \* \* \?` is a valid Quartz expression\. It fires next, in Europe\/Berlin:\n\n- Friday/,
    );
    assert.equal(markdown.split('\n').filter((line) => line.startsWith('- ')).length, 5);
    assert.match(markdown, /quartz_cron_expression: 0 0 8 \* \* \?\n +timezone_id: Europe\/Berlin/);
    assert.match(summary ?? '', /^It fires next at Friday,? 2 January 2026.* 08:00:00 \(Europe\/Berlin\)\.$/);
    const { times, timezone } = facts as { times: string[]; timezone: string };
    assert.deepEqual([times[0], times.length, timezone], ['2026-01-02T07:00:00.000Z', 5, 'Europe/Berlin']);
  });

  it('takes UTC where no zone is named, and says what never fires again', () => {
    const never = answerAboutCron('0 0 0 1 1 ? 2020', now);
    assert.deepEqual([never?.found, never?.confidence], [true, 1]);
    assert.match(
      String((never?.facts as { example?: unknown } | undefined)?.example),
      /^name: nightly-report\n[^]*quartz_cron_expression: 0 0 0 1 1 \? 2020\n/,
    );
    assert.deepEqual(
      [never?.summary, (never?.facts as { timezone?: unknown } | undefined)?.timezone],
      ['It never fires again.', 'UTC'],
    );
    assert.match(never?.markdown ?? '', /valid Quartz expression\. It never fires again\./);
  });

  it('says what is wrong with one', () => {
    const answer = answerAboutCron('Is 0 0 25 * * ? right?', now);
    const { markdown = '', summary, facts } = answer ?? {};
    assert.match(markdown, /^`0 0 25 \* \* \?` is not a valid Quartz expression: The hours field/);
    assert.match(summary ?? '', /^The hours field, "25"/);
    assert.deepEqual([answer?.found, answer?.confidence], [true, 1]);
    assert.deepEqual(Object.keys(facts ?? {}), ['expression', 'problem']);
  });

  for (const text of ['When do jobs run?', '1 2 3 4 5', 'x0 0 8 * * ?'])
    it(`is none to ${text}`, () => assert.equal(answerAboutCron(text, now), undefined));
});
