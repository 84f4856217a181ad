import assert from 'node:assert/strict';
import type { LocalServiceClient, JobsClient } from '../../../../src/api/client/client.ts';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { LastRuns } from '../../../../src/runs/polling/lastRuns.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

describe('how each job went last', () => {
  let clock: FakeClock;
  let jobs: string[];
  let settled: Set<string>;
  let merged: string[];
  let asked: string[];
  let lastRuns: LastRuns;
  let signal: AbortSignal;
  let underWay: number;
  let maxUnderWay: number;
  /** What the service answers for a job, or fails with. */
  let answer: (jobId: string) => Run[] | AppError;

  beforeEach(() => {
    clock = new FakeClock();
    [jobs, merged, asked] = [['1', '2', '3'], [], []];
    settled = new Set();
    [underWay, maxUnderWay] = [0, 0];
    signal = new AbortController().signal;
    answer = (jobId) => [{ run_id: `r${jobId}`, job_id: jobId }];
    const store = {
      get unsettledJobIds() {
        return jobs.filter((id) => !settled.has(id));
      },
      jobsToAsk: () => jobs.filter((id) => !settled.has(id)).map((id): Job => ({ job_id: id })),
      job: (id: string) => (jobs.includes(id) ? { job_id: id } : undefined),
      isSettled: (id: string) => settled.has(id),
      settle: (ids: Iterable<string>) => [...ids].forEach((id) => settled.add(id)),
      mergeRuns: (runs: readonly Run[]) => merged.push(...runs.map(({ run_id }) => run_id)),
    };
    lastRuns = new LastRuns({ store: store as never, clock });
  });

  const service = {
    listRuns: async ({ job_id: id = '', limit }: { job_id?: string; limit?: number }, options: unknown) => {
      assert.deepEqual([limit === 20 ? 1 : limit, options], [1, { signal, retry: 'fail' }]);
      asked.push(limit === 1 ? id : `${limit} of ${id}`);
      maxUnderWay = Math.max(maxUnderWay, (underWay += 1));
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      const found = answer(id);
      if (found instanceof AppError) throw found;
      return { runs: found.slice(0, limit), has_more: false };
    },
  } as unknown as JobsClient;
  const fill = (): Promise<void> => lastRuns.fill({ jobs: service }, signal);

  it('is asked for one after the other, two at once', async () => {
    await fill();
    assert.deepEqual(asked, ['1', '2', '3']);
    assert.equal(maxUnderWay, 2);
    assert.deepEqual(
      [[...settled].sort(), merged.sort()],
      [
        ['1', '2', '3'],
        ['r1', 'r2', 'r3'],
      ],
    );
    await fill();
    assert.equal(asked.length, 3, 'what is known is not asked for again');
  });

  it('is asked for behind one that was skipped, and not once more', async () => {
    jobs = ['1', '2', '3'];
    const skipped = { life_cycle_state: 'SKIPPED' };
    answer = (id) => [
      { run_id: `new${id}`, job_id: id, ...(id === '2' ? {} : { state: skipped }) },
      { run_id: `old${id}`, job_id: id, ...(id === '3' ? { state: skipped } : {}) },
    ];
    await fill();
    assert.deepEqual(asked.toSorted(), ['1', '2', '20 of 1', '20 of 3', '3']);
    assert.deepEqual(merged.toSorted(), ['new1', 'new2', 'new3', 'old1', 'old3']);
    assert.deepEqual([[...settled].toSorted(), maxUnderWay], [['1', '2', '3'], 2]);
    await fill();
    assert.equal(asked.length, 5);
  });

  it('is asked for first where somebody points, the last one first, and each once', async () => {
    jobs = ['1', '2', '3', '4'];
    settled.add('4');
    for (const id of ['2', '3', '2', 'gone', '4']) lastRuns.want(id);
    await fill();
    assert.deepEqual(asked, ['2', '3', '1']);
    settled.delete('1');
    await fill();
    assert.deepEqual(asked.slice(3), ['1'], 'a wish is granted once');
  });

  it('is asked for of forty jobs at a time', async () => {
    jobs = Array.from({ length: 50 }, (_each, at) => String(at));
    for (const id of jobs) lastRuns.want(id);
    await fill();
    assert.equal(asked.length, 40);
    assert.equal(asked[0], '49');
    assert.ok(!asked.includes('0'));
  });

  it('is not asked for by two at once; a profile that is left says nothing of the next', async () => {
    const [first, second] = [fill(), fill()];
    assert.equal(first, second);
    lastRuns.want('3');
    lastRuns.clear();
    const third = fill();
    assert.notEqual(third, first);
    await Promise.all([first, third]);
    assert.deepEqual(asked.slice(0, 3).sort(), ['1', '2', '1'].sort());
  });

  it('is asked for again after ten minutes where the service refuses it for a job, or answers of another', async () => {
    answer = (id) => (id === '1' ? new AppError('forbidden', 'no') : id === '2' ? [{ run_id: 'x', job_id: '9' }] : []);
    await fill();
    assert.deepEqual([...settled], ['3']);
    lastRuns.want('1');
    await clock.advance(599_999);
    await fill();
    assert.equal(asked.length, 3);
    await clock.advance(1);
    lastRuns.want('2');
    await fill();
    assert.deepEqual(asked.slice(3), ['2', '1']);
    lastRuns.clear();
    await fill();
    assert.equal(asked.length, 7, 'another profile begins anew');
  });

  it('ends where the service fails, without a word, until the next look', async () => {
    answer = () => new AppError('network', 'gone');
    await fill();
    assert.deepEqual([asked.length, settled.size], [2, 0]);
    await fill();
    assert.equal(asked.length, 4);
  });

  it('ends for both that ask where the service fails one of them', async () => {
    jobs = ['1', '2', '3', '4', '5', '6'];
    answer = (jobId) => (jobId === '1' ? new AppError('unavailable', 'no') : [{ run_id: `r${jobId}`, job_id: jobId }]);
    await fill();
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(asked, ['1', '2']);
  });

  it('is left alone where it is given up', async () => {
    const given = new AbortController();
    signal = given.signal;
    answer = () => (given.abort(), [{ run_id: 'late' }]);
    await fill();
    assert.deepEqual([merged, settled.size, asked.length <= 2], [[], 0, true]);
  });

  it('is asked of the local service at once, page after page', async () => {
    const pages: unknown[] = [];
    const localService = {
      lastRuns: async (after: string | undefined, options: unknown) => {
        pages.push(after);
        assert.deepEqual(options, { signal, retry: 'fail' });
        return after === undefined ? { runs: [{ run_id: 'a' }], nextAfterJobId: '2' } : { runs: [{ run_id: 'b' }] };
      },
    } as unknown as LocalServiceClient;
    await lastRuns.fill({ jobs: service, localService }, signal);
    assert.deepEqual([pages, merged, [...settled], asked], [[undefined, '2'], ['a', 'b'], ['1', '2', '3'], []]);
    await lastRuns.fill({ jobs: service, localService }, signal);
    assert.equal(pages.length, 2, 'nothing is left to ask');
  });

  it('is asked for after what somebody waits for', async () => {
    const steps: string[] = [];
    const filling = fill();
    const held = Promise.withResolvers<void>();
    const waited = lastRuns.ask(async () => {
      steps.push(`asked after ${asked.length}`);
      await held.promise;
      return 'answer';
    });
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(steps, ['asked after 2'], 'the third one waits');
    held.resolve();
    assert.equal(await waited, 'answer');
    await filling;
    assert.deepEqual(asked, ['1', '2', '3']);
  });

  it('is wanted of the last forty that somebody points at, each once', async () => {
    jobs = Array.from({ length: 60 }, (_each, at) => String(at));
    for (let at = 0; at < 45; at += 1) lastRuns.want(String(at));
    for (let count = 0; count < 50; count += 1) lastRuns.want('44');
    await fill();
    assert.equal(asked.length, 40);
    assert.deepEqual(asked.slice(0, 2), ['44', '43']);
    assert.deepEqual(new Set(asked), new Set(Array.from({ length: 40 }, (_each, at) => String(44 - at))));
  });

  it('holds against no job that its answer was given up', async () => {
    answer = () => new AppError('aborted', 'left');
    await fill();
    answer = () => [];
    await fill();
    assert.deepEqual([...settled].toSorted(), ['1', '2', '3']);
    settled.clear();
    const given = new AbortController();
    signal = given.signal;
    answer = () => (given.abort(), new AppError('forbidden', 'no'));
    await fill();
    signal = new AbortController().signal;
    answer = () => [];
    await fill();
    assert.deepEqual([...settled].toSorted(), ['1', '2', '3']);
  });
});
