import assert from 'node:assert/strict';
import { lifeCycleStates, resultStates } from '../../../src/api/schema/jobs/run.ts';
import type { Job, Run, RunOutput } from '../../../src/api/schema/jobs/schemas.ts';
import { sortJobs } from '../../../src/runs/jobNames.ts';
import { outputText } from '../../../src/runs/outputText.ts';
import { nextRunWords, runLabel, runWords } from '../../../src/runs/rowWords.ts';
import { isNewer, isOneTime } from '../../../src/runs/runOrder.ts';
import {
  debuggedStatus,
  runColors,
  runDurationInMs,
  runStatus,
  stateMessage,
  type RunPhase,
  type RunStatus,
  shownStatus,
} from '../../../src/runs/runState.ts';
import { ScheduleTimes } from '../../../src/runs/scheduleTimes.ts';
import {
  formatNext,
  formatShortAge,
  daysUntilRemoval,
  formatTime,
  formatTimeAndZone,
  formatTinyAge,
} from '../../../src/runs/timeTexts.ts';

type Row = [
  lifeCycle: string | undefined,
  result: string | undefined,
  cancelled: boolean | undefined,
  phase: RunPhase,
  label: string,
  active: boolean,
  terminal: boolean,
];
const rows: Row[] = [
  ['QUEUED', undefined, undefined, 'queued', 'Queued', true, false],
  ['PENDING', undefined, undefined, 'pending', 'Pending', true, false],
  ['PENDING', undefined, true, 'stopping', 'Stopping', true, false],
  ['RUNNING', undefined, false, 'running', 'Running', true, false],
  ['RUNNING', undefined, true, 'stopping', 'Stopping', true, false],
  ['TERMINATING', undefined, undefined, 'finishing', 'Finishing', true, false],
  ['TERMINATING', 'SUCCESS', false, 'finishing', 'Finishing', true, false],
  ['TERMINATING', 'CANCELED', false, 'cancelling', 'Canceling', true, false],
  ['TERMINATING', 'CANCELED', true, 'cancelling', 'Canceling', true, false],
  // A time-out by the scheduler is not a cancellation, and the flag alone does not distinguish them.
  ['TERMINATING', 'TIMEDOUT', true, 'timingOut', 'Timing out', true, false],
  ['TERMINATING', 'TIMED_OUT', false, 'timingOut', 'Timing out', true, false],
  ['RUNNING', 'TIMEDOUT', true, 'timingOut', 'Timing out', true, false],
  ['TERMINATING', undefined, true, 'stopping', 'Stopping', true, false],
  ['TERMINATED', 'SUCCESS', undefined, 'succeeded', 'Succeeded', false, true],
  ['TERMINATED', 'SUCCESSFUL', undefined, 'succeeded', 'Succeeded', false, true],
  ['TERMINATED', 'FAILED', undefined, 'failed', 'Failed', false, true],
  ['TERMINATED', 'TIMEDOUT', true, 'timedOut', 'Timed out', false, true],
  ['TERMINATED', 'TIMED_OUT', true, 'timedOut', 'Timed out', false, true],
  ['TERMINATED', 'CANCELED', true, 'cancelled', 'Canceled', false, true],
  ['TERMINATED', undefined, undefined, 'unknown', 'TERMINATED, result not reported', false, true],
  ['SKIPPED', undefined, undefined, 'skipped', 'Skipped', false, true],
  ['INTERNAL_ERROR', undefined, undefined, 'internalError', 'Internal error', false, true],
  ['INTERNAL_ERROR', 'FAILED', undefined, 'internalError', 'Internal error', false, true],
  // Runs with several tasks, and their tasks.
  ['BLOCKED', undefined, undefined, 'blocked', 'Blocked', true, false],
  ['WAITING_FOR_RETRY', undefined, undefined, 'waitingForRetry', 'Waiting for retry', true, false],
  ['TERMINATED', 'SUCCESS_WITH_FAILURES', undefined, 'succeededWithFailures', 'Succeeded with failures', false, true],
  ['TERMINATED', 'UPSTREAM_FAILED', undefined, 'upstreamFailed', 'Upstream failed', false, true],
  ['SKIPPED', 'UPSTREAM_CANCELED', undefined, 'upstreamCanceled', 'Upstream canceled', false, true],
  ['TERMINATED', 'EXCLUDED', undefined, 'excluded', 'Excluded', false, true],
  // Unknown values, some from real servers: shown literally with a question mark.
  ['TERMINATED', 'constructor', undefined, 'unknown', 'TERMINATED, constructor', false, true],
  ['HIBERNATING', 'SUCCESS', undefined, 'unknown', 'HIBERNATING, SUCCESS', true, false],
  // Contradictory values are unknown.
  ['RUNNING', 'SUCCESS', undefined, 'unknown', 'RUNNING, SUCCESS', true, false],
  ['SKIPPED', 'SUCCESS', undefined, 'unknown', 'SKIPPED, SUCCESS', false, true],
  ['TERMINATED', '', undefined, 'unknown', 'TERMINATED, result not reported', false, true],
  ['', '', undefined, 'unknown', 'State not reported', true, false],
  [undefined, undefined, undefined, 'unknown', 'State not reported', true, false],
];
const minute = 60_000;
const now = new Date(2026, 2, 4, 12).getTime();
function words(run: Partial<Run>, isCurrent = true): string {
  const whole: Run = { run_id: '1', ...run };
  return runWords(whole, shownStatus(whole, isCurrent), { nowMs: now, seenMs: now - 5000, isCurrent });
}
const failed = { life_cycle_state: 'TERMINATED', result_state: 'FAILED' };

