import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunLoader } from '../../../../src/runs/polling/runLoader.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';

interface Asked {
  question: object;
  options: { signal: AbortSignal; retry?: string };
}

const run = (runId: number, jobId = '1'): Run =>
  ({ run_id: `${runId}`, job_id: jobId, number_in_job: `${runId}`, run_type: 'JOB_RUN', start_time: runId }) as Run;
const runsFrom = (first: number, count: number, jobId?: string): Run[] =>
  Array.from({ length: count }, (_, index) => run(first - index, jobId));

describe('what reads more runs', () => {
  let store: RunStore;
  let loader: RunLoader;
  let asked: Asked[];
  let askedOfPoller: number;
  let answer: { runs: Run[]; has_more: boolean };
  /** What the service waits for before it answers. */
  let answers: (() => Promise<void>) | undefined;
  let isUsed: boolean;

  beforeEach(() => {
    [asked, askedOfPoller, answers, isUsed] = [[], 0, undefined, true];
    answer = { runs: runsFrom(100, 20), has_more: true };
    store = new RunStore();
    store.setJobs([{ job_id: '1', settings: { name: 'etl' } }], 1);
    const jobs = {
      async listRuns(question: object, options: Asked['options']) {
        asked.push({ question, options });
        await answers?.();
        return answer;
      },
    };
    loader = new RunLoader({
      connections: {
        connectIfUsed: async () => (isUsed ? ({ client: { jobs } } as never) : undefined),
      },
      store,
      poller: {
        ask(question) {
          askedOfPoller += 1;
          return question();
        },
      },
    });
  });
  afterEach(() => {
    loader.dispose();
    store.dispose();
  });
  const questions = (): object[] => asked.map(({ question }) => question);

  it('asks once for the newest runs of a job, or of none, and is not tried again', async () => {
    await loader.load('1');
    assert.deepEqual([store.runsOf('1')?.runs.length, store.runsOf('1')?.hasMore], [20, true]);
    assert.equal(store.oneTimeRuns?.runs.length ?? 0, 0);
    answer = { runs: [{ ...run(7), run_type: 'SUBMIT_RUN' } as Run], has_more: false };
    await loader.load(undefined);
    assert.deepEqual([store.oneTimeRuns?.runs.length, store.oneTimeRuns?.hasMore], [1, false]);
    assert.deepEqual(questions(), [
      { job_id: '1', limit: 20 },
      { run_type: 'SUBMIT_RUN', limit: 20 },
    ]);
    assert.deepEqual(
      asked.map(({ options }) => options.retry),
      ['fail', 'fail'],
    );
    assert.equal(askedOfPoller, 2, 'within the requests that the polls allow');
  });

  it("goes on behind those that are there where all jobs' runs stand together", async () => {
    answer = { runs: runsFrom(500, 100), has_more: true };
    await loader.loadAll({ older: false });
    answer = { runs: runsFrom(400, 50), has_more: false };
    await loader.loadAll({ older: true });
    assert.deepEqual(questions(), [{ limit: 100 }, { limit: 100, offset: 100 }]);
    assert.deepEqual([store.allRuns?.runs.length, store.allRuns?.hasMore], [150, false]);
    await loader.loadAll({ older: false });
    assert.deepEqual(questions().at(-1), { limit: 100 });
    assert.equal(asked.at(-1)?.options.retry, 'fail');
    await loader.loadAll({ older: true });
    assert.ok(asked.every(({ options }) => !options.signal.aborted));
  });

  it("keeps nothing of the profile before, and asks the new one's", async () => {
    for (const load of [() => loader.load('1'), () => loader.loadAll({ older: false })]) {
      answers = async () => loader.changeProfile();
      await assert.rejects(load(), { name: 'AbortError' });
      assert.equal(asked.at(-1)?.options.signal.aborted, true);
    }
    assert.equal(store.runsOf('1'), undefined);
    assert.equal(store.allRuns, undefined);
    answers = undefined;
    await loader.load('1');
    assert.equal(store.runsOf('1')?.runs.length, 20);
  });
});
