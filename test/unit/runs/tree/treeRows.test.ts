import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { runColors } from '../../../../src/runs/runState.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { TreeRows, type TreeRowsOptions } from '../../../../src/runs/tree/treeRows.ts';
import { ended, now } from './builtTree.ts';

const job = (id: string, settings: object = {}, more: object = {}): Job =>
  ({ job_id: id, settings: { name: `job ${id}`, ...settings }, ...more }) as unknown as Job;
const run = (id: string, more: object = {}): Run =>
  ({
    run_id: id,
    job_id: '1',
    number_in_job: id,
    run_type: 'JOB_RUN',
    start_time: now - 60_000,
    end_time: now - 30_000,
    state: ended,
    ...more,
  }) as Run;

function rowsOf(options: Partial<TreeRowsOptions> = {}): { store: RunStore; rows: TreeRows } {
  const store = new RunStore();
  return { store, rows: new TreeRows({ profileId: 'p', store, now: () => now, ...options }) };
}
/** With the blanks of a keyboard: before AM and PM stands one that does not break. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('\u202f', ' ')) as T;
describe('the rows of the tree', () => {
  it('of runs have all that the editor draws, says and offers', () => {
    const { store, rows } = rowsOf({ debugPhase: (runId) => (runId === '6' ? 'held' : undefined) });
    store.setJobs([job('1')], now);
    const full = run('5', {
      state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED', state_message: 'no' },
      task: { notebook_task: {} },
      trigger: 'RETRY',
      setup_duration: 1000,
      execution_duration: 2000,
      cleanup_duration: 3000,
      cluster_instance: { cluster_id: 'c' },
      creator_user_name: 'ann',
    });
    assert.deepEqual(plain(rows.run(full, true)), {
      id: 'p/job/1/run/5',
      kind: 'run',
      label: '#5',
      description: 'Failed just now · 6 s',
      icon: { id: 'error', color: runColors.failed },
      context: 'run notebook_task terminal failed broken ofJob',
      detailsKey: `no\nRETRY\n${now - 30_000}\n1000\n2000\n3000\nc\nann`,
      accessibleLabel: 'Run #5, Failed just now · 6 s, started 11:59 AM',
      expandable: true,
      profileId: 'p',
      jobId: '1',
      runId: '5',
    });
    const neverBegun = rows.run({ ...full, execution_duration: 0 }, true);
    assert.equal(neverBegun.context, 'run notebook_task terminal broken ofJob');
    const going = run('6', { start_time: 0, end_time: 0, state: { life_cycle_state: 'RUNNING' } });
    const held = rows.run(going, false);
    assert.deepEqual(
      [held.description, held.icon?.id, held.accessibleLabel, held.expandable, held.context],
      [
        'Held by the debugger',
        'debug-pause',
        'Run #6, Held by the debugger',
        false,
        'run otherTask active cancellable ofJob',
      ],
    );
    const alone = rows.run({ run_id: '7' }, false);
    assert.deepEqual([alone.id, alone.context], ['p/job/one-time/run/7', 'run otherTask active cancellable']);
  });

  it('of runs know pages of this machine, which an editor in a browser does not find', () => {
    const { rows } = rowsOf();
    const isOfThisMachine = (url: string): boolean =>
      rows.run(run('5', { run_page_url: url }), false).context.endsWith(' pageOfThisMachine');
    const here = [
      'http://127.0.0.1:8/x',
      'https://127.1.2.3/',
      'http://localhost:8',
      'http://localhost/',
      'http://[::1]:8/',
    ];
    const elsewhere = [
      'https://x.example/?of=http://localhost:8/',
      'http://localhosts/',
      'http://1270.example',
      'ftp://localhost/',
      '',
    ];
    assert.deepEqual(
      here.map(isOfThisMachine),
      here.map(() => true),
    );
    assert.deepEqual(
      elsewhere.map(isOfThisMachine),
      elsewhere.map(() => false),
    );
  });
});