describe('runStatus', () => {
  for (const [lifeCycle, result, cancelled, phase, label, active, terminal] of rows) {
    it(`maps ${lifeCycle ?? '-'} / ${result ?? '-'} / ${cancelled ?? '-'} to ${phase}`, () => {
      const status = runStatus({
        state: { life_cycle_state: lifeCycle, result_state: result, user_cancelled_or_timedout: cancelled },
        end_time: 0,
        task: {},
      });
      assert.deepEqual(
        { phase: status.phase, label: status.label, active: status.active, terminal: status.terminal },
        { phase, label, active, terminal },
      );
      assert.equal(status.icon.id === 'question', phase === 'unknown');
    });
  }

  it('treats names of object properties as unknown states', () => {
    const words = [...Object.getOwnPropertyNames(Object.prototype), 'name', 'length', 'prototype'];
    for (const life of words)
      for (const result of [undefined, ...words]) {
        const { phase } = runStatus({ state: { life_cycle_state: life, result_state: result }, end_time: 0 });
        assert.equal(phase, 'unknown', `${life} ${result}`);
      }
    for (const result of words)
      assert.equal(runStatus({ state: { life_cycle_state: 'TERMINATED', result_state: result } }).phase, 'unknown');
  });

  it('tells a failed task of a run with several from a failed service', () => {
    const state = { life_cycle_state: 'INTERNAL_ERROR', result_state: 'FAILED' };
    assert.equal(runStatus({ state }).phase, 'failed');
    assert.equal(runStatus({ state, task_key: 'a' }).phase, 'internalError', 'the task itself');
    const said = { ...state, state_message: 'Workload failed, see run output for details' };
    assert.equal(runStatus({ state: said, task_key: 'a' }).phase, 'failed');
  });

  it('ends an unknown state once the run has an end time', () => {
    assert.equal(runStatus({ state: { life_cycle_state: 'HIBERNATING' }, end_time: 5 }).terminal, true);
  });

  it('has words, an icon and a color for every phase', () => {
    const seen = new Map<RunPhase, string>();
    for (const life of [...lifeCycleStates, 'HIBERNATING']) {
      for (const result of [undefined, ...resultStates]) {
        for (const flag of [false, true]) {
          const status = runStatus({
            state: { life_cycle_state: life, result_state: result, user_cancelled_or_timedout: flag },
            task: {},
          });
          assert.notEqual(status.active, status.terminal, `${life} ${result}`);
          const words = status.phase === 'unknown' ? [life, result].filter(Boolean).join(', ') : status.label;
          if (life !== 'TERMINATED' || result) assert.equal(status.label, words);
          seen.set(
            status.phase,
            [status.phase === 'unknown' ? '' : words, status.icon.id, status.icon.color].join(' '),
          );
        }
      }
    }
    const expected: Partial<Record<RunPhase, string>> = {
      queued: `Queued clock ${runColors.skipped}`,
      pending: `Pending loading~spin ${runColors.active}`,
      running: `Running loading~spin ${runColors.active}`,
      finishing: `Finishing loading~spin ${runColors.active}`,
      cancelling: `Canceling loading~spin ${runColors.skipped}`,
      stopping: `Stopping loading~spin ${runColors.skipped}`,
      timingOut: `Timing out loading~spin ${runColors.failed}`,
      succeeded: `Succeeded pass ${runColors.succeeded}`,
      failed: `Failed error ${runColors.failed}`,
      timedOut: `Timed out watch ${runColors.failed}`,
      cancelled: `Canceled circle-slash ${runColors.skipped}`,
      skipped: `Skipped debug-step-over ${runColors.skipped}`,
      internalError: `Internal error run-errors ${runColors.failed}`,
      unknown: ` question ${runColors.skipped}`,
    };
    for (const [phase, words] of Object.entries(expected)) assert.equal(seen.get(phase as RunPhase), words);
  });
});

