import assert from 'node:assert/strict';
import type { ActiveRun } from '../../../../src/service/engine/activeRun.ts';
import { parseSettings } from '../../../../src/service/engine/engineSettings.ts';
import { executeRun, type ExecutionOptions } from '../../../../src/service/engine/runExecution.ts';
import type { Happening } from '../../../../src/service/engine/runJournal.ts';
import type { Runner, RunOutcome } from '../../../../src/service/runners/runner.ts';
import { AppError, type ErrorKind } from '../../../../src/shared/errors.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

describe('carrying a run out', () => {
  const aborting = new AbortController();
  /** Carries out a run whose runner does this; `told` has what was recorded, logged and stored. */
  async function execute(
    run: Runner['run'],
    more: { settings?: object; debug?: boolean; isClosing?: boolean; stopping?: 'CANCELED' | 'TIMEDOUT' } = {},
  ) {
    const told: unknown[] = [];
    const active = {
      record: { runId: '4', jobId: '7', runName: 'r', attemptNumber: 0, createdAt: 0, stopping: more.stopping },
      settings: parseSettings(JSON.stringify({ spark_python_task: { python_file: '/a.py' }, ...more.settings })),
      plan: { settings: '{}', parameters: '{}' },
      abort: aborting,
      ...(more.debug && { debug: { progress: { phase: 'waiting' } } }),
    } as unknown as ActiveRun;
    await executeRun(active, {
      store: {
        processes: {
          insert: (runId: string, { pid }: { pid: number }) => void told.push(`process ${pid} of ${runId}`),
        },
        jobs: { get: () => undefined },
        runs: { active: () => [] },
      },
      clock: new FakeClock(1000),
      runners: { forTask: () => ({ run }) },
      logger: { warn: (text: string) => void told.push(text) },
      journal: {
        recordSoon: (happenings: readonly Happening[]) =>
          void told.push(
            ...happenings.map(({ run: of, event, outcome }) => (assert.equal(of, active), { ...event, outcome })),
          ),
      },
      dataFolder: '/data',
      children: { get: () => undefined },
      onDebugging: (of: ActiveRun, { phase }: { phase: string }) => void told.push(`${of === active} ${phase}`),
      isClosing: () => more.isClosing === true,
    } as unknown as ExecutionOptions);
    return told;
  }
  const ends = (outcome: RunOutcome) => () => Promise.resolve(outcome);
  const fails =
    (kind: ErrorKind, message = 'No.') =>
    () =>
      Promise.reject(new AppError(kind, message, { remedy: 'Do.' }));

  it('records its start, its processes and its end', async () => {
    const told = await execute(async (_request, events, { signal }) => {
      assert.equal(signal, aborting.signal);
      events.onSpawned?.({ pid: 12, startTime: '' });
      events.onStarted();
      events.onDebugging?.({ phase: 'held' });
      return { resultState: 'SUCCESS', note: 'A note.', notebookResult: { result: 'r', truncated: false } };
    });
    assert.deepEqual(told, [
      'process 12 of 4',
      { type: 'started', at: 1000, sparkContextId: '4', note: undefined, outcome: undefined },
      'true held',
      {
        type: 'finished',
        at: 1000,
        result: 'SUCCESS',
        message: 'A note.',
        note: 'A note.',
        outcome: { error: undefined, errorTrace: undefined, notebookResult: { result: 'r', truncated: false } },
      },
    ]);
  });

  it('says at its start that it is debugged, and which settings mean nothing here', async () => {
    const start: Runner['run'] = async (_request, { onStarted }) => (onStarted(), { resultState: 'SUCCESS' });
    const noteOf = async (more: Parameters<typeof execute>[1]) =>
      ((await execute(start, more))[0] as { note?: string }).note;
    const settings = { new_cluster: { node_type_id: 'x' } };
    const debugged = 'It is debugged: it may wait at a breakpoint, its time-out rests, and it is not retried.';
    const without = 'On this machine node_type_id has no effect.';
    assert.equal(await noteOf({ debug: true }), debugged);
    assert.equal(await noteOf({ settings }), without);
    assert.equal(await noteOf({ debug: true, settings }), `${debugged} ${without}`);
  });

  for (const [outcome, message] of [
    [{ resultState: 'FAILED', stateMessage: 'Code 1.', error: 'It broke.', note: 'N.' }, 'Code 1. N.'],
    [{ resultState: 'FAILED', error: 'It broke.' }, 'It broke.'],
    [{ resultState: 'SUCCESS' }, ''],
  ] as const)
    it(`says of its end "${message}"`, async () => {
      const [event] = (await execute(ends(outcome))) as { message: string; result: string; outcome: unknown }[];
      assert.deepEqual([event?.message, event?.result], [message, outcome.resultState]);
      assert.equal(event?.outcome === undefined, !('error' in outcome));
    });

  for (const [kind, type, result] of [
    ['invalid', 'finished', 'FAILED'],
    ['notFound', 'finished', 'FAILED'],
    ['rejected', 'finished', 'FAILED'],
    ['unavailable', 'notCarriedOut', undefined],
    ['internal', 'notCarriedOut', undefined],
  ] as const)
    it(`is ${type} where it ends in an error that is ${kind}`, async () => {
      const [logged, event] = (await execute(fails(kind))) as [
        string,
        { type: string; at: number; result?: string; message: string; outcome?: object },
      ];
      assert.equal(logged, 'Run 4 could not be carried out: No. Do.');
      assert.deepEqual(
        [event.type, event.at, event.result, event.message, event.outcome],
        [type, 1000, result, 'No. Do.', { error: 'No. Do.' }],
      );
    });

  it('logs nothing of one that was aborted, and a runner that is not there is its end', async () => {
    const [event] = (await execute(fails('aborted'))) as { type: string }[];
    assert.equal(event?.type, 'notCarriedOut');
    const throws = (): never => {
      throw new Error('a defect');
    };
    assert.deepEqual(((await execute(throws)) as [string, { type: string }])[1].type, 'notCarriedOut');
  });

  it('says nothing of what ends with the service alone', async () => {
    const [canceled, success] = [ends({ resultState: 'CANCELED' }), ends({ resultState: 'SUCCESS' })];
    assert.deepEqual(await execute(canceled, { isClosing: true }), []);
    assert.deepEqual(await execute(fails('aborted'), { isClosing: true }), []);
    for (const [run, more] of [
      [canceled, {}],
      [success, { isClosing: true }],
      [canceled, { isClosing: true, stopping: 'CANCELED' }],
      [canceled, { isClosing: true, stopping: 'TIMEDOUT' }],
      [fails('aborted'), { isClosing: true, stopping: 'CANCELED' }],
    ] as const)
      assert.equal((await execute(run, more)).length, 1);
    assert.equal((await execute(fails('internal'), { isClosing: true })).length, 2);
  });

  it('starts the other job of a run-job task, and no runner', async () => {
    const told = (await execute(() => assert.fail('a runner was asked'), {
      settings: { spark_python_task: undefined, run_job_task: { job_id: 8 } },
    })) as { type?: string; message?: string }[];
    assert.deepEqual(told.map((each) => each.type).filter(Boolean), ['finished']);
    assert.match(told.at(-1)?.message ?? '', /8/);
  });
});
