import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { type Target, targetOf } from '../../../src/commands/target.ts';
import { Bench } from './commandSetup.ts';

const schedule = { quartz_cron_expression: '0 0 6 * * ?', timezone_id: 'UTC', pause_status: 'UNPAUSED' } as const;
const row = (jobId: string, runId?: string) => ({ node: { jobId, runId, profileId: 'local' } });

/** Two jobs, one of them with a schedule, and a run of each of two other jobs, all selected. */
function build(): { bench: Bench; target: Target; asked: string[][] } {
  const bench = new Bench();
  const jobs = [
    { job_id: '5', settings: { name: 'etl', schedule } },
    { job_id: '6', settings: { name: 'report' } },
  ];
  for (const { job_id: id, settings } of jobs) bench.remote.set(id, settings);
  bench.store.setJobs([...jobs, { job_id: '7', settings: { name: 'load' } }], 1);
  const run = (id: string, state: string): Run => ({
    run_id: id,
    job_id: '7',
    number_in_job: id,
    run_type: 'JOB_RUN',
    task: {},
    overriding_parameters: { python_params: [`--run=${id}`] },
    state: { life_cycle_state: state, result_state: state === 'TERMINATED' ? 'FAILED' : undefined },
  });
  bench.store.mergeRuns([run('1', 'TERMINATED'), run('2', 'RUNNING')], 1);
  const rows = [row('5'), row('6'), row('7', '1'), row('7', '2')];
  const asked: string[][] = [];
  bench.services.ui.confirm = async (...texts) => (asked.push(texts), !bench.declined);
  return { bench, target: targetOf(rows[0], rows), asked };
}

describe('commands on a selection of jobs and runs', () => {
  it('ask once, with the number, the names and the profile', async () => {
    const { bench, target, asked } = build();
    bench.declined = true;
    for (const id of ['millrace.rows.run', 'millrace.rows.delete', 'millrace.job.pauseSchedule'] as const) {
      asked.length = 0;
      await handlers[id](bench.services, target);
      assert.equal(asked.length, 1, id);
      const [question = '', names = '', button = ''] = asked[0] ?? [];
      assert.match(question, /1 job|2 jobs/);
      assert.match(names, /etl \(5\)/);
      assert.match(`${question} ${button}`, /on Local.*on Local$/);
    }
    assert.ok(!bench.trail.some((line) => /^(run-now|delete|update)/.test(line)));
  });

  it('run jobs, and runs with their own parameters', async () => {
    const { bench, target } = build();
    await handlers['millrace.rows.run'](bench.services, target);
    assert.deepEqual(
      bench.started.map(({ job_id: id, python_params: parameters }) => [id, ...(parameters ?? [])]),
      [['5'], ['6'], ['7', '--run=1'], ['7', '--run=2']],
    );
  });

  it('delete jobs and ended runs', async () => {
    const { bench, target } = build();
    await handlers['millrace.rows.delete'](bench.services, target);
    const deleted = bench.trail.filter((line) => line.startsWith('delete'));
    assert.deepEqual(deleted.toSorted(), ['delete 5', 'delete 6', 'delete run 1']);
  });

  it('pause the schedules that are not paused', async () => {
    const { bench, target } = build();
    await handlers['millrace.job.pauseSchedule'](bench.services, target);
    assert.deepEqual(
      [...bench.remote.values()].map((settings) => settings.schedule?.pause_status),
      ['PAUSED', undefined],
    );
  });

  it('name each row whose request failed', async () => {
    const { bench, target } = build();
    bench.remote.clear();
    const deletion = async (): Promise<unknown> => handlers['millrace.rows.delete'](bench.services, target);
    await assert.rejects(deletion, /2 of 3 failed.*etl \(5\).*report \(6\)/s);
  });
});
