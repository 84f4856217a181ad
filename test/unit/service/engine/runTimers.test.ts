import assert from 'node:assert/strict';
import type { ActiveRun } from '../../../../src/service/engine/activeRun.ts';
import { ActiveRuns } from '../../../../src/service/engine/activeRuns.ts';
import type { Happening } from '../../../../src/service/engine/runJournal.ts';
import { createRunTimers } from '../../../../src/service/engine/runTimers.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const warnAfter = (...seconds: number[]): object => ({
  health: { rules: seconds.map((value) => ({ metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value })) },
});

describe('the time-out and the warning of a run', () => {
  const began = 1_000_000;
  let clock: FakeClock;
  let active: ActiveRuns;
  let state: { isClosing: boolean; isFull: boolean };
  /** What came, by the second at which it came. */
  let seen: string[];
  let errors: string[];
  let plans: Map<string, { settings: string; parameters: string }>;
  let retries: { runId: string }[];
  beforeEach(() => {
    clock = new FakeClock(began);
    active = new ActiveRuns();
    state = { isClosing: false, isFull: false };
    [seen, errors, plans, retries] = [[], [], new Map(), []];
  });
  const at = (): string => `${(clock.now() - began) / 1000}`;
  const setUp = () =>
    createRunTimers({
      store: {
        transaction(body: () => void) {
          if (state.isFull) throw new Error('the disk is full');
          seen.push('{');
          body();
          seen.push('}');
        },
        runs: {
          waitingRetries: () => retries,
        },
        runParts: {
          plan: (runId: string) => plans.get(runId),
          setPlanSettings: (runId: string, settings: string) => plans.set(runId, { settings, parameters: '{}' }),
        },
      } as never,
      clock,
      notifier: {
        lastsLong: (run: { runId: string }, settings: object) =>
          void seen.push(`warning of ${run.runId} at ${at()}${'name' in settings ? ' with its settings' : ''}`),
        wake: () => void seen.push('wake'),
      } as never,
      logger: { ...silentLogger, error: (text) => void errors.push(text) },
      active,
      journal: {
        record: () => assert.fail('what cannot be stored now is stored later'),
        recordSoon: ([happening]: Happening[]) =>
          void seen.push(
            happening?.event.type === 'timedOut'
              ? `${happening.event.message} ${happening.run.record.runId} at ${(happening.event.at - began) / 1000}`
              : 'something else',
          ),
      } as never,
      isClosing: () => state.isClosing,
    });
  const adopt = (run: object): ActiveRun => {
    const whole = { settings: {}, plan: { settings: '{}', parameters: '{}' }, ...run } as ActiveRun;
    active.adopt(whole);
    return whole;
  };
  const record = (secondsAgo: number, lifeCycle = 'RUNNING', more: object = {}): object => ({
    ...{ runId: '4', jobId: '7', lifeCycle, dispatchedAt: began - secondsAgo * 1000 },
    ...more,
  });
  const warning = (second: string): string[] => ['{', `warning of 4 at ${second}`, '}', 'wake'];
  const timeout = (seconds: number, second: number): string =>
    `The run was ended after its time-out of ${seconds} s. 4 at ${second}`;

  for (const [what, run, expected] of [
    ['of one without either', { record: record(0) }, []],
    ['of one with 0, which is none', { record: record(0), settings: { timeout_seconds: 0 } }, []],
    [
      'count from its place',
      { record: record(10), settings: { timeout_seconds: 60, ...warnAfter(30) } },
      [...warning('20.001'), timeout(60, 50)],
    ],
    [
      'of one whose time is up come at once',
      { record: record(90), settings: { timeout_seconds: 60 } },
      [timeout(60, 0)],
    ],
    ['of one that was warned of already', { record: record(31), settings: warnAfter(30) }, []],
    ['of one that lasts as long as it may', { record: record(30), settings: warnAfter(30) }, [...warning('0.001')]],
    ['are the least of several', { record: record(0), settings: warnAfter(90, 30, 60) }, [...warning('30.001')]],
    ['of one without a place', { record: { runId: '4', lifeCycle: 'PENDING' }, settings: { timeout_seconds: 60 } }, []],
    ['of one that is over', { record: record(0, 'TERMINATED'), settings: { timeout_seconds: 60 } }, []],
    ['of one that is debugged', { record: record(0), settings: { timeout_seconds: 60 }, debug: {} }, []],
    [
      'of one whose debugger has left',
      { record: record(500), settings: { timeout_seconds: 60 }, debug: { leftAt: 990_000 } },
      [timeout(60, 50)],
    ],
  ] as const)
    it(`${what}: ${expected.join(', ') || 'none'}`, async () => {
      setUp().arm(adopt(run));
      const { pending } = clock;
      await clock.advance(3_600_000);
      assert.deepEqual(seen, expected);
      assert.equal(pending, seen.filter((each) => / at /.test(each)).length, 'nothing is set that does not come');
    });

  it('come once, however often they are set', async () => {
    const timers = setUp();
    const run = adopt({ record: record(0), settings: { timeout_seconds: 60, ...warnAfter(20) } });
    timers.arm(run);
    run.settings = { timeout_seconds: 30, ...warnAfter(10) };
    timers.arm(run);
    assert.equal(clock.pending, 2);
    await clock.advance(600_000);
    assert.deepEqual(seen, [...warning('10.001'), timeout(30, 30)]);
  });

  it('do not come once they are cleared, those of the run alone or of all', async () => {
    const timers = setUp();
    const settings = { timeout_seconds: 60, ...warnAfter(20) };
    const [one, two] = [
      adopt({ record: record(0), settings }),
      adopt({ record: record(0, 'RUNNING', { runId: '5' }), settings }),
    ];
    timers.arm(one);
    timers.arm(two);
    timers.clear(two);
    timers.clear(two);
    assert.equal(clock.pending, 2);
    await clock.advance(30_000);
    assert.deepEqual(seen, warning('20.001'));
    timers.arm(two);
    timers.dispose();
    assert.equal(clock.pending, 0);
  });

  it('that cannot be stored is tried each second, for as long as the run is in care and the service goes on', async () => {
    const timers = setUp();
    const [one, two] = [
      adopt({ record: record(0), settings: { name: 'n', ...warnAfter(20) } }),
      adopt({ record: record(0, 'RUNNING', { runId: '5' }), settings: warnAfter(20) }),
    ];
    state.isFull = true;
    timers.arm(one);
    timers.arm(two);
    await clock.advance(21_500);
    assert.equal(errors.length, 4);
    assert.match(
      errors[0] ?? '',
      /^The duration warning of run 4 could not be stored, trying again in a second: the disk is full/,
    );
    active.release(two);
    state.isFull = false;
    await clock.advance(60_000);
    assert.deepEqual([seen, errors.length], [['{', 'warning of 4 at 22.001 with its settings', '}', 'wake'], 4]);
    timers.arm(adopt({ record: record(0, 'RUNNING', { dispatchedAt: clock.now() }), settings: warnAfter(1) }));
    state.isClosing = true;
    await clock.advance(5000);
    assert.equal(seen.length, 4);
  });

  it('follow the job: those of runs that go, of runs that wait for a place, and of retries that wait', async () => {
    const timers = setUp();
    const settings = { timeout_seconds: 60, name: 'n' };
    const plan = { settings: '{"name":"n","timeout_seconds":60}', parameters: '{"a":1}' };
    const [going, waiting, other] = [
      adopt({ record: record(10), settings, plan }),
      adopt({ record: { runId: '5', jobId: '7', lifeCycle: 'PENDING' }, settings, plan }),
      adopt({ record: record(0, 'RUNNING', { runId: '6', jobId: '8' }), settings, plan }),
    ];
    plans.set('9', plan);
    retries = [{ runId: '9' }, { runId: '10' }];
    for (const run of [going, waiting, other]) timers.arm(run);
    timers.timeoutChanged('7', 30);
    const changed = '{"name":"n","timeout_seconds":30}';
    assert.deepEqual(
      [going, waiting, other].map((run) => [run.settings.timeout_seconds, run.settings.name, run.plan]),
      [
        [30, 'n', { ...plan, settings: changed }],
        [30, 'n', { ...plan, settings: changed }],
        [60, 'n', plan],
      ],
    );
    assert.deepEqual(
      [...plans]
        .map(([runId, { settings: text }]) => [runId, text])
        .toSorted(([left = ''], [right = '']) => left.localeCompare(right)),
      [
        ['4', changed],
        ['5', changed],
        ['9', changed],
      ],
    );
    await clock.advance(20_000);
    assert.deepEqual([seen, clock.pending], [[timeout(30, 20)], 1]);
    timers.timeoutChanged('7', undefined);
    assert.deepEqual(
      [going.settings.timeout_seconds, plans.get('9')?.settings],
      [undefined, '{"name":"n","timeout_seconds":0}'],
    );
    timers.dispose();
  });
});