describe('runDurationInMs', () => {
  const times = { start_time: 1000, queue_duration: 600_000, setup_duration: 1000 };

  it('is the time of execution, without queue, set-up and clean-up', () => {
    const running = { run_id: '1', state: { life_cycle_state: 'RUNNING' }, ...times };
    assert.equal(runDurationInMs(running, 702_000), 100_000);
    const state = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
    const ended = { ...running, state, execution_duration: 300, cleanup_duration: 50, end_time: 602_350 };
    assert.equal(runDurationInMs(ended, 999_999), 300);
    assert.equal(runDurationInMs({ ...ended, run_duration: 7 }, 999_999), 7, 'several tasks');
  });

  it('is the waiting time of a run that has not begun, and absent if it never began', () => {
    const waiting = { run_id: '1', state: { life_cycle_state: 'QUEUED' }, start_time: 1000 };
    assert.equal(runDurationInMs(waiting, 61_000), 60_000);
    const canceled = { life_cycle_state: 'TERMINATED', result_state: 'CANCELED' };
    assert.equal(runDurationInMs({ run_id: '1', ...times, state: canceled, end_time: 602_000 }, 999_999), undefined);
  });

  it('counts while the run is active and is absent before its start', () => {
    assert.equal(
      runDurationInMs({ run_id: '1', state: { life_cycle_state: 'RUNNING' }, start_time: 1000, end_time: 0 }, 4000),
      3000,
    );
    assert.equal(runDurationInMs({ run_id: '1', state: { life_cycle_state: 'QUEUED' } }, 4000), undefined);
    const skipped = { run_id: '1', state: { life_cycle_state: 'SKIPPED' }, start_time: 1000 };
    assert.equal(runDurationInMs(skipped, 4000), undefined, 'nor once it is over and nobody says when');
  });

  it('is absent for times out of range', () => {
    const running = { run_id: '1', state: { life_cycle_state: 'RUNNING' } };
    for (const odd of [9e15, -9e15, Number.MAX_SAFE_INTEGER]) {
      assert.equal(runDurationInMs({ ...running, start_time: odd, end_time: 0 }, 4000), undefined);
      assert.equal(runDurationInMs({ ...running, start_time: 1000, end_time: odd }, 4000), undefined);
    }
  });
});

