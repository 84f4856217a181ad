import assert from 'node:assert/strict';
import { runJobTask, type ChildRunStarter } from '../../../../src/service/engine/runExecution.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';
import type { Store } from '../../../../src/service/store/store.ts';
import { isAppError } from '../../../../src/shared/errors.ts';

describe('a task that runs another job', () => {
  const run = (runId: string, more: Partial<RunRecord> = {}): RunRecord =>
    ({ runId, jobId: '7', lifeCycle: 'TERMINATED', message: '', ...more }) as RunRecord;

  /** An engine whose child ends with `end`; what it was asked for is in `asked`. */
  function setUp(
    end: RunRecord | undefined,
    more: { active?: RunRecord[]; known?: RunRecord[]; onStart?: (controller: AbortController) => void } = {},
  ) {
    const asked: string[] = [];
    const controller = new AbortController();
    const engine: ChildRunStarter = {
      start({ jobId, settings, trigger, parentRunId }) {
        asked.push(`start ${jobId} ${settings} ${trigger} of ${parentRunId}`);
        more.onStart?.(controller);
        return run('2');
      },
      cancel: (runId) => void asked.push(`cancel ${runId}`),
      get: (runId) => more.known?.find((each) => each.runId === runId),
      whenOver: (runId) => {
        asked.push(`wait ${runId}`);
        return Promise.resolve(end);
      },
    };
    const store = {
      jobs: { get: (jobId: string) => (jobId === '7' ? { settings: '{}' } : undefined) },
      runs: { active: () => more.active ?? [] },
    } as unknown as Store;
    const { signal } = controller;
    const context = { engine, store, signal, onStarted: () => void asked.push('started') };
    return { asked, controller, do: (target: string | bigint = '7', of = run('1')) => runJobTask(target, of, context) };
  }

  it('starts it, waits for its end and takes that over', async () => {
    const ok = setUp(run('3', { result: 'SUCCESS' }));
    assert.deepEqual(await ok.do(7n), { resultState: 'SUCCESS', stateMessage: 'Run 3 of job 7 succeeded.' });
    assert.deepEqual(ok.asked, ['started', 'start 7 {} ONE_TIME of 1', 'wait 2']);
    for (const [end, error] of [
      [run('3', { result: 'FAILED', message: 'No.' }), 'Run 3 of job 7 ended TERMINATED FAILED. No.'],
      [run('3', { lifeCycle: 'SKIPPED' }), 'Run 3 of job 7 ended SKIPPED.'],
      [undefined, 'Run 2 of job 7 was deleted before it was over.'],
    ] as const)
      assert.deepEqual(await setUp(end).do(), { resultState: 'FAILED', stateMessage: error, error });
  });

  it('ends it, and the attempt that is its latest, with the run: also where that ended while it started', async () => {
    const others = [run('5', { parentRunId: '1' }), run('6', { parentRunId: '9' }), run('8')];
    const atOnce = setUp(run('5'), { active: others, known: [run('2')], onStart: (controller) => controller.abort() });
    assert.deepEqual(await atOnce.do(), { resultState: 'CANCELED' });
    assert.deepEqual(atOnce.asked.slice(2), ['cancel 5', 'cancel 2', 'wait 2']);
    const later = setUp(run('5'), { active: others });
    const going = later.do();
    later.controller.abort();
    assert.deepEqual(await going, { resultState: 'CANCELED' });
    assert.deepEqual(later.asked.slice(2), ['wait 2', 'cancel 5']);
    // What is over is not cancelled with a run that ends later.
    const over = setUp(run('3', { result: 'SUCCESS' }), { known: [run('2')] });
    await over.do();
    over.controller.abort();
    assert.equal(over.asked.length, 3);
  });

  it('starts none that is not there, nor more than ten below each other', async () => {
    const none = setUp(undefined);
    const told = (kind: string, message: string, remedy: string) => (error: unknown) => {
      assert.ok(isAppError(error));
      assert.deepEqual([error.kind, error.message, error.remedy], [kind, message, remedy]);
      return true;
    };
    await assert.rejects(
      none.do('8'),
      told('notFound', 'Job 8 does not exist; nothing was run.', 'Correct job_id in run_job_task.'),
    );
    const chain = Array.from({ length: 11 }, (_, index) =>
      run(String(index), index === 0 ? {} : { parentRunId: String(index - 1) }),
    );
    const deep = setUp(run('3', { result: 'SUCCESS' }), { known: chain });
    await assert.rejects(
      deep.do('7', chain[10]),
      told(
        'invalid',
        'Jobs run each other more than 10 levels deep; job 7 was not run.',
        'Remove the circle from their run_job_task fields.',
      ),
    );
    const circle = [run('0', { parentRunId: '1' }), run('1', { parentRunId: '0' })];
    await assert.rejects(setUp(undefined, { known: circle }).do('7', circle[0]), /more than 10 levels deep/);
    const forgotten = setUp(run('3', { result: 'SUCCESS' }), { known: [] });
    assert.equal((await forgotten.do('7', run('1', { parentRunId: '0' }))).resultState, 'SUCCESS');
    assert.deepEqual([none.asked, deep.asked], [[], []]);
    assert.equal((await deep.do('7', chain[9])).resultState, 'SUCCESS');
  });
});
