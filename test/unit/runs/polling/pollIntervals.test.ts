import assert from 'node:assert/strict';
import { localIntervals, remoteIntervals } from '../../../../src/runs/polling/runPoller.ts';

describe('the rests between two looks', () => {
  it('are seconds at a remote service while something runs, half a minute else, and a minute for the list of jobs', () => {
    assert.deepEqual(remoteIntervals, {
      activeInMs: 3000,
      idleInMs: 30_000,
      jobListInMs: 60_000,
      maxBackOffInMs: 120_000,
    });
  });

  it('are short at the local service, which is on this machine', () => {
    assert.deepEqual(localIntervals, {
      activeInMs: 700,
      idleInMs: 5000,
      jobListInMs: 5000,
      maxBackOffInMs: 15_000,
    });
  });
});