describe('times', () => {
  const at = Date.UTC(2026, 2, 1, 12);

  it('name the zone of the reader on the page of a run', () => {
    assert.match(formatTimeAndZone(at, at), / (?:UTC|GMT\S*|[A-Z]{2,5})$/);
  });

  it('have ages of a few letters for narrow rows', () => {
    const minute = 60_000;
    assert.deepEqual(
      [0, 6 * minute, 180 * minute, 72 * 60 * minute].map((age) => formatTinyAge(at - age, at)),
      ['now', '6m', '3h', '3d'],
    );
  });
});

describe('stateMessage', () => {
  it("returns the service's message except the standard one for active runs", () => {
    const said = (message?: string): string => stateMessage({ state: { state_message: message } as never });
    assert.deepEqual([' no room ', 'In run', 'In run. Debugged.', '', undefined].map(said), [
      'no room',
      '',
      'In run. Debugged.',
      '',
      '',
    ]);
    assert.equal(stateMessage({}), '');
  });
});

describe('debuggedStatus', () => {
  const status = (life: string, result?: string): RunStatus =>
    runStatus({ state: { life_cycle_state: life, ...(result === undefined ? {} : { result_state: result }) } });

  it('keeps the status of a run that is not running', () => {
    for (const ending of [
      status('QUEUED'),
      status('TERMINATING'),
      status('RUNNING', 'CANCELED'),
      status('TERMINATED', 'SUCCESS'),
      status('TERMINATED', 'FAILED'),
      status('HIBERNATING'),
    ])
      for (const debug of ['held', 'going'] as const) assert.equal(debuggedStatus(ending, debug), ending, ending.label);
  });
});

