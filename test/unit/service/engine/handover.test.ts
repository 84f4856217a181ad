import assert from 'node:assert/strict';
import type { ActiveRun } from '../../../../src/service/engine/activeRun.ts';
import { ActiveRuns } from '../../../../src/service/engine/activeRuns.ts';
import { createHandover } from '../../../../src/service/engine/engine.ts';
import type { Happening } from '../../../../src/service/engine/runJournal.ts';
import { serviceStops } from '../../../../src/service/runners/runner.ts';
import type { RunPlan, RunRecord } from '../../../../src/service/store/runRecord.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

const lost = 'The local service ended while the run was going, which ended the run. Run the job again.';

describe('what a service leaves to the next', () => {
  let active: ActiveRuns;
  let stored: RunRecord[];
  let plans: Map<string, RunPlan>;
  let calls: string[];
  let isFull: boolean;
  let clock: FakeClock;
  beforeEach(() => {
    clock = new FakeClock(5000);
    active = new ActiveRuns();
    [stored, plans, calls, isFull] = [[], new Map(), [], false];
  });
  const setUp = () =>
    createHandover({
      store: {
        runs: { active: () => stored },
        runParts: { plan: (runId: string) => plans.get(runId) },
        processes: {
          clear() {
            if (isFull) throw new Error('the disk is full');
            calls.push('no processes');
          },
        },
      } as never,
      clock,
      logger: { ...silentLogger, error: (text) => void calls.push(text) },
      active,
      journal: {
        record: () => assert.fail('what cannot be stored now is stored later'),
        recordSoon(happenings: readonly Happening[]) {
          const [{ event }] = happenings as [Happening];
          assert.deepEqual(event, { type: 'serviceLost', at: clock.now(), message: lost });
          for (const happening of happenings) assert.deepEqual(happening.event, event);
          calls.push(`lost ${happenings.map(({ run }) => run.record.runId).join(' ')}`);
        },
      } as never,
      retries: { check: () => void calls.push('retries') } as never,
      dispatcher: {
        check: () => void calls.push('dispatch'),
        holdUntil: (ended: Promise<unknown>) => {
          calls.push('hold');
          void ended.then(() => calls.push('go on'));
        },
      } as never,
    });
  const record = (runId: string, more: Partial<RunRecord> = {}): RunRecord =>
    ({ runId, lifeCycle: 'PENDING', ...more }) as RunRecord;
  const adopt = (runId: string, settings: object = {}): ActiveRun => {
    const run = { record: record(runId), settings, abort: new AbortController() } as ActiveRun;
    active.adopt(run);
    return run;
  };

  it('runs that only wait are taken up with what they were started with, and nothing is ended', () => {
    stored = [record('1'), record('2')];
    const plan = { settings: '{"name":"n","timeout_seconds":4,"libraries":null}', parameters: '{"a":1}' };
    plans.set('1', plan);
    setUp().takeUp(() => assert.fail('there is nothing to end'));
    assert.deepEqual(
      active.all.map((run) => [run.record, run.plan, run.settings, run.abort.signal.aborted]),
      [
        [stored[0], plan, { name: 'n', timeout_seconds: 4 }, false],
        [stored[1], { settings: '{}', parameters: '{}' }, {}, false],
      ],
    );
    assert.deepEqual(calls, ['lost 1 2', 'retries', 'dispatch']);
  });

  for (const [what, going] of [
    ['one that had a place', { dispatchedAt: 4 }],
    ['one that was going', { dispatchedAt: 4, lifeCycle: 'RUNNING' }],
    ['one that was ending before it had a place', { lifeCycle: 'TERMINATING' }],
  ] as const)
    it(`what ${what} has left is ended before anything begins`, async () => {
      stored = [record('1', going), record('2')];
      const ended = Promise.withResolvers<undefined>();
      setUp().takeUp(() => ended.promise);
      await settle();
      assert.deepEqual(
        calls.splice(0).filter((each) => each !== 'dispatch'),
        ['hold', 'lost 1 2', 'retries'],
      );
      ended.resolve(undefined);
      await settle();
      assert.deepEqual(calls.toSorted(), ['go on', 'no processes']);
    });

  it('that cannot be ended is told of in the log, and holds nothing up', async () => {
    stored = [record('1', { lifeCycle: 'RUNNING' })];
    isFull = true;
    setUp().takeUp(() => Promise.reject(new Error('not permitted')));
    await settle();
    assert.deepEqual(calls.slice(-3).toSorted(), [
      'The list of processes could not be emptied: the disk is full',
      'What an earlier service left running could not be ended: not permitted',
      'go on',
    ]);
  });

  it('tasks are ended by the service, waited for, and their runs marked', async () => {
    const [one, other] = [adopt('1'), adopt('2', { run_job_task: { job_id: '7' } })];
    const ending = Promise.withResolvers<void>();
    one.execution = ending.promise;
    other.execution = new Promise(() => undefined);
    const left = setUp().leave();
    assert.deepEqual([one.abort.signal.reason, other.abort.signal.aborted], [serviceStops, false]);
    await settle();
    assert.deepEqual(calls, []);
    ending.reject(new Error('a defect'));
    await left;
    assert.deepEqual(calls, ['lost 1 2']);
  });

  it('tasks that do not end are not waited for longer than people would, and are left to the next service', async () => {
    adopt('1').execution = new Promise(() => undefined);
    adopt('2').execution = Promise.resolve();
    const left = setUp().leave();
    await clock.advance(599);
    assert.deepEqual(calls, []);
    await clock.advance(1);
    await left;
    assert.deepEqual(calls, ['lost 2'], 'what the other one has left is known by its run, which still goes on');
  });
});
