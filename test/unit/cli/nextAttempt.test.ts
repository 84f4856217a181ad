import assert from 'node:assert/strict';
import type { Client } from '../../../src/api/client/index.ts';
import type { JobSettings, Run } from '../../../src/api/schema/jobs/schemas.ts';
import { nextAttempt } from '../../../src/cli/runFile.ts';
import { runsWithNextAttempt } from '../../../src/runs/attempts.ts';
import { isAbort } from '../../../src/shared/errors.ts';

const run = (id: number, attempt: number, original: number, state = 'FAILED'): Run =>
  ({
    run_id: String(id),
    job_id: '1',
    attempt_number: attempt,
    original_attempt_run_id: String(original),
    start_time: 1,
    end_time: 2,
    state: { life_cycle_state: 'TERMINATED', result_state: state },
  }) as Run;

describe('the attempt that follows', () => {
  let lists: Run[][];
  let asked: unknown[];
  let waits: number[];
  let given: unknown[];
  beforeEach(() => ([lists, asked, waits, given] = [[], [], [], []]));
  const client = {
    jobs: {
      listRuns: async (question: unknown, options: { signal?: AbortSignal; retry?: string }) => {
        asked.push(question);
        given.push([options.signal instanceof AbortSignal, options.retry]);
        return { runs: lists.length > 1 ? lists.shift() : lists[0], has_more: false };
      },
    },
  } as unknown as Client;
  const next = async (of: Run, settings: JobSettings, signal = new AbortController().signal) =>
    (await nextAttempt(client, of, settings, { signal, retry: 'fail', gapInMs: 1, onWait: (ms) => waits.push(ms) }))
      ?.run_id;

  it('is the next of the same run, as soon as the service lists it', async () => {
    const first = run(5, 0, 5);
    lists = [[first], [run(8, 1, 4), first], [run(9, 2, 5), run(8, 1, 4), run(7, 1, 5), first]];
    assert.equal(await next(first, { max_retries: 3 }), '7');
    assert.equal(asked.length, 3);
    assert.equal((asked[0] as { job_id: string }).job_id, '1');
    assert.equal(await next(run(7, 1, 5), { max_retries: 3 }), '9');
    assert.deepEqual(waits, [0, 0]);
    assert.deepEqual(
      given,
      Array.from({ length: 4 }, () => [true, 'fail']),
    );
    assert.deepEqual(asked[0], { job_id: '1', limit: runsWithNextAttempt });
  });

  it('is not asked for where the settings have none', async () => {
    assert.equal(await next(run(5, 0, 5), {}), undefined);
    assert.equal(await next(run(5, 3, 2), { max_retries: 3 }), undefined);
    assert.equal(await next(run(5, 0, 5, 'SUCCESS'), { max_retries: 3 }), undefined);
    assert.equal(await next(run(5, 0, 5, 'CANCELED'), { max_retries: -1 }), undefined);
    assert.deepEqual([asked, waits], [[], []]);
  });

  it('is waited for no longer than somebody wants to', async () => {
    lists = [[]];
    const waiting = next(run(5, 0, 5), { max_retries: 1, min_retry_interval_millis: 60_000 }, AbortSignal.timeout(20));
    await assert.rejects(waiting, isAbort);
    assert.deepEqual(waits, [59_999]);
  });
});
