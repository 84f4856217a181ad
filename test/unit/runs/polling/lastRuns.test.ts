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
});
