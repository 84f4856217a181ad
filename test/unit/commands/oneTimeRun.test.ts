import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { requestOfSettings, withTaskParameters } from '../../../src/commands/oneTimeRun.ts';
import { defaultParameters } from '../../../src/commands/runParameters.ts';
import { holdTrail } from '../../support/trail.ts';
import { holdApproved } from './approvedCommands.ts';
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
  holdTrail(import.meta.url);
  holdApproved('oneTimeRun');

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

  it('has the parameters of the kind that its task reads, and keeps its task where it reads others', () => {
    const kinds = [
      ['notebook_task', 'base_parameters', 'notebook_params', { day: 'mon' }],
      ['spark_jar_task', 'parameters', 'jar_params', ['a']],
      ['spark_python_task', 'parameters', 'python_params', ['a']],
      ['spark_submit_task', 'parameters', 'spark_submit_params', ['a']],
    ] as const;
    for (const [task, field, kind, values] of kinds)
      for (const [other, , , ownValues] of kinds) {
        const request = { run_name: 'x', [other]: { file: 'f', parameters: ['old'] } } as never;
        const changed = withTaskParameters(request, { [kind]: values } as never);
        const expected =
          task === other
            ? { run_name: 'x', [task]: { file: 'f', parameters: ['old'], [field]: ownValues } }
            : { run_name: 'x', [other]: { file: 'f', parameters: ['old'] } };
        assert.deepEqual(changed, expected, `${kind} for ${other}`);
      }
    assert.deepEqual(requestOfSettings({ timeout_seconds: 5 } as never), { timeout_seconds: 5 });
  });

  it('begins with the parameters of its task, as each kind has them', () => {
    const parameters = ['a', 'b c'];
    for (const [task, expected] of [
      [{ notebook_task: { notebook_path: '/n', base_parameters: { x: '1' } } }, { notebook_params: { x: '1' } }],
      [{ notebook_task: { notebook_path: '/n' } }, { notebook_params: {} }],
      [{ spark_jar_task: { main_class_name: 'A', parameters } }, { jar_params: parameters }],
      [{ spark_jar_task: { main_class_name: 'A' } }, { jar_params: [] }],
      [{ spark_python_task: { python_file: '/a', parameters } }, { python_params: parameters }],
      [{ spark_submit_task: { parameters } }, { spark_submit_params: parameters }],
      [{ spark_submit_task: {} }, { spark_submit_params: [] }],
      [{ pipeline_task: { pipeline_id: 'p' } }, {}],
      [undefined, {}],
    ] as const)
      assert.deepEqual(defaultParameters(task as never), expected);
  });
});
