import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunsOfJobs } from '../../../../src/runs/store/runsOfJobs.ts';

const states = {
  good: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
  going: { life_cycle_state: 'RUNNING' },
  skipped: { life_cycle_state: 'SKIPPED' },
};

describe('the runs of jobs', () => {
  let runs: Map<string, Run>;
  let ofJobs: RunsOfJobs;
  const add = (id: number, state: keyof typeof states, jobId = '1'): void => {
    runs.set(String(id), { run_id: String(id), job_id: jobId, start_time: id, state: states[state] } as Run);
    ofJobs.add(jobId, String(id));
  };
  const last = (jobId = '1'): string => {
    const known = ofJobs.last(jobId);
    return known.kind === 'run' ? `${known.run.run_id}${known.isSkippedSince ? ' skipped since' : ''}` : known.kind;
  };
  beforeEach(() => {
    runs = new Map();
    ofJobs = new RunsOfJobs(runs);
  });

  it('are the newest by time in whatever order they come, or else unknown until it is said that there are none', () => {
    assert.equal(last(), 'unknown');
    assert.equal(ofJobs.settle('1'), true);
    assert.equal(ofJobs.settle('1'), false, 'no news');
    assert.equal(last(), 'none');
    add(5, 'good');
    assert.equal(last(), '5');
    assert.equal(ofJobs.settle('1'), false, 'one is known');
    add(3, 'good');
    assert.equal(last(), '5');
    add(7, 'going');
    assert.equal(last(), '7');
    ofJobs.remove('1', '7');
    assert.equal(last(), '5');
    assert.equal(last('2'), 'unknown');
    ofJobs.clear();
    assert.deepEqual([last(), [...ofJobs.jobIds]], ['unknown', []]);
  });

  it('show one that goes on, or else one that ran, before newer ones that were skipped, and say so', () => {
    for (const [ids, expected] of [
      [{ 1: 'going', 2: 'going', 3: 'skipped' }, '2 skipped since'],
      [{ 2: 'going', 1: 'going', 3: 'skipped' }, '2 skipped since'],
      [{ 3: 'skipped', 2: 'good', 1: 'going' }, '1 skipped since'],
      [{ 1: 'going', 2: 'good' }, '2'],
      [{ 1: 'good', 2: 'skipped' }, '1 skipped since'],
      [{ 1: 'good', 2: 'good', 3: 'skipped', 4: 'skipped' }, '2 skipped since'],
      [{ 1: 'skipped', 2: 'good' }, '2'],
      [{ 1: 'skipped', 2: 'skipped' }, '2'],
    ] as const) {
      for (const order of [Object.keys(ids), Object.keys(ids).toReversed()]) {
        runs.clear();
        ofJobs.clear();
        for (const id of order) add(Number(id), (ids as Record<string, keyof typeof states>)[id] ?? 'good');
        assert.equal(last(), expected, JSON.stringify(ids));
      }
    }
  });
});
