import assert from 'node:assert/strict';
import type { Job, Run } from '../../../src/api/schema/jobs/schemas.ts';
import { lastRunWords, nextRunWords, runLabel, runWords } from '../../../src/runs/rowWords.ts';
import { shownStatus } from '../../../src/runs/runState.ts';
import { ScheduleTimes } from '../../../src/runs/scheduleTimes.ts';
import { formatNext, formatShortAge } from '../../../src/runs/timeTexts.ts';

const minute = 60_000;
const hour = 60 * minute;
const now = new Date(2026, 2, 4, 12).getTime();

function words(run: Partial<Run>, isCurrent = true): string {
  const whole: Run = { run_id: '1', ...run };
  return runWords(whole, shownStatus(whole, isCurrent), { nowMs: now, seenMs: now - 5000, isCurrent });
}

const failed = { life_cycle_state: 'TERMINATED', result_state: 'FAILED' };

describe('the words of a run', () => {
  it('are the state, how long ago and how long, and the attempt where there was one before', () => {
    const run = { state: failed, start_time: now - 3 * minute - 14_000, end_time: now - 3 * minute };
    assert.equal(words(run), 'Failed 3 min ago · 14 s');
    assert.equal(words({ ...run, attempt_number: 1 }), 'Failed 3 min ago · attempt 2 · 14 s');
    assert.equal(words({ ...run, attempt_number: 0 }), 'Failed 3 min ago · 14 s');
  });

  it('say of the last run of a job that a newer one was skipped', () => {
    const run = { run_id: '1', state: failed };
    const of = (since: { isSkippedSince?: true }): string =>
      lastRunWords({ kind: 'run', run, ...since }, shownStatus(run, true), {
        nowMs: now,
        seenMs: now,
        isCurrent: true,
      });
    assert.deepEqual([of({}), of({ isSkippedSince: true })], ['Failed', 'Failed · newer run skipped']);
  });

  it('count to when it was seen where that is not now, and then give moments', () => {
    assert.equal(
      words({ state: { life_cycle_state: 'RUNNING' }, start_time: now - 12_000 }, false),
      'Running when last seen · 7 s',
    );
    assert.match(
      words({ state: failed, start_time: now - 90_000, end_time: now - 80_000 }, false),
      /^Failed 11:58\sAM · 10 s$/,
    );
  });
});

describe('what a run is called', () => {
  const labelOf = (name: string): string => {
    const job = { job_id: '1', settings: { name } } as Job;
    return runLabel({ run_id: '9', job_id: '1', run_type: 'JOB_RUN', number_in_job: '1' }, job);
  };

  it('has the number behind the name, in whichever direction that is written', () => {
    assert.equal(labelOf('nightly'), 'nightly #1');
    for (const name of ['تقرير', 'דוח', 'report \u202eflipped', '\ud83a\udd00'])
      assert.equal(labelOf(name), `\u2068${name}\u2069 #1`);
    for (const name of ['日次', 'отчёт', '😀', 'é']) assert.equal(labelOf(name), `${name} #1`);
    assert.equal(runLabel({ run_id: '9', run_name: 'דוח' }, undefined), '\u2068דוח\u2069');
  });
});

describe('formatShortAge', () => {
  it('has one unit, and a day where it is long ago', () => {
    const ages = [-5000, 59_999, minute, 59.9 * minute, hour, 47.9 * hour, 48 * hour, 29.9 * 24 * hour];
    assert.deepEqual(
      ages.map((age) => formatShortAge(now - age, now)),
      ['just now', 'just now', '1 min ago', '59 min ago', '1 h ago', '47 h ago', '2 d ago', '29 d ago'],
    );
    assert.match(formatShortAge(now - 31 * 24 * hour, now), /^\D*1\D*$/);
    assert.match(formatShortAge(now - 400 * 24 * hour, now), /2025/);
    assert.equal(formatShortAge(9e15, now), '9000000000000000');
  });
});

describe('formatNext', () => {
  it('is a time, then a weekday with it, then a day', () => {
    assert.match(formatNext(now + 2 * hour, now), /^(2:00.PM|14:00)$/);
    assert.match(formatNext(now + 26 * hour, now), /^Thu,? (2:00.PM|14:00)$/);
    assert.match(formatNext(now + 10 * 24 * hour, now), /14/);
  });
});

describe('nextRunWords', () => {
  const times = new ScheduleTimes({
    now: () => now,
    elapsed: () => 0,
    later: () => undefined,
    onComputed: () => undefined,
  });
  const job = (pause: 'PAUSED' | 'UNPAUSED', expression = '0 0 14 * * ?') => ({
    job_id: '1',
    settings: {
      name: 'a',
      schedule: {
        quartz_cron_expression: expression,
        timezone_id: Intl.DateTimeFormat().resolvedOptions().timeZone,
        pause_status: pause,
      },
    },
  });

  it('tell the next run, or that the schedule is paused or there is none', () => {
    assert.match(nextRunWords(job('UNPAUSED'), times, now) ?? '', /^next (2:00.PM|14:00)$/);
    assert.equal(nextRunWords(job('PAUSED'), times, now), 'schedule paused');
    assert.equal(nextRunWords({ job_id: '1', settings: { name: 'a' } }, times, now), undefined);
  });
});
