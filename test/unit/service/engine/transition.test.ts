import assert from 'node:assert/strict';
import { transition, withNote, type RunEvent } from '../../../../src/service/engine/transition.ts';
import type { RunProgress } from '../../../../src/service/store/runRecord.ts';

const waiting: RunProgress = { lifeCycle: 'PENDING', message: '', createdAt: 0 };
const prepared: RunProgress = { ...waiting, dispatchedAt: 1, clusterId: 'local' };
const running: RunProgress = { ...prepared, lifeCycle: 'RUNNING', runningAt: 2 };
const ending: RunProgress = { ...running, lifeCycle: 'TERMINATING', result: 'SUCCESS', terminatingAt: 3 };
const cancelling: RunProgress = {
  ...running,
  lifeCycle: 'TERMINATING',
  result: 'CANCELED',
  stopping: 'CANCELED',
  terminatingAt: 3,
};
const cancelledEarly: RunProgress = { ...prepared, lifeCycle: 'TERMINATING', stopping: 'CANCELED', terminatingAt: 3 };
const over: RunProgress = { ...ending, lifeCycle: 'TERMINATED', endedAt: 4 };
const skipped: RunProgress = { ...waiting, lifeCycle: 'SKIPPED', endedAt: 0 };
const broken: RunProgress = { ...running, lifeCycle: 'INTERNAL_ERROR', result: 'FAILED', endedAt: 4 };

const events: Record<string, RunEvent> = {
  skipped: { type: 'skipped', at: 9, message: 'm' },
  dispatched: { type: 'dispatched', at: 9, clusterId: 'c' },
  started: { type: 'started', at: 9, sparkContextId: 's' },
  finished: { type: 'finished', at: 9, result: 'FAILED', message: 'm' },
  notCarriedOut: { type: 'notCarriedOut', at: 9, message: 'm' },
  cancelRequested: { type: 'cancelRequested', at: 9, message: 'm' },
  timedOut: { type: 'timedOut', at: 9, message: 'm' },
  cleaned: { type: 'cleaned', at: 9 },
  serviceLost: { type: 'serviceLost', at: 9, message: 'm' },
};

describe('Run life cycle', () => {
  it('leaves a run in a terminal state as it is', () => {
    for (const run of [over, skipped, broken]) {
      for (const event of Object.values(events)) assert.deepEqual(transition(run, event), { run, effects: [] });
    }
  });

  it('never changes a result once it exists', () => {
    const states = [waiting, prepared, running, ending, cancelling, cancelledEarly];
    for (const first of states) {
      for (const one of Object.values(events)) {
        for (const two of Object.values(events)) {
          const middle = transition(first, one).run;
          const last = transition(middle, two).run;
          if (middle.result !== undefined)
            assert.equal(last.result, middle.result, `${first.lifeCycle} ${one.type} ${two.type}`);
        }
      }
    }
  });

  it('has no result while PENDING, RUNNING or SKIPPED and always one when TERMINATED', () => {
    const seen = new Set<RunProgress>([waiting]);
    for (const run of seen) {
      for (const event of Object.values(events)) {
        const next = transition(run, event).run;
        if (['PENDING', 'RUNNING', 'SKIPPED'].includes(next.lifeCycle)) assert.equal(next.result, undefined);
        if (next.lifeCycle === 'TERMINATED') assert.notEqual(next.result, undefined);
        if (seen.size < 500 && next !== run) seen.add(next);
      }
    }
    assert.ok(seen.size > 20);
  });

  it('ends a run with TIMEDOUT whose time was up before it started', () => {
    assert.equal(transition({ ...cancelledEarly, stopping: 'TIMEDOUT' }, events['cleaned']!).run.result, 'TIMEDOUT');
    assert.equal(transition({ ...cancelledEarly, stopping: undefined }, events['cleaned']!).run.result, 'CANCELED');
  });

  it('keeps why a run was ended and adds only what its task reported', () => {
    const asked = { ...cancelling, message: 'The run was cancelled by a user.' };
    const finished: RunEvent = {
      type: 'finished',
      at: 9,
      result: 'SUCCESS',
      message: 'Too late.',
      note: 'Its log was cut.',
    };
    assert.equal(transition(asked, finished).run.message, 'The run was cancelled by a user. Its log was cut.');
    assert.equal(transition(asked, { ...finished, note: undefined }).run.message, asked.message);
    assert.equal(transition(asked, events['notCarriedOut']!).run.message, asked.message);
    assert.deepEqual([withNote('', 'b'), withNote('a', undefined), withNote('a', 'b')], ['b', 'a', 'a b']);
  });
});
