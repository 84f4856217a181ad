import assert from 'node:assert/strict';
import type { NewRun, RunRecord } from '../../../../src/service/store/runRecord.ts';
import type { Store } from '../../../../src/service/store/store.ts';
import { eachWithStore, listedJobs } from '../support/storeBench.ts';

describe('Stored jobs', () => {
  let store: Store;
  eachWithStore((one) => (store = one));

  const add = (settings = '{"name":"a"}', nextFireAt?: number): string =>
    store.jobs.insert({ settings, creator: 'it\'s "me"', createdAt: 5 }, nextFireAt);

  it('are listed in pieces, each once', () => {
    assert.deepEqual([...store.jobs.list()], []);
    const large = JSON.stringify({ name: 'x'.repeat(100_000) });
    const ids = Array.from({ length: 7 }, () => add(large));
    const pieces = [...store.jobs.list()].map((piece) => Buffer.from(piece).toString());
    assert.deepEqual(
      pieces.map((piece) => [piece[0], [...piece.matchAll(/"job_id":/g)].length]),
      [
        ['{', 3],
        [',', 3],
        [',', 1],
      ],
    );
    assert.deepEqual(
      listedJobs(store).map(({ job_id: id }) => String(id)),
      ids.toReversed(),
    );
  });

  it('have ids that are never reused', () => {
    const taken = store.jobs.takeId();
    const jobId = add();
    assert.deepEqual([Number(jobId) - Number(taken), Number(store.jobs.takeId()) - Number(jobId)], [1, 1]);
    assert.deepEqual(
      [
        store.jobs.nextNumber(jobId),
        store.jobs.nextNumber(jobId),
        store.jobs.nextNumber(add()),
        store.jobs.nextNumber('999'),
      ],
      [1, 2, 1, 1],
    );
  });
});

describe('Stored runs', () => {
  const fresh: NewRun = {
    numberInJob: 3,
    attemptNumber: 1,
    runType: 'JOB_RUN',
    trigger: 'RETRY',
    runName: 'r',
    creator: 'c',
    detail: '"task":{}',
    lifeCycle: 'PENDING',
    message: 'm',
    createdAt: 100,
  };
  const plan = { settings: '{"a":1}', parameters: '{"b":2}' };

  let store: Store;
  let jobId: string;
  eachWithStore((one) => {
    store = one;
    jobId = addJob();
  });

  const addJob = (): string => store.jobs.insert({ settings: '{}', creator: 'c', createdAt: 1 }, undefined);
  const add = (more: Partial<NewRun> = {}): RunRecord => store.runs.insert({ ...fresh, jobId, ...more }, plan);
  const ids = (runs: readonly RunRecord[]): string[] => runs.map(({ runId }) => runId);

  it('have ids that are never reused', () => {
    const [first, second] = [add(), add()];
    store.runs.delete(second.runId);
    store.runs.delete(first.runId);
    const third = add();
    assert.deepEqual(ids([first, second, third]), ['1', '2', '3']);
  });
});
