import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunStore, type StoreChange } from '../../../../src/runs/store/runStore.ts';
import { ended, now } from '../tree/builtTree.ts';

const running = { life_cycle_state: 'RUNNING' };
const run = (id: string, jobId: string | undefined = '1', more: object = {}): Run =>
  ({ run_id: id, job_id: jobId, run_type: 'JOB_RUN', start_time: now + Number(id), state: ended, ...more }) as Run;
const once = (id: string, more: object = {}): Run => run(id, undefined, { run_type: 'SUBMIT_RUN', ...more });
describe('what the store of runs knows of what is gone or others', () => {
  let store: RunStore;
  let changes: StoreChange[];
  beforeEach(() => {
    store = new RunStore();
    store.setJobs([{ job_id: '1' }, { job_id: '2' }], now);
    changes = [];
    store.onDidChange((change) => changes.push(change));
  });
  /** Whether something that views show is another one by it. */
  const isNews = (change: () => void): boolean => {
    const { version } = store;
    change();
    return store.version !== version;
  };

  it('is nothing of a job that was removed', () => {
    store.setRunsOf('1', [], false, now);
    assert.equal(store.jobsByName.length, 2);
    changes.length = 0;
    assert.equal(
      isNews(() => store.removeJob('1')),
      true,
    );
    assert.deepEqual(changes, [{ kind: 'all' }]);
    assert.deepEqual(
      [store.job('1'), store.isSettled('1'), store.runsOf('1'), store.lastRun('1').kind, store.jobsByName.length],
      [undefined, false, undefined, 'unknown', 1],
    );
  });

  it('is nothing of a run that was removed, and asks how its job went last', () => {
    store.expect('9');
    store.mergeRuns([run('5', '1', { state: running }), run('4'), once('6', { state: running })], now);
    store.setRunsOf('1', [run('5', '1', { state: running })], false, now);
    changes.length = 0;
    for (const id of ['9', '6', '5'])
      assert.equal(
        isNews(() => store.removeRun(id)),
        true,
        id,
      );
    assert.deepEqual(changes, [{ kind: 'all' }, { kind: 'all' }, { kind: 'all' }]);
    assert.deepEqual(
      [[...store.expectedRunIds], store.activeRuns, store.hasOneTimeRuns, store.hasActiveRun('1'), store.run('5')],
      [[], [], false, false, undefined],
    );
    assert.deepEqual([store.latestRun('1')?.run_id, store.isSettled('1'), store.runsOf('1')], ['4', false, undefined]);
  });

  it('counts as news what a view would show otherwise, and tells each news once', () => {
    const first = run('5', '1', { state: running });
    assert.equal(
      isNews(() => store.mergeRuns([first], now)),
      true,
    );
    assert.equal(
      isNews(() => store.mergeRuns([{ ...first }], now)),
      false,
    );
    assert.equal(
      isNews(() => store.mergeRuns([run('5')], now)),
      true,
    );
    assert.equal(
      isNews(() => store.settle(['2'])),
      true,
    );
    assert.equal(
      isNews(() => store.settle(['2', '1'])),
      false,
    );
    changes.length = 0;
    assert.equal(
      isNews(() => store.unsettle()),
      true,
    );
    assert.deepEqual([changes, store.isSettled('2'), store.lastRun('2').kind], [[{ kind: 'all' }], false, 'unknown']);
    changes.length = 0;
    assert.equal(
      isNews(() => store.setJobs([{ job_id: '1' }, { job_id: '2' }], now)),
      false,
    );
    for (const text of ['Odd.', 'Odd.', undefined, undefined]) store.setSkipped('jobs', text);
    assert.deepEqual(changes, [{ kind: 'all' }, { kind: 'all' }]);
  });
});
