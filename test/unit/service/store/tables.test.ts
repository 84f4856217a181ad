import assert from 'node:assert/strict';
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
