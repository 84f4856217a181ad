import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { namedInCode, parametersOfTask, planReplay, replayedRun } from '../../../../src/commands/replay/plan.ts';

describe('the plan of a replay', () => {
  const python = { spark_python_task: { python_file: '/Repos/x.py', parameters: ['a'] } };
  const replayed = (run: object): ReturnType<typeof replayedRun> => replayedRun(run as Run, 'it');

  it('keeps each setting of Spark but those of the service, and nothing that refers to a secret', () => {
    const kept = {
      'spark.master.rest': '1',
      'spark.sql.warehouse.directory': '2',
      'my.spark.databricks.x': '3',
      'spark.databricksx': '4',
      'spark.app': 'secrets/a',
    };
    const left = {
      'spark.master': 'a',
      'spark.databricks.x': 'b',
      'spark.hadoop.fs': 'c',
      'spark.sql.warehouse.dir': 'd',
      'spark.sql.catalog.own': 'e',
      'spark.app.key': 'x {{  secrets/a/b}}',
    };
    const cluster = {
      spark_version: '15.4.x',
      spark_conf: { ...left, ...kept },
      init_scripts: [{}, {}],
      aws_attributes: { instance_profile_arn: 'arn:x' },
      cloud_attributes: { instance_profile_arn: 5 },
    };
    const run = { task: python, cluster_spec: { new_cluster: cluster } };
    const { request, missing } = planReplay(replayed(run), undefined);
    assert.deepEqual(request, {
      ...python,
      new_cluster: { spark_version: '15.4.x', num_workers: 0, spark_conf: kept, spark_env_vars: {} },
    });
    assert.deepEqual(missing, [
      'Its cluster (15.4.x): the copy runs on this machine.',
      'Init scripts (2): they are not run here.',
      'The instance profile arn:x, and what it gives access to.',
      `Settings of Spark: ${Object.keys(left).join(', ')}.`,
    ]);
  });

  it('has the parameters of whichever task it is, and no code of what has none', () => {
    const tasks = [
      [{ notebook_task: { notebook_path: '/n', base_parameters: { a: '1' } } }, { a: '1' }, '/n'],
      [python, ['a'], '/Repos/x.py'],
      [{ spark_jar_task: { main_class_name: 'X', parameters: ['b'] } }, ['b'], undefined],
      [{ spark_submit_task: { parameters: ['c'] } }, ['c'], undefined],
    ] as const;
    for (const [task, parameters, codePath] of tasks) {
      const own = replayed({ task, cluster_spec: { existing_cluster_id: 'c-1' } });
      assert.deepEqual([parametersOfTask(own.request), own.codePath], [parameters, codePath]);
      const { request, missing } = planReplay(own, undefined);
      assert.deepEqual(request, { ...task, existing_cluster_id: 'local' });
      assert.deepEqual(missing, ['The cluster c-1: the copy runs on this machine.']);
    }
    assert.equal(parametersOfTask({}), undefined);
  });

  it('names what parameters and code name, of each kind, and what only looks like it not', () => {
    for (const scheme of ['dbfs', 'dfs', 'objstore', 's3', 's3a', 's3n', 'gs', 'abfss', 'abfs', 'wasbs', 'wasb', 'adl'])
      assert.deepEqual(namedInCode(`["${scheme}:/a/b"]`, ''), [`Files and mounts: ${scheme}:/a/b.`]);
    for (const [code, expected] of [
      ['x=/mnt/a', ['Files and mounts: /mnt/a.']],
      ['`/Volumes/a`', ['Files and mounts: /Volumes/a.']],
      ['"/mnt/"', []],
      ['xs3://b/k', []],
      ['"/home/mnt/a"', []],
      ['df.write.insertInto("t")', ['Tables: t.']],
      ["dbutils.secrets.getBytes('s', key='k')", ['Secrets: s/k.']],
      ['%sql\nselect 1', ['The tables in its SQL: Spark on this machine has its own.']],
      ['sqlContext.sql("x")', ['The tables in its SQL: Spark on this machine has its own.']],
      ['x %sql', []],
      ['%sqlite', []],
      ['myspark.sql("x")', []],
    ] as const)
      assert.deepEqual(namedInCode('', code), expected, code);
    assert.deepEqual(namedInCode('dbutils.secrets.get("s", "k") .table("t") spark.sql("x")', ''), [], 'only paths');
    assert.match(
      namedInCode('', Array.from({ length: 9 }, (_, index) => `s3:/${index}`).join(' '))[0] ?? '',
      /7, and 1 more\.$/,
    );
  });
});
