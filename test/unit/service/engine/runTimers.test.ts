import assert from 'node:assert/strict';
import type { ActiveRun } from '../../../../src/service/engine/activeRun.ts';
import { armRunTimers } from '../../../../src/service/engine/runTimers.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const warnAfter = (...seconds: number[]): object => ({
  health: { rules: seconds.map((value) => ({ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value })) },
});

describe('the time-out and the warning of a run', () => {
  /** What comes of a run within an hour, by the second at which it comes. */
  const comes = async (run: object): Promise<string[]> => {
    const clock = new FakeClock(1_000_000);
    const seen: string[] = [];
    const at = (): string => `${(clock.now() - 1_000_000) / 1000}`;
    const whole = { timers: {}, settings: {}, ...run } as ActiveRun;
    armRunTimers(whole, clock, {
      onTimeout: (_run, seconds) => seen.push(`out ${seconds} at ${at()}`),
      onDurationWarning: () => seen.push(`warning at ${at()}`),
    });
    const { pending } = clock;
    await clock.advance(3_600_000);
    assert.equal(pending, seen.length, 'nothing is set that does not come');
    return seen;
  };
  const record = (secondsAgo: number, lifeCycle = 'RUNNING'): object => ({
    lifeCycle,
    dispatchedAt: 1_000_000 - secondsAgo * 1000,
  });

  for (const [what, run, expected] of [
    ['of one without either', { record: record(0) }, []],
    ['of one with 0, which is none', { record: record(0), settings: { timeout_seconds: 0 } }, []],
    [
      'count from its place',
      { record: record(10), settings: { timeout_seconds: 60, ...warnAfter(30) } },
      ['warning at 20.001', 'out 60 at 50'],
    ],
    [
      'of one whose time is up come at once',
      { record: record(90), settings: { timeout_seconds: 60 } },
      ['out 60 at 0'],
    ],
    ['of one that was warned of already', { record: record(31), settings: warnAfter(30) }, []],
    ['of one that lasts as long as it may', { record: record(30), settings: warnAfter(30) }, ['warning at 0.001']],
    ['are the least of several', { record: record(0), settings: warnAfter(90, 30, 60) }, ['warning at 30.001']],
    ['of one without a place', { record: { lifeCycle: 'PENDING' }, settings: { timeout_seconds: 60 } }, []],
    ['of one that is over', { record: record(0, 'TERMINATED'), settings: { timeout_seconds: 60 } }, []],
    ['of one that is debugged', { record: record(0), settings: { timeout_seconds: 60 }, debug: {} }, []],
    [
      'of one whose debugger has left',
      { record: record(500), settings: { timeout_seconds: 60 }, debug: { leftAt: 990_000 } },
      ['out 60 at 50'],
    ],
  ] as const)
    it(`${what}: ${expected.join(', ') || 'none'}`, async () => assert.deepEqual(await comes(run), expected));

  it('come once, however often they are set', async () => {
    const clock = new FakeClock();
    let count = 0;
    const run = {
      timers: {},
      settings: { timeout_seconds: 60 },
      record: { lifeCycle: 'RUNNING', dispatchedAt: clock.now() },
    } as unknown as ActiveRun;
    const events = { onTimeout: () => void (count += 1), onDurationWarning: () => undefined };
    armRunTimers(run, clock, events);
    run.settings = { timeout_seconds: 30 };
    armRunTimers(run, clock, events);
    await clock.advance(600_000);
    assert.equal(count, 1);
  });
});
