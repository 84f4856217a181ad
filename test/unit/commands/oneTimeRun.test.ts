import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { requestOfSettings } from '../../../src/commands/oneTimeRun.ts';
import { Bench } from './commandSetup.ts';

const oneTime: Run = {
  run_id: '9',
  job_id: '88',
  run_type: 'SUBMIT_RUN',
  run_name: 'ad hoc',
  task: { spark_python_task: { python_file: '/a.py', parameters: ['--day', 'today'] } },
  cluster_spec: { existing_cluster_id: 'local', libraries: [{ pypi: { package: 'six' } }] },
};

describe('a one-time run', () => {
  it('is made of a job file without its schedule and retries, and deploys nothing', async () => {
    const bench = new Bench();
    await handlers['millrace.jobFile.submit'](bench.services, { uri: 'file:///w/nightly.job.yml' });
    assert.deepEqual(bench.trail, ['mutation: Run "nightly" once', 'submit', 'watch local 78: nightly', 'refresh']);
    assert.deepEqual(bench.submitted, [
      {
        run_name: 'nightly',
        spark_python_task: { python_file: '/main.py', parameters: ['--day', 'today'] },
        existing_cluster_id: 'local',
      },
    ]);
    assert.equal(bench.remote.size, 0);
    const settings = {
      name: 'a',
      max_retries: 3,
      timeout_seconds: 5,
      schedule: { quartz_cron_expression: '0 0 8 * * ?', timezone_id: 'UTC' },
    };
    assert.deepEqual(requestOfSettings(settings), { run_name: 'a', timeout_seconds: 5 });
  });

  it('is run again as it was', async () => {
    const bench = new Bench();
    bench.runs = [oneTime];
    await handlers['millrace.run.repeat'](bench.services, { runId: '9' });
    assert.deepEqual(bench.submitted, [
      {
        run_name: 'ad hoc',
        spark_python_task: { python_file: '/a.py', parameters: ['--day', 'today'] },
        existing_cluster_id: 'local',
        libraries: [{ pypi: { package: 'six' } }],
      },
    ]);
    assert.deepEqual(bench.started, []);
  });

  it('is run again with changes, which may be typed as a list', async () => {
    const bench = new Bench();
    bench.runs = [oneTime];
    bench.inputs = ['["--day", "next week"]'];
    await handlers['millrace.run.repeatWithChanges'](bench.services, { runId: '9' });
    assert.deepEqual(bench.submitted[0]?.spark_python_task, {
      python_file: '/a.py',
      parameters: ['--day', 'next week'],
    });
  });

  it('is not sent where the question is answered with no, or the parameters are given up', async () => {
    const bench = new Bench();
    bench.runs = [oneTime];
    bench.mutationDeclined = true;
    await handlers['millrace.run.repeat'](bench.services, { runId: '9' });
    bench.mutationDeclined = false;
    bench.giveUpInput = true;
    await handlers['millrace.run.repeatWithChanges'](bench.services, { runId: '9' });
    assert.deepEqual(bench.submitted, []);
  });
});
