import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { holdTrail } from '../../support/trail.ts';
import { Bench } from './commandSetup.ts';

const run = (runId: string, number: string, state: string, more: object = {}): Run =>
  ({
    run_id: runId,
    job_id: '5',
    number_in_job: number,
    run_type: 'JOB_RUN',
    start_time: Number(runId) * 1000,
    state: { life_cycle_state: state, result_state: state === 'RUNNING' ? undefined : 'SUCCESS' },
    ...more,
  }) as Run;

describe('comparing the outputs of two runs', () => {
  holdTrail(import.meta.url);
  it('asks for another ended run of the job and shows the older one on the left', async () => {
    const bench = new Bench();
    bench.runs = [run('9', '3', 'TERMINATED'), run('8', '2', 'RUNNING'), run('7', '1', 'TERMINATED')];
    bench.picks = ['#1'];
    await handlers['millrace.run.compare'](bench.services, { runId: '9' });
    assert.equal(bench.trail.at(-1), 'compare local 7 9: #1 ↔ #3');
    bench.picks = ['#3'];
    await handlers['millrace.run.compare'](bench.services, { runId: '7' });
    assert.equal(bench.trail.at(-1), 'compare local 7 9: #1 ↔ #3');
  });

  it('compares the two that are selected, of whatever job, and asks nothing', async () => {
    const bench = new Bench();
    bench.runs = [run('9', '3', 'TERMINATED'), run('7', '1', 'TERMINATED', { job_id: '6' })];
    const all = [{ jobId: '5', runId: '9' }, { jobId: '5' }, { jobId: '6', runId: '7' }];
    await handlers['millrace.run.compare'](bench.services, { ...all[0], all });
    assert.deepEqual(bench.trail, ['compare local 7 9: #1 ↔ #3']);
  });

  it('compares nothing while one of the two goes on', async () => {
    const bench = new Bench();
    bench.runs = [run('9', '3', 'RUNNING'), run('7', '1', 'TERMINATED')];
    await handlers['millrace.run.compare'](bench.services, { runId: '7', all: [{ runId: '7' }, { runId: '9' }] });
    assert.deepEqual(bench.trail, ['info: #3 is still running, so nothing was compared yet.']);
  });

  it('says that only two can be compared where more are selected', async () => {
    const bench = new Bench();
    const all = ['7', '8', '9'].map((runId) => ({ runId }));
    await handlers['millrace.run.compare'](bench.services, { runId: '7', all });
    assert.deepEqual(bench.trail, ['info: 3 runs are selected, and two can be compared.']);
  });

  it('says so where the job has no other run that ended', async () => {
    const bench = new Bench();
    bench.runs = [run('9', '3', 'TERMINATED'), run('8', '2', 'RUNNING')];
    await handlers['millrace.run.compare'](bench.services, { runId: '9' });
    assert.deepEqual(bench.trail, ['info: Local has no run that this can be done with.']);
  });

  it('asks among the runs of the same job, and among all for a run that has none', async () => {
    for (const [first, asked] of [
      [run('9', '3', 'TERMINATED'), '5'],
      [run('9', '3', 'TERMINATED', { run_type: 'SUBMIT_RUN' }), undefined],
      [run('9', '3', 'TERMINATED', { job_id: undefined }), undefined],
    ] as const) {
      const bench = new Bench();
      bench.runs = [first, run('7', '1', 'TERMINATED')];
      bench.picks = [/1/];
      const requests: unknown[] = [];
      const { connect } = bench.services.connections;
      bench.services.connections.connect = async () => {
        const { profile, client } = await connect();
        const listRuns: typeof client.jobs.listRuns = async (request, options) => (
          requests.push(request),
          client.jobs.listRuns(request, options)
        );
        return { profile, client: { ...client, jobs: { ...client.jobs, listRuns } } as never };
      };
      await handlers['millrace.run.compare'](bench.services, { runId: '9' });
      assert.deepEqual(requests, [{ limit: 100, ...(asked === undefined ? {} : { job_id: asked }) }]);
    }
  });
});
