import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import './runStoreGone.part.ts';

const now = Date.UTC(2026, 2, 1, 12);
const ended = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
const ofJob = (id: string, state: Run['state'] = ended): Run => ({
  run_id: id,
  job_id: '1',
  run_type: 'JOB_RUN',
  start_time: now + Number(id),
  state,
});

describe('RunStore', () => {
  it('redraws with time the rows of what goes on, and of nothing else', () => {
    const store = new RunStore();
    const changes: unknown[] = [];
    store.setJobs([{ job_id: '1' }, { job_id: '2' }], now);
    store.mergeRuns([ofJob('5'), { ...ofJob('6'), job_id: '2', state: { life_cycle_state: 'RUNNING' } }], now);
    store.onDidChange((change) => changes.push(change));
    store.tick();
    assert.deepEqual(changes.splice(0), [{ kind: 'runs', jobIds: new Set(['2']), oneTime: false }]);
    store.mergeRuns([{ run_id: '9', run_type: 'SUBMIT_RUN', state: { life_cycle_state: 'RUNNING' } }], now);
    changes.length = 0;
    store.tick();
    assert.deepEqual(changes.splice(0), [{ kind: 'runs', jobIds: new Set(['2']), oneTime: true }]);
    store.mergeRuns(
      [
        { ...ofJob('6'), job_id: '2' },
        { run_id: '9', run_type: 'SUBMIT_RUN', state: ended },
      ],
      now,
    );
    changes.length = 0;
    store.tick();
    assert.deepEqual(changes, []);
  });

  it('tells once that a run ended, and only of runs that were seen going', () => {
    const store = new RunStore();
    const finished: string[] = [];
    store.onDidFinishRun((item) => finished.push(item.run.run_id));
    store.mergeRuns(
      [
        { run_id: '1', job_id: '1', state: { life_cycle_state: 'RUNNING' } },
        { run_id: '2', job_id: '1', state: ended },
      ],
      now,
    );
    store.mergeRuns([{ run_id: '1', job_id: '1', state: ended }], now);
    store.mergeRuns([{ run_id: '1', job_id: '1', state: ended }], now);
    assert.deepEqual(finished, ['1']);
  });

  it('draws only what changed', () => {
    const store = new RunStore();
    store.setJobs([{ job_id: '1' }, { job_id: '2' }], now);
    store.mergeRuns(
      [
        { run_id: '1', job_id: '1', run_type: 'JOB_RUN', state: ended },
        { run_id: '2', job_id: '2', run_type: 'JOB_RUN', state: { life_cycle_state: 'PENDING' } },
      ],
      now,
    );
    const changes: unknown[] = [];
    store.onDidChange((change) => changes.push(change));
    store.mergeRuns(
      [
        { run_id: '1', job_id: '1', run_type: 'JOB_RUN', state: ended },
        { run_id: '2', job_id: '2', run_type: 'JOB_RUN', state: { life_cycle_state: 'RUNNING' } },
      ],
      now,
    );
    store.mergeRuns([{ run_id: '1', job_id: '1', run_type: 'JOB_RUN', state: ended }], now);
    store.setJobs([{ job_id: '1' }, { job_id: '2' }], now);
    assert.deepEqual(changes, [{ kind: 'runs', jobIds: new Set(['2']), oneTime: false }]);
    store.setJobs([{ job_id: '1' }, { job_id: '2', settings: { name: 'renamed' } }], now);
    store.setJobs([{ job_id: '1' }], now);
    assert.deepEqual(changes.slice(1), [{ kind: 'all' }, { kind: 'all' }]);
  });

  it('tells the end of a run that was started here though it was never seen going', () => {
    const store = new RunStore();
    const finished: string[] = [];
    store.onDidFinishRun((item) => finished.push(item.run.run_id));
    store.expect('1');
    store.mergeRuns([ofJob('1', { life_cycle_state: 'SKIPPED' }), ofJob('2')], now);
    assert.deepEqual([finished, [...store.expectedRunIds]], [['1'], []]);
    store.expect('2');
    assert.equal(store.expectedRunIds.size, 0, 'it is known');
  });

  it('keeps what a slow page does not know yet', () => {
    const store = new RunStore();
    store.setJobs([{ job_id: '1' }], now);
    store.mergeRuns([ofJob('7', { life_cycle_state: 'RUNNING' }), ofJob('6')], now);
    const finished: string[] = [];
    store.onDidFinishRun((item) => finished.push(item.run.run_id));
    store.setRunsOf('1', [ofJob('6', { life_cycle_state: 'RUNNING' }), ofJob('5')], false, now);
    assert.deepEqual(
      store.runsOf('1')?.runs.map((run) => [run.run_id, run.state?.life_cycle_state]),
      [
        ['7', 'RUNNING'],
        ['6', 'TERMINATED'],
        ['5', 'TERMINATED'],
      ],
    );
    store.mergeRuns([ofJob('6')], now);
    assert.deepEqual(finished, []);
    store.mergeRuns([{ ...ofJob('6', { life_cycle_state: 'RUNNING' }), start_time: now + 60_000 }], now);
    assert.equal(store.run('6')?.state?.life_cycle_state, 'RUNNING', 'an emptied service gives its ids out again');
  });

  it('does not grow for ever, and keeps what is shown', () => {
    const store = new RunStore();
    store.setJobs([{ job_id: '1' }], now);
    store.setRunsOf('1', [ofJob('1')], false, now);
    store.mergeRuns([ofJob('2', { life_cycle_state: 'RUNNING' })], now);
    const others = Array.from({ length: 5001 }, (_, index): Run => ({
      run_id: String(10 + index),
      job_id: '2',
      run_type: 'JOB_RUN',
      start_time: now + index,
      state: ended,
    }));
    store.mergeRuns(others, now);
    assert.deepEqual([store.endedRuns.length + store.activeRuns.length, store.latestRun('2')?.run_id], [2500, '5010']);
    assert.deepEqual(
      store.runsOf('1')?.runs.map((run) => run.run_id),
      ['2', '1'],
    );
  });
});
