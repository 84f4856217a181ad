import assert from 'node:assert/strict';
import { inlayHints } from '../../../../src/jobfile/services/inlayHints.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';

const nowMs = Date.UTC(2026, 10, 22, 12);

/** What dates have between their parts is the platform's. */
function hints(text: string): (string | number)[][] {
  return inlayHints(parseDocument(text), { nowMs, locale: 'en-GB' }).map(({ offset, label, validUntilMs }) => [
    label.replace(/(?<=next .*),/g, ''),
    text.slice(0, offset).split('\n').at(-1) ?? '',
    ...(validUntilMs === undefined ? [] : [validUntilMs]),
  ]);
}
const schedule = (cron: string, zone = 'Europe/Berlin', more = ''): string =>
  `name: a\nschedule:\n  quartz_cron_expression: ${cron}\n  timezone_id: ${zone}\n${more}`;

const labelOf = (text: string): string => String(hints(text)[0]?.[0]);

describe('inlayHints', () => {
  it('tell a schedule in words with its next run, in its time zone', () => {
    assert.deepEqual(hints(schedule('0 30 2 ? * MON-FRI # nightly')), [
      [
        'At 02:30, Monday to Friday · next Mon 23 Nov 02:30 CET',
        '  quartz_cron_expression: 0 30 2 ? * MON-FRI',
        Date.UTC(2026, 10, 23, 1, 30),
      ],
    ]);
    assert.match(labelOf(schedule('"15 0 8 1 1 ?"')), / · next Fri 1 Jan 2027 08:00:15 \S+$/);
    assert.match(labelOf(schedule('0 0 8 * * ?', 'America/New_York')), / · next Sun 22 Nov 08:00 \S+$/);
    assert.match(
      labelOf('schedule:\n  quartz_cron_expression: 0 0 8 * * ?\n'),
      /^At 08:00 every day · next Mon 23 Nov 08:00 UTC$/,
    );
  });

  it('tell where there is no next run', () => {
    assert.match(labelOf(schedule('0 0 8 * * ?', 'UTC', '  pause_status: PAUSED\n')), /^At 08:00 every day · paused$/);
    assert.match(labelOf(schedule('0 0 8 * * ? 2020')), / · never fires again$/);
    assert.equal(hints(schedule('0 0 8 * * ? 2020'))[0]?.length, 2);
  });

  it('say nothing of what is wrong or not there', () => {
    for (const text of [
      'name: a\n',
      schedule('0 0 25 * * ?'),
      schedule('0 0 8 * * ?', 'Europe/Nowhere'),
      schedule('0 0 8 * * ?', 'GMT+5'),
      schedule('7'),
      schedule('|\n    0 0 8 * * ?'),
    ])
      assert.deepEqual(hints(text), [], text);
  });
});
