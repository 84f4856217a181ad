import assert from 'node:assert/strict';
import { hoverText } from '../../../../src/jobfile/services/hover.ts';

const options = {
  nowMs: Date.UTC(2026, 0, 1),
  locale: 'en-GB',
  liveValues: { list: () => Promise.resolve([{ value: '42', label: 'Nightly' }]) },
};

async function at(marked: string): Promise<string | undefined> {
  return (await hoverText(marked.replace('‸', ''), marked.indexOf('‸'), options))?.text;
}

describe('hover', () => {
  it('shows what the document says, default, unit and limits', async () => {
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

  it('shows an expression in words with the next five runs in its zone', async () => {
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
      [
        '**At 02:30, Monday to Friday, Europe/Berlin**',
        'Next runs, once it is no longer paused:',
        runs.join('\n'),
      ].join('\n\n'),
    );
  });

  it('says that an expression never fires again, and leaves wrong ones to the problems', async () => {
    assert.match(
      (await at('schedule:\n  quartz_cron_expression: 0 0 8 * * ‸? 2020\n  timezone_id: UTC\n')) ?? '',
      /It never fires again\./,
    );
    assert.match(
      (await at('schedule:\n  quartz_cron_expression: nons‸ense\n  timezone_id: UTC\n')) ?? '',
      /^\*\*quartz_cron_expression\*\*/,
    );
  });

  it('names the job of that number alone, of a service that knows it, as long as somebody waits', async () => {
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

  it('marks the key or value that it is about, also in wrapped settings', async () => {
    const text = 'settings:\n  name: report\n';
    assert.deepEqual(
      await hoverText(text, 20, options).then((found) => found && text.slice(found.start, found.end)),
      'report',
    );
  });

});
