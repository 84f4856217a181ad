import assert from 'node:assert/strict';
import { debuggedStatus, runColors, runStatus, type DebugPhase } from '../../../../src/runs/runState.ts';
import { build, childrenOf, now } from './builtTree.ts';

describe('the row of a run that is debugged', () => {
  const rows = (phase: DebugPhase | undefined): unknown[] => {
    const { store, model } = build({ debugPhase: (runId) => (runId === '5' ? phase : undefined) });
    store.setJobs([{ job_id: '1', settings: { name: 'a', spark_python_task: { python_file: '/a.py' } } }], now);
    const going = {
      job_id: '1',
      run_type: 'JOB_RUN',
      start_time: now - 63_000,
      state: { life_cycle_state: 'RUNNING' },
    };
    const runs = ['5', '4'].map((id) => ({ ...going, run_id: id, number_in_job: id }));
    store.mergeRuns(runs, now);
    store.setRunsOf('1', runs, false, now);
    const job = model.roots()[0];
    return [job, ...childrenOf(model, job)].map((node) => [node?.description, node?.icon]);
  };
  const plain = ['Running · 1 min 3 s', { id: 'loading~spin', color: runColors.active }];

  it('has a mark of its own, and another one while it stands still', () => {
    const going = ['Running under the debugger · 1 min 3 s', { id: 'debug-alt', color: runColors.active }];
    assert.deepEqual(rows('going'), [going, going, plain]);
    const held = ['Held by the debugger · 1 min 3 s', { id: 'debug-pause', color: runColors.waiting }];
    assert.deepEqual(rows('held'), [held, held, plain]);
    assert.deepEqual(rows(undefined), [plain, plain, plain]);
  });

  it('shows that it ends, or how it ended', () => {
    for (const state of [
      { life_cycle_state: 'TERMINATING' },
      { life_cycle_state: 'RUNNING', user_cancelled_or_timedout: true },
      { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
    ]) {
      const status = runStatus({ state });
      assert.equal(debuggedStatus(status, 'held'), status);
    }
  });
});
