import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { Bench } from './commandSetup.ts';

const state = (result: string) => ({ life_cycle_state: 'TERMINATED', result_state: result });
const task = (task_key: string, result: string, upstream: string[] = []) => ({
  task_key,
  run_id: `${task_key}1`,
  state: state(result),
  depends_on: upstream.map((key) => ({ task_key: key })),
});
const failedRun: Run = {
  run_id: '9',
  job_id: '5',
  number_in_job: '3',
  run_type: 'JOB_RUN',
  state: state('FAILED'),
  tasks: [
    task('read', 'SUCCESS'),
    task('clean', 'FAILED', ['read']),
    task('join', 'UPSTREAM_FAILED', ['clean']),
    task('other', 'SUCCESS'),
  ],
};

describe('Repair Run', () => {
  let bench: Bench;
  const repair = () => handlers['millrace.run.repair'](bench.services, { runId: '9' });

  beforeEach(() => {
    bench = new Bench();
    bench.runs = [failedRun];
  });

  it('runs the failed tasks again and waits for the end of the run', async () => {
    bench.picks = [/^Failed tasks/];
    await repair();
    assert.deepEqual(bench.repaired, [{ run_id: '9', rerun_all_failed_tasks: true }]);
    assert.deepEqual(bench.trail.slice(-3), ['repair 9', 'refresh', 'watch local 9']);
  });

  it('runs chosen tasks again, with those that depend on them', async () => {
    bench.picks = [/^Choose/, /^With the tasks/];
    bench.services.ui.pickMany = async (_title, _placeholder, items) =>
      items.filter(({ label }) => label === 'read').map(({ value }) => value);
    await repair();
    assert.deepEqual(bench.repaired, [{ run_id: '9', rerun_tasks: ['read'], rerun_dependent_tasks: true }]);
  });

  it('names the latest repair and sends the changed parameters of the job', async () => {
    bench.runs = [
      {
        ...failedRun,
        repair_history: [{ type: 'ORIGINAL' }, { type: 'REPAIR', id: '3' }],
        job_parameters: [{ name: 'day', default: 'today', value: 'monday' }],
      },
    ];
    bench.picks = [/^Failed tasks/, 'day', /^\$\(play\)/];
    bench.inputs = ['friday'];
    await repair();
    assert.deepEqual(bench.repaired, [
      { run_id: '9', rerun_all_failed_tasks: true, job_parameters: { day: 'friday' }, latest_repair_id: '3' },
    ]);
  });

  it('changes nothing on a production profile without consent', async () => {
    bench.picks = [/^Failed tasks/];
    bench.mutationDeclined = true;
    await repair();
    assert.deepEqual(bench.repaired, []);
  });

  for (const [reason, change] of [
    ['the service has no repairs', () => (bench.version = '2.0')],
    ['the run goes on', () => (bench.runs = [{ ...failedRun, state: { life_cycle_state: 'RUNNING' } }])],
    ['the run has one task', () => (bench.runs = [{ ...failedRun, tasks: [task('only', 'FAILED')] }])],
  ] as const)
    it(`is refused if ${reason}`, async () => {
      change();
      await assert.rejects(repair(), { kind: 'invalid' });
      assert.deepEqual(bench.repaired, []);
    });
});
