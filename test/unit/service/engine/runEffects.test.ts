import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActiveRun } from '../../../../src/service/engine/activeRun.ts';
import { createRunEffects } from '../../../../src/service/engine/engine.ts';
import type { Happening } from '../../../../src/service/engine/runJournal.ts';
import { runFolder } from '../../../../src/service/engine/runStart.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { eventually } from '../../../support/eventually.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { createFakeRunners, type FakeRunners } from '../support/fakeRunners.ts';

describe('what follows from a change of a run', () => {
  let folder: string;
  let clock: FakeClock;
  let runners: FakeRunners;
  let calls: string[];
  let isClosing: boolean;
  /** What happens while something is stored. */
  let onRecord: (() => void) | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-effects-'));
    [clock, runners, calls, isClosing] = [new FakeClock(5000), createFakeRunners(), [], false];
    onRecord = undefined;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const setUp = () => {
    const told =
      (what: string) =>
      (run?: ActiveRun): void =>
        void calls.push(run ? `${what} ${run.record.runId}` : what);
    return createRunEffects({
      store: { changes: { add: (what: string) => void calls.push(`changed ${what}`) } } as never,
      clock,
      runners,
      logger: silentLogger,
      journal: {
        record: () => assert.fail('what cannot be stored now is stored later'),
        recordSoon(happenings: readonly Happening[]) {
          calls.push(happenings.map(({ run, event }) => `${event.type} ${run.record.runId} ${event.at}`).join(', '));
          onRecord?.();
          onRecord = undefined;
        },
      },
      dataFolder: folder,
      children: {} as never,
      isClosing: () => isClosing,
      notifier: { wake: told('wake') } as never,
      active: { release: told('release') } as never,
      timers: { arm: told('arm'), clear: told('clear') } as never,
      dispatcher: { check: told('dispatch') } as never,
      retries: { check: told('retry') } as never,
    });
  };
  const run = (runId = '4', more: object = {}, record: object = {}): ActiveRun =>
    ({
      record: { runId, runName: 'j', lifeCycle: 'PENDING', createdAt: 0, attemptNumber: 0, ...record },
      settings: { spark_python_task: { python_file: '/a.py' } },
      plan: { settings: '{}', parameters: '{}' },
      abort: new AbortController(),
      ...more,
    }) as unknown as ActiveRun;

  it('a task is carried out, with its time-out from then on', async () => {
    const effects = setUp();
    const one = run();
    effects.execute(one);
    assert.deepEqual([calls, runners.last.request.runId], [['arm 4'], '4']);
    let isOver = false;
    void one.execution?.then(() => (isOver = true));
    runners.last.started();
    await settle();
    assert.equal(isOver, false);
    runners.last.succeed();
    await one.execution;
    assert.deepEqual(calls, ['arm 4', 'started 4 5000', 'finished 4 5000']);
  });

  it('a task is aborted, and its time-out does not come any more', () => {
    const effects = setUp();
    const one = run();
    effects.abort(one);
    assert.deepEqual([calls, one.abort.signal.aborted], [['clear 4'], true]);
  });

  it('runs that end together are cleaned together, once and with the next turn', async () => {
    const effects = setUp();
    for (const runId of ['4', '5']) effects.cleanUp(run(runId));
    assert.deepEqual([calls, clock.pending, clock.nextDelayInMs], [['clear 4', 'clear 5'], 1, 0]);
    await clock.advance(0);
    assert.deepEqual(calls.splice(0).slice(2), ['cleaned 4 5000, cleaned 5 5000']);
    await clock.advance(7);
    effects.cleanUp(run('6'));
    await clock.advance(0);
    assert.deepEqual(calls, ['clear 6', 'cleaned 6 5007']);
  });

  it('one that is cleaned while others are being stored waits for its own turn', async () => {
    const effects = setUp();
    effects.cleanUp(run('4'));
    // Such as a run that another waits for, whose end is stored.
    onRecord = () => effects.cleanUp(run('5'));
    await clock.advance(0);
    assert.deepEqual(calls, ['clear 4', 'cleaned 4 5000', 'clear 5', 'cleaned 5 5000']);
  });

  it('a start is announced', () => {
    setUp().announceStart(run());
    assert.deepEqual(calls, ['wake']);
  });

  it('a run that is over leaves the care and its place, and messages go out', () => {
    setUp().settle(run());
    assert.deepEqual(calls, ['clear 4', 'release 4', 'wake', 'dispatch']);
    calls.length = 0;
    setUp().settle(run('5', {}, { retryAt: 0 }));
    assert.deepEqual(calls, ['clear 5', 'release 5', 'retry', 'wake', 'dispatch']);
  });

  it('the folder of a run goes with it where its job is gone', async () => {
    for (const runId of ['4', '5']) mkdirSync(runFolder(folder, runId), { recursive: true });
    const effects = setUp();
    effects.settle(run('5', {}, { hidden: false }));
    effects.settle(run('4', {}, { hidden: true }));
    await eventually(() => assert.equal(existsSync(runFolder(folder, '4')), false));
    assert.equal(existsSync(runFolder(folder, '5')), true);
  });

  it('views hear when a debugged run stands still and goes on, and its time-out begins as the debugger leaves', async () => {
    const effects = setUp();
    const one = run('4', { debug: { progress: { phase: 'waiting' } } });
    effects.execute(one);
    calls.length = 0;
    for (const [phase, expected] of [
      ['installing', []],
      ['held', ['changed runs']],
      ['held', []],
      ['going', ['changed runs']],
      ['left', ['arm 4']],
    ] as const) {
      runners.last.debugging({ phase });
      assert.deepEqual(
        [calls.splice(0), one.debug],
        [expected, { progress: { phase }, ...(phase === 'left' && { leftAt: 5000 }) }],
        phase,
      );
    }
  });

  it('nothing follows from a debugger where nobody debugs', () => {
    const effects = setUp();
    const one = run();
    effects.execute(one);
    for (const phase of ['held', 'left'] as const) runners.last.debugging({ phase });
    assert.deepEqual([calls, one.debug], [['arm 4'], undefined]);
  });
});
