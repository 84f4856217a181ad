import assert from 'node:assert/strict';
import type { Job } from '../../../src/api/schema/jobs/schemas.ts';
import { sortJobs } from '../../../src/runs/jobNames.ts';

const job = (id: string, name?: unknown): Job => ({ job_id: id, settings: { name } }) as unknown as Job;

describe('the order of jobs', () => {
  it('is that of their names, as people sort them, then of their ids, as numbers', () => {
    const sorted = sortJobs(
      new Set([
        job('1', 'Zeta'),
        job('10', 'beta'),
        job('2', 'äther'),
        job('3', 'Beta'),
        job('9', 'beta'),
        job('4', 'a'),
      ]),
    );
    assert.deepEqual(
      sorted.map(({ job_id: id, settings }) => `${settings?.name} ${id}`),
      ['a 4', 'äther 2', 'beta 9', 'beta 10', 'Beta 3', 'Zeta 1'],
    );
  });
});
