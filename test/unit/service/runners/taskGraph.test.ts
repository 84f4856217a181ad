import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestService, type TestService } from '../support/testService.ts';

/** A package with a function, as a folder that a wheel would install. */
const wheelless = `import sys
def main():
    print("called with", sys.argv[1:])
`;

describe('Tasks of a run on this machine', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await startTestService({ runners: undefined });
    const write = (path: string, text: string): void => writeFileSync(join(test.folder, path), text);
    write(
      'numbers.py',
      'from databricks.sdk.runtime import dbutils\ndbutils.jobs.taskValues.set("names", ["a", "b"])\n',
    );
    write(
      'report.py',
      '# Databricks notebook source\n' +
        'names = dbutils.jobs.taskValues.get("numbers", "names")\n' +
        'dbutils.notebook.exit(dbutils.widgets.get("day") + " " + ",".join(names))\n',
    );
    write('echo.py', 'import sys\nprint(sys.argv[1:])\n');
    mkdirSync(join(test.folder, 'own_package'));
    write('own_package/__init__.py', wheelless);
  });
  afterEach(() => test.close());

  it('pass values and parameters on', async () => {
    const { json } = await test.post('/api/2.2/jobs/create', {
      parameters: [{ name: 'day', default: 'Monday' }],
      tasks: [
        { task_key: 'numbers', spark_python_task: { python_file: '/numbers.py' } },
        { task_key: 'report', depends_on: [{ task_key: 'numbers' }], notebook_task: { notebook_path: '/report' } },
        {
          task_key: 'echo',
          depends_on: [{ task_key: 'report' }],
          spark_python_task: {
            python_file: '/echo.py',
            parameters: ['{{tasks.numbers.values.names}}', '{{tasks.report.result_state}}', '{{job.parameters.day}}'],
          },
        },
        {
          task_key: 'wheel',
          new_cluster: {
            spark_version: 'x',
            node_type_id: 'local',
            num_workers: 0,
            spark_env_vars: { PYTHONPATH: test.folder },
          },
          python_wheel_task: {
            package_name: 'own-package',
            entry_point: 'main',
            named_parameters: { day: '{{job.parameters.day}}' },
          },
        },
      ],
    });
    const runId = await test.runNow(json.job_id as number, { job_parameters: { day: 'Friday' } });
    const run = await test.untilState(runId, 'TERMINATED');
    assert.equal(run.state.result_state, 'SUCCESS', JSON.stringify(run));
    const outputs: Record<string, string> = {};
    for (const { task_key: key, run_id: id } of run.tasks) {
      const output = (await test.get(`/api/2.2/jobs/runs/get-output?run_id=${id}`)).json;
      outputs[key] = output.notebook_output?.result ?? output.logs.trim();
    }
    assert.deepEqual(outputs, {
      numbers: '',
      report: 'Friday a,b',
      echo: `['["a","b"]', 'success', 'Friday']`,
      wheel: "called with ['--day=Friday']",
    });
  });
});
