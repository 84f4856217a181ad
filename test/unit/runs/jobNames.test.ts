import assert from 'node:assert/strict';
import type { Job } from '../../../src/api/schema/jobs/schemas.ts';
import { jobName, sortJobs } from '../../../src/runs/jobNames.ts';

const job = (id: string, name?: unknown): Job => ({ job_id: id, settings: { name } }) as unknown as Job;

describe('the name of a job', () => {
  it('is told as it is, blanks included; what has none is told so', () => {
    assert.deepEqual([job('1', ' etl '), job('1', ''), job('1', ' \t'), job('1', 7), job('1')].map(jobName), [
      ' etl ',
      'Untitled',
      'Untitled',
      'Untitled',
      'Untitled',
    ]);
    assert.equal(jobName({ job_id: '1' }), 'Untitled');
  });
});

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

  it('has those without a name where their word would stand, and leaves what it was given as it was', () => {
    const given = [job('3', 'v'), job('20'), job('9007199254740993'), job('9007199254740992'), job('1', 't')];
    const before = [...given];
    assert.deepEqual(
      sortJobs(given).map(({ job_id: id }) => id),
      ['1', '20', '9007199254740992', '9007199254740993', '3'],
    );
    assert.deepEqual(given, before);
  });
});
