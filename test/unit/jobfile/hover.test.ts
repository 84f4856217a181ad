import assert from 'node:assert/strict';
import { hoverText } from '../../../src/jobfile/services/hover.ts';
import { inlayHints } from '../../../src/jobfile/services/inlayHints.ts';
import { parseDocument } from '../../../src/jobfile/yaml/document.ts';

const options = {
  nowMs: Date.UTC(2026, 0, 1),
  locale: 'en-GB',
  liveValues: { list: () => Promise.resolve([{ value: '42', label: 'Nightly' }]) },
};

async function at(marked: string): Promise<string | undefined> {
  return (await hoverText(marked.replace('‸', ''), marked.indexOf('‸'), options))?.text;
}

describe('hover', () => {
  it('shows description, default, unit and limits', async () => {
    assert.equal(
      await at('max_concurrent‸_runs: 3'),
      '**max_concurrent_runs** · whole number\n\nMaximum number of concurrent runs. 0 makes every new run ' +
        'skipped. Affects only new runs.\n\n- Default: `1`\n- From 0 to 1000',
    );
    assert.equal(
      await at('timeout_seconds: 3‸'),
      '**timeout_seconds** · whole number\n\nTime-out for each run; 0 means none.\n\n- Default: no time-out\n- Unit: s\n- At least 0',
    );
  });

  it('shows a schedule in words with the next five runs', async () => {
    const text = await at(
      'schedule:\n  quartz_cron_expression: 0 30 2 ‸? * MON-FRI\n  timezone_id: Europe/Berlin\n  pause_status: PAUSED\n',
    );
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      dateStyle: 'full',
      timeStyle: 'long',
      hourCycle: 'h23',
    });
    const runs = [1, 2, 5, 6, 7].map((day) => `- ${format.format(Date.UTC(2026, 0, day, 1, 30))}`);
    assert.equal(
      text?.split('\n\n---\n\n')[0],
      ['**At 02:30, Monday to Friday, Europe/Berlin**', 'Next runs when no longer paused:', runs.join('\n')].join(
        '\n\n',
      ),
    );
  });

  it('says if a schedule never fires again', async () => {
    assert.match(
      (await at('schedule:\n  quartz_cron_expression: 0 0 8 * * ‸? 2020\n  timezone_id: UTC\n')) ?? '',
      /It never fires again\./,
    );
    assert.match(
      (await at('schedule:\n  quartz_cron_expression: nons‸ense\n  timezone_id: UTC\n')) ?? '',
      /^\*\*quartz_cron_expression\*\*/,
    );
  });

  it('names the job behind a job id', async () => {
    const asked: unknown[] = [];
    const jobs = [{ value: '41', label: 'Other' }, { value: '42', label: 'N_ly' }, { value: '43' }];
    const { signal } = new AbortController();
    const list = async (kind: string, how?: object) => (asked.push([kind, how]), jobs);
    const text = async (job: string, more: object = { liveValues: { list }, signal }): Promise<string> =>
      (await hoverText(`run_job_task:\n  job_id: ${job}\n`, 25, more))?.text ?? '';
    const plain = await text('42', {});
    assert.match(plain, /^\*\*job_id\*\* · /);
    assert.equal(await text('42'), `Job 42: **N&#95;ly**\n\n---\n\n${plain}`);
    for (const job of ['43', '44', '"x"', 'null']) assert.equal(await text(job), plain, job);
    assert.deepEqual(asked[0], ['job', { signal }]);
    asked.length = 0;
    await hoverText('name: a\nmax_retries: 42\n', 23, { liveValues: { list } });
    assert.deepEqual(asked, [], 'a field that is no job');
  });
});

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
  it('show a schedule in words with its next run', () => {
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

  it('show that a schedule is paused or never fires again', () => {
    assert.match(labelOf(schedule('0 0 8 * * ?', 'UTC', '  pause_status: PAUSED\n')), /^At 08:00 every day · paused$/);
    assert.match(labelOf(schedule('0 0 8 * * ? 2020')), / · never fires again$/);
    assert.equal(hints(schedule('0 0 8 * * ? 2020'))[0]?.length, 2);
  });

  it('show nothing for invalid or missing schedules', () => {
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
