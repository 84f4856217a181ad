import assert from 'node:assert/strict';
import type { ActiveRun } from '../../../../src/service/engine/activeRun.ts';
import { ActiveRuns } from '../../../../src/service/engine/activeRuns.ts';
import { createDispatcher } from '../../../../src/service/engine/dispatcher.ts';
import type { Happening } from '../../../../src/service/engine/runJournal.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

describe('the places of the machine', () => {
  const at = 1_000_000;
  let clock: FakeClock;
  let active: ActiveRuns;
  /** What was dispatched, each time that it was looked. */
  let dispatched: string[][];
  beforeEach(() => {
    clock = new FakeClock(at);
    active = new ActiveRuns();
    dispatched = [];
  });
  const setUp = (places: number) =>
    createDispatcher({
      active,
      clock,
      places,
      journal: {
        record: () => assert.fail('what cannot be stored now is stored later'),
        recordSoon(happenings: readonly Happening[]) {
          dispatched.push(
            happenings.map(({ run, event }) => {
              assert.deepEqual([event.type, event.at], ['dispatched', clock.now()]);
              return `${run.record.runId} on ${event.type === 'dispatched' ? event.clusterId : ''}`;
            }),
          );
          for (const { run } of happenings) run.record = { ...run.record, dispatchedAt: clock.now() };
        },
      } as never,
    });
  const adopt = (runId: string, record: object = {}, settings: object = {}): ActiveRun => {
    const run = { record: { runId, lifeCycle: 'PENDING', ...record }, settings } as unknown as ActiveRun;
    active.adopt(run);
    return run;
  };
  const waits = { run_job_task: { job_id: '7' } };

  it('are given in the order of the start, all of one turn at once', async () => {
    const dispatcher = setUp(2);
    for (const runId of ['9', '10', '11']) adopt(runId);
    dispatcher.check();
    dispatcher.check();
    assert.deepEqual([dispatched, clock.pending, clock.nextDelayInMs], [[], 1, 0]);
    await clock.advance(0);
    assert.deepEqual(dispatched, [['9 on local-9', '10 on local-10']]);
    dispatcher.check();
    await clock.advance(0);
    assert.deepEqual(dispatched.splice(0).slice(1), [[]]);
    active.release(active.find('9')!);
    dispatcher.check();
    await clock.advance(0);
    assert.deepEqual(dispatched, [['11 on local-11']]);
  });

  it('are taken by runs that were dispatched, until they are over', async () => {
    const dispatcher = setUp(3);
    adopt('1', { dispatchedAt: at, lifeCycle: 'RUNNING' });
    adopt('2', { dispatchedAt: at, lifeCycle: 'TERMINATING' });
    // It was cancelled before it had one.
    adopt('3', { lifeCycle: 'TERMINATING' });
    adopt('4', {}, { existing_cluster_id: 'mine' });
    adopt('5');
    dispatcher.check();
    await clock.advance(0);
    assert.deepEqual(dispatched, [['4 on mine']]);
  });

  it('are neither taken nor needed by runs that only wait for another', async () => {
    const dispatcher = setUp(1);
    adopt('1', { dispatchedAt: at, lifeCycle: 'RUNNING' }, waits);
    adopt('2', {}, waits);
    adopt('3');
    adopt('4');
    adopt('5', {}, waits);
    dispatcher.check();
    await clock.advance(0);
    assert.deepEqual(dispatched, [['2 on local-2', '3 on local-3', '5 on local-5']]);
  });

  for (const how of ['resolve', 'reject'] as const)
    it(`are given to nobody while something is still being ended, though that may ${how}`, async () => {
      const dispatcher = setUp(2);
      adopt('1');
      const ended = Promise.withResolvers<undefined>();
      dispatcher.check();
      const settled = ended.promise.catch(() => undefined);
      dispatcher.holdUntil(settled);
      dispatcher.check();
      await clock.advance(5000);
      assert.deepEqual([dispatched, clock.pending], [[], 0]);
      ended[how](undefined);
      await clock.advance(0);
      assert.deepEqual(dispatched, [['1 on local-1']]);
    });

  it('are given to nobody once the service ends', async () => {
    const dispatcher = setUp(2);
    adopt('1');
    const ended = Promise.withResolvers<undefined>();
    dispatcher.holdUntil(ended.promise);
    dispatcher.check();
    dispatcher.dispose();
    assert.equal(clock.pending, 0);
    ended.resolve(undefined);
    dispatcher.check();
    await settle();
    assert.deepEqual([clock.pending, dispatched], [0, []]);
  });
});
