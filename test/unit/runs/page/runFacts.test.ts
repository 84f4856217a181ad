import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { parametersShown, runFacts } from '../../../../src/runs/page/runFacts.ts';

const now = Date.UTC(2026, 0, 30, 12);
const day = 24 * 60 * 60 * 1000;
const ended = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
const runOf = (more: object): Run => ({ run_id: '5', ...more }) as unknown as Run;
const jobOf = (settings: object): Job => ({ job_id: '7', settings }) as unknown as Job;

const python = (parameters?: unknown): object => ({ spark_python_task: { python_file: '/p.py', parameters } });

describe('what the page says of a run beside how it went', () => {
  it('says how long a run is kept, unless it is gone', () => {
    const run = runOf({ state: ended, end_time: now - 59 * day });
    const kept = (isGone?: boolean) =>
      runFacts(run, undefined, now, { isGone }).find(({ name }) => name === 'Kept')?.values[0]?.label;
    const until = new Date(now + day).toLocaleDateString(undefined, {
      year: 'numeric',
      month: 'short',
      day: 'numeric',
    });
    const words = `1 more day, until ${until}`;
    assert.deepEqual([kept(), kept(false), kept(true)], [words, words, undefined]);
    run.end_time = now - 60 * day;
    assert.equal(kept(), undefined, 'nobody says how much longer');
  });

  it('says of a retry what had started its first attempt', () => {
    const run = runOf({ trigger: 'RETRY' });
    const trigger = (first?: object) =>
      runFacts(run, undefined, now, { first: first && runOf(first) }).find(({ name }) => name === 'Trigger')?.values[0]
        ?.label;
    const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC' };
    assert.deepEqual(
      [trigger({ trigger: 'PERIODIC', schedule }), trigger({ trigger: 'ONE_TIME' }), trigger({ trigger: 'NEW' })],
      [
        'Retry; the first attempt: Schedule: At 06:00 every day, UTC',
        'Retry; the first attempt: Started by hand or by a program',
        'Retry; the first attempt: NEW',
      ],
    );
    for (const first of [undefined, {}, { trigger: 'RETRY' }])
      assert.equal(trigger(first), 'Retry of an attempt before');
  });

  it('says whether the job would send the same now', () => {
    const noteOf = (sent: string[], inJob: string[]): string | undefined =>
      parametersShown(runOf({ task: python(sent) }), jobOf(python(inJob)))?.note;
    assert.equal(noteOf(['a', 'b'], ['a', 'b']), 'as in the job now');
    for (const inJob of [['a', 'c'], ['c', 'b'], ['b', 'a'], ['a'], ['a', 'b', 'c']])
      assert.equal(noteOf(['a', 'b'], inJob), 'the job has others now', inJob.join());
  });
});