describe('the words of a run', () => {
  it('contain the state, its age, the duration and the attempt', () => {
    const run = { state: failed, start_time: now - 3 * minute - 14_000, end_time: now - 3 * minute };
    assert.equal(words(run), 'Failed 3 min ago · 14 s');
    assert.equal(words({ ...run, attempt_number: 1 }), 'Failed 3 min ago · attempt 2 · 14 s');
    assert.equal(words({ ...run, attempt_number: 0 }), 'Failed 3 min ago · 14 s');
  });

  it('count up to the last poll while the run is stale', () => {
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

describe('the label of a run', () => {
  const labelOf = (name: string): string => {
    const job = { job_id: '1', settings: { name } } as Job;
    return runLabel({ run_id: '9', job_id: '1', run_type: 'JOB_RUN', number_in_job: '1' }, job);
  };

  it('isolates a right-to-left name from the number', () => {
    assert.equal(labelOf('nightly'), 'nightly #1');
    for (const name of ['تقرير', 'דוח', 'report \u202eflipped', '\ud83a\udd00'])
      assert.equal(labelOf(name), `\u2068${name}\u2069 #1`);
    for (const name of ['日次', 'отчёт', '😀', 'é']) assert.equal(labelOf(name), `${name} #1`);
    assert.equal(runLabel({ run_id: '9', run_name: 'דוח' }, undefined), '\u2068דוח\u2069');
  });
});

describe('the next run of a job', () => {
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

  it('is described by its time or by a paused schedule', () => {
    assert.match(nextRunWords(job('UNPAUSED'), times, now) ?? '', /^next (2:00.PM|14:00)$/);
    assert.equal(nextRunWords(job('PAUSED'), times, now), 'schedule paused');
    assert.equal(nextRunWords({ job_id: '1', settings: { name: 'a' } }, times, now), undefined);
  });
});

describe('times of runs', () => {
  const second = 1000;
  const minute = 60 * second;
  const hour = 60 * minute;
  const day = 24 * hour;
  const now = Date.UTC(2026, 2, 15, 12);
  /** Replaces the narrow no-break space before AM and PM with a plain space. */
  const plain = (text: string): string => text.replaceAll('\u202f', ' ');

  it('contain the date except today, and the year after 300 days', () => {
    const told = (epochMs: number, nowMs = now): string => plain(formatTime(epochMs, nowMs));
    assert.equal(plain(formatTime(now, now, '2-digit')), '12:00:00 PM', 'where seconds help');
    assert.equal(told(now), '12:00 PM');
    assert.equal(told(Date.UTC(2026, 2, 15)), '12:00 AM');
    assert.equal(told(Date.UTC(2026, 2, 14, 23, 59, 59)), 'Mar 14, 11:59 PM');
    assert.equal(told(Date.UTC(2026, 2, 16)), 'Mar 16, 12:00 AM');
    assert.equal(told(Date.UTC(2026, 3, 15, 12)), 'Apr 15, 12:00 PM', 'the same day of another month');
    assert.equal(told(Date.UTC(2025, 2, 15, 12)), 'Mar 15, 2025, 12:00 PM', 'the same day of another year');
    assert.equal(told(Date.UTC(2025, 11, 31, 9), Date.UTC(2026, 0, 31, 9)), 'Dec 31, 9:00 AM');
    assert.equal(told(now - 300 * day), 'May 19, 12:00 PM');
    assert.equal(told(now - 300 * day - 1), 'May 19, 2025, 11:59 AM');
    assert.equal(told(now + 300 * day), 'Jan 9, 12:00 PM');
    assert.equal(told(now + 300 * day + 1), 'Jan 9, 2027, 12:00 PM');
    assert.equal(told(9e15), '9000000000000000', 'no moment');
  });

  it('are ages in one unit up to 30 days', () => {
    const rows: [agoMs: number, words: string][] = [
      [-minute - 1, '12:01 PM'],
      [-minute, 'just now'],
      [0, 'just now'],
      [minute - 1, 'just now'],
      [minute, '1 min ago'],
      [hour - 1, '59 min ago'],
      [hour, '1 h ago'],
      [48 * hour - 1, '47 h ago'],
      [48 * hour, '2 d ago'],
      [30 * day - 1, '29 d ago'],
      [30 * day, 'Feb 13'],
      [300 * day, 'May 19'],
      [300 * day + 1, 'May 19, 2025'],
    ];
    assert.deepEqual(
      rows.map(([agoMs]) => plain(formatShortAge(now - agoMs, now))),
      rows.map(([, words]) => words),
    );
    assert.equal(formatShortAge(9e15, now), '9000000000000000');
  });

  it('are a time within a day, a weekday within six days, and a date after that', () => {
    const rows: [aheadMs: number, words: string][] = [
      [day - 1, '11:59 AM'],
      [day, 'Mon 12:00 PM'],
      [6 * day - 1, 'Sat 11:59 AM'],
      [6 * day, 'Mar 21'],
      [300 * day + 1, 'Jan 9, 2027'],
    ];
    assert.deepEqual(
      rows.map(([aheadMs]) => plain(formatNext(now + aheadMs, now))),
      rows.map(([, words]) => words),
    );
  });

  it('count the days until a run is removed', () => {
    assert.deepEqual(
      [0, 1, day, 59 * day, 60 * day - 1, 60 * day, 61 * day].map((ago) => daysUntilRemoval(now - ago, now)),
      [60, 60, 59, 1, 1, 0, 0],
    );
  });
});

describe('a one-time run', () => {
  it('is recognized by its type, or by its missing job', () => {
    const rows: [type: string | undefined, jobId: string | undefined, isOne: boolean][] = [
      ['SUBMIT_RUN', '7', true],
      ['SUBMIT_RUN', undefined, true],
      ['JOB_RUN', '7', false],
      ['JOB_RUN', undefined, false],
      ['WORKFLOW_RUN', undefined, false],
      [undefined, '7', false],
      [undefined, undefined, true],
    ];
    for (const [type, jobId, isOne] of rows)
      assert.equal(isOneTime({ run_id: '1', run_type: type, job_id: jobId } as Run), isOne, `${type} ${jobId}`);
  });
});

describe('the newer of two runs', () => {
  const run = (id: string, start?: number): Run => ({ run_id: id, start_time: start }) as Run;

  it('is the later one', () => {
    assert.equal(isNewer(run('1', 200), run('2', 100)), true);
    assert.equal(isNewer(run('2', 100), run('1', 200)), false);
  });

  it('is the one with the larger id if their start times do not decide', () => {
    for (const [left, right] of [
      [100, 100],
      [undefined, undefined],
      [undefined, 100],
      [100, undefined],
      [0, 100],
      [100, 0],
    ]) {
      assert.equal(isNewer(run('10', left), run('9', right)), true, `${left} ${right}`);
      assert.equal(isNewer(run('9', left), run('10', right)), false, `${left} ${right}`);
      assert.equal(isNewer(run('9007199254740993', left), run('9007199254740992', right)), true);
    }
    assert.equal(isNewer(run('9', 100), run('9', 100)), false);
  });
});

describe('the order of jobs', () => {
  const job = (id: string, name?: unknown): Job => ({ job_id: id, settings: { name } }) as unknown as Job;

  it('follows their names, then their ids as numbers', () => {
    const sorted = sortJobs(
      new Set([
        job('1', 'Zeta'),
        job('10', 'beta'),
        job('2', 'äther'),
        job('3', 'Beta'),
        job('9', 'beta'),
        job('4', 'a'),
      ]),
    );
    assert.deepEqual(
      sorted.map(({ job_id: id, settings }) => `${settings?.name} ${id}`),
      ['a 4', 'äther 2', 'beta 9', 'beta 10', 'Beta 3', 'Zeta 1'],
    );
  });
});

describe('the output of a run as text', () => {
  const run = (state: object): Run => ({ run_id: '7', start_time: 1000, end_time: 0, state }) as Run;
  const going = run({ life_cycle_state: 'RUNNING' });
  const over = { ...run({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' }), end_time: 3000 };
  const text = (output: object, of: Run): string => outputText('etl #3', output as RunOutput, of, 5000);

  it('is the same for equal outputs when two runs are compared', () => {
    const of = (id: string, start: number): string =>
      outputText(undefined, { logs: 'one\n' }, { run_id: id, start_time: start, end_time: start + 7 }, 5000);
    assert.equal(of('1', 1000), of('2', 3000));
  });

  it("contains the service's message except the standard one for active runs", () => {
    const said = (message: string): string =>
      text({ logs: 'a' }, { ...going, state: { ...going.state, state_message: message } as never });
    assert.match(said('Waits for room'), /\nWaits for room\n/);
    assert.doesNotMatch(said('In run'), /In run/);
  });

  it('contains output, error and traceback, and marks truncated output', () => {
    const whole = text({ logs: 'one\ntwo\n', error: 'ValueError: no', error_trace: 'Traceback of it' }, over);
    for (const part of [/Output\W+one\ntwo/, /Error\W+ValueError: no/, /Traceback\W+Traceback of it/])
      assert.match(whole, part);
    assert.doesNotMatch(whole, /first 5 MB|wrote nothing/);
    assert.match(text({ logs: 'one', logs_truncated: true }, over), /Output \(first 5 MB\)/);
  });

  it('contains a traceback and its error once', () => {
    const trace = 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no\n';
    for (const output of [
      { logs: `one\n${trace}`, error: 'ValueError: no', error_trace: trace },
      { error: 'ValueError: no', error_trace: trace },
      { logs: 'one\n', error: 'ValueError: no', error_trace: trace },
    ]) {
      const shown = text(output, over);
      assert.deepEqual([shown.split('ValueError: no').length, shown.split('line 1').length], [2, 2], shown);
      assert.doesNotMatch(shown, /── Error/);
    }
    // A truncated output gets a separate traceback section.
    assert.match(text({ logs: 'one', logs_truncated: true, error_trace: trace }, over), /── Traceback .*\nTraceback/);
  });
});

describe('ScheduleTimes', () => {
  const start = Date.UTC(2026, 2, 4, 12);
  const at = (hour: number) => ({
    quartz_cron_expression: `0 0 ${hour} * * ?`,
    timezone_id: 'UTC',
    pause_status: 'UNPAUSED' as const,
  });
  function build(msPerQuestion = 0): { times: ScheduleTimes; turn(): void; set(nowMs: number): void; told(): number } {
    const tasks: (() => void)[] = [];
    let [nowMs, elapsed, told] = [start, 0, 0];
    const times = new ScheduleTimes({
      now: () => nowMs,
      elapsed: () => (elapsed += msPerQuestion),
      later: (task) => tasks.push(task),
      onComputed: () => (told += 1),
    });
    return {
      times,
      turn: () => tasks.splice(0).forEach((task) => task()),
      set: (value) => (nowMs = value),
      told: () => told,
    };
  }

  it('returns the next time, and the one after that when it has passed', () => {
    const { times, set } = build();
    assert.equal(times.next(at(14)), Date.UTC(2026, 2, 4, 14));
    set(Date.UTC(2026, 2, 4, 14));
    assert.equal(times.next(at(14)), Date.UTC(2026, 2, 5, 14));
  });

  it('returns no time for schedules that never fire or are invalid', () => {
    const { times } = build();
    const never = { quartz_cron_expression: '0 0 3 1 1 ? 2020', timezone_id: 'UTC', pause_status: 'UNPAUSED' as const };
    assert.equal(times.next(never), undefined);
    assert.equal(times.next({ ...never, quartz_cron_expression: 'monday' }), undefined);
    assert.match(times.words(at(14)), /14:00.*UTC/);
    assert.equal(times.words({ ...never, quartz_cron_expression: 'monday' }), 'monday (UTC)');
  });

  it('spreads its work over several turns and notifies once', () => {
    const { times, turn, told } = build(4);
    const all = Array.from({ length: 24 }, (_, hour) => at(hour));
    const first = all.map((schedule) => times.next(schedule)).filter((next) => next !== undefined);
    assert.ok(first.length > 0 && first.length < 10, `${first.length} in the first turn`);
    for (let count = 0; count < 50 && told() === 0; count += 1) turn();
    assert.equal(told(), 1);
    turn();
    turn();
    // The times are cached now, regardless of the time limit.
    assert.ok(all.every((schedule) => times.next(schedule) !== undefined));
    assert.equal(told(), 1);
  });

  it('returns the previous time until the next one is computed', () => {
    const { times, turn, set } = build(4);
    assert.equal(times.next(at(14)), Date.UTC(2026, 2, 4, 14));
    for (let hour = 0; hour < 24; hour += 1) times.next(at(hour));
    set(Date.UTC(2026, 2, 4, 14));
    const before = times.version;
    assert.equal(times.next(at(14)), Date.UTC(2026, 2, 4, 14));
    for (let count = 0; count < 50; count += 1) turn();
    assert.ok(times.version > before);
    assert.equal(times.next(at(14)), Date.UTC(2026, 2, 5, 14));
  });

  it('computes each schedule once until its time has passed', () => {
    let asked = 0;
    const times = new ScheduleTimes({
      now: () => start,
      elapsed: () => ((asked += 1), 0),
      later: () => undefined,
      onComputed: () => undefined,
    });
    const never = { ...at(14), quartz_cron_expression: '0 0 3 1 1 ? 2020' };
    for (let count = 0; count < 3; count += 1) {
      assert.equal(times.next(at(14)), Date.UTC(2026, 2, 4, 14));
      assert.equal(times.next(never), undefined);
    }
    assert.equal(asked, 2);
  });
});
