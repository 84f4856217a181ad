import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { compareWithCopy, type ComparedRun } from '../../../../src/commands/replay/comparison.ts';
import { namedInCode } from '../../../../src/commands/replay/namedInCode.ts';
import { likelyPlaces, placeOf } from '../../../../src/commands/replay/place.ts';
import { planReplay, replayedRun } from '../../../../src/commands/replay/plan.ts';

describe('the copy of a run', () => {
  const plan = (run: object, code = ''): ReturnType<typeof planReplay> =>
    planReplay(replayedRun(run as Run, 'it'), { path: '/here.py', text: code });
  const task = { spark_python_task: { python_file: '/Repos/x.py' } };

  it('keeps what of a cluster means the same here, and names the rest', () => {
    const { request, missing } = plan({
      task,
      cluster_spec: {
        new_cluster: {
          spark_version: '15.4.x-scala2.12',
          node_type_id: 'i3.xlarge',
          num_workers: 8,
          spark_conf: {
            'spark.sql.shuffle.partitions': '7',
            'spark.databricks.delta.preview.enabled': 'true',
            'spark.my.token': '{{secrets/a/b}}',
          },
          spark_env_vars: { STAGE: 'prod', KEY: '{{secrets/a/c}}' },
          init_scripts: [{ workspace: { destination: '/init.sh' } }],
          cloud_attributes: { instance_profile_arn: 'arn:aws:iam::1:instance-profile/x' },
          cluster_log_conf: { dfs: { destination: 'dfs:/logs' } },
        },
        libraries: [{ whl: 'dbfs:/libs/own.whl' }, { pypi: { package: 'six==1.16' } }],
      },
    });
    assert.deepEqual(request['new_cluster'], {
      spark_version: '15.4.x-scala2.12',
      node_type_id: 'i3.xlarge',
      num_workers: 0,
      spark_conf: { 'spark.sql.shuffle.partitions': '7' },
      spark_env_vars: { STAGE: 'prod' },
    });
    assert.equal(request['existing_cluster_id'], undefined);
    assert.deepEqual(missing, [
      'Its cluster (15.4.x-scala2.12, i3.xlarge): the copy runs on this machine.',
      'Init scripts (1): they are not run here.',
      'The instance profile arn:aws:iam::1:instance-profile/x, and what it gives access to.',
      'Settings of Spark: spark.databricks.delta.preview.enabled, spark.my.token.',
      'Environment variables from secrets: KEY.',
      'The library dbfs:/libs/own.whl: it is looked for among the files of the local service.',
    ]);
  });

  it('runs on this machine where nothing of the cluster is kept', () => {
    const { request, missing } = plan({ task, cluster_spec: { new_cluster: { spark_version: '15.4.x' } } });
    assert.equal(request['existing_cluster_id'], 'local');
    assert.equal(request['new_cluster'], undefined);
    assert.deepEqual(missing, ['Its cluster (15.4.x): the copy runs on this machine.']);
    assert.deepEqual(plan({ task, cluster_spec: { existing_cluster_id: 'local' } }).missing, []);
  });

  it('of a JAR or spark-submit has no code of its own', () => {
    const run = { task: { spark_submit_task: { parameters: ['--class', 'X', 's3://b/x.jar'] } }, cluster_spec: {} };
    const replayed = replayedRun(run as unknown as Run, 'it');
    assert.equal(replayed.codePath, undefined);
    assert.deepEqual(planReplay(replayed, undefined).missing, ['Files and mounts: s3://b/x.jar.']);
  });

  it('has the code of the workspace, and no revision', () => {
    const run = { task: { notebook_task: { notebook_path: '/Repos/n', revision_timestamp: 5 } }, cluster_spec: {} };
    assert.deepEqual(plan(run).request.notebook_task, { notebook_path: '/here.py' });
  });
});

describe('what code names that is not here', () => {
  it('is found where it is written out', () => {
    const code = [
      'open("/dbfs/in.csv"); open("/mnt/lake/a"); open("/Volumes/c/s/v/f")',
      'spark.read.csv("abfss://box@acc.dfs.core.windows.net/x").write.saveAsTable("prod.sales")',
      'spark.table("prod.users")',
      'dbutils.secrets.get(scope="prod", key = "db")',
      "dbutils.secrets.get('prod', 'mail')",
      'spark.sql("select 1")',
    ].join('\n');
    assert.deepEqual(namedInCode('["s3://bucket/key"]', code), [
      'Files and mounts: s3://bucket/key, abfss://box@acc.dfs.core.windows.net/x, /dbfs/in.csv, /mnt/lake/a, /Volumes/c/s/v/f.',
      'Secrets: prod/db, prod/mail.',
      'Tables: prod.sales, prod.users.',
      'The tables that its SQL names: Spark here has its own.',
    ]);
    assert.deepEqual(namedInCode('', 'print("/tmp/x")'), []);
    assert.deepEqual(namedInCode('', 'dbutils.secrets.get(a, b)'), ['Secrets: the code asks for some.']);
    assert.deepEqual(namedInCode('', '# MAGIC %sql\n# MAGIC select 1').length, 1);
  });

  it('is counted where it is much', () => {
    const code = Array.from({ length: 10 }, (_each, index) => `"s3://b/${index}"`).join('\n');
    assert.match(namedInCode('', code)[0] ?? '', /s3:\/\/b\/7, and 2 more\.$/);
  });
});

describe('where the code of a run is', () => {
  const files = ['/jobs/load.py', '/jobs/clean.ipynb', '/lib/load.py'];

  it('is what was said, also for what lies beside it', () => {
    const known = { '/Repos/etl/jobs/load': '/jobs/load.py' };
    assert.equal(placeOf('/Repos/etl/jobs/load', files, known), '/jobs/load.py');
    assert.equal(placeOf('/Repos/etl/jobs/clean', files, known), '/jobs/clean.ipynb');
    assert.equal(placeOf('/Repos/etl/lib/load', files, known), '/lib/load.py');
    assert.equal(placeOf('/Repos/other/jobs/load', files, known), undefined);
    assert.equal(placeOf('/Repos/etl/jobs/gone', files, known), undefined);
    assert.equal(placeOf('/Repos/etl/jobs/load', ['/lib/load.py'], known), undefined, 'a file that is gone');
    assert.equal(
      placeOf('dbfs:/code/lib/load.py', files, { 'dbfs:/code/jobs/load.py': '/jobs/load.py' }),
      '/lib/load.py',
    );
  });

  it('is asked for with the likeliest first', () => {
    assert.deepEqual(likelyPlaces('/Repos/etl/lib/load', files), [
      '/lib/load.py',
      '/jobs/load.py',
      '/jobs/clean.ipynb',
    ]);
  });
});

describe('a run beside its copy', () => {
  const side = (more: Partial<ComparedRun>): ComparedRun => ({
    title: 'it',
    run: { run_id: '1', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } },
    parameters: ['a'],
    code: '/x.py',
    output: { logs: 'one\ntwo\n' },
    ...more,
  });

  it('tells the first line in which the outputs differ', () => {
    const { difference } = compareWithCopy(side({}), side({ output: { logs: 'one\n2\n', error: 'no' } }), 0);
    assert.equal(difference, 'The outputs differ first in line 2: “two” ↔ “2”');
    assert.equal(compareWithCopy(side({}), side({}), 0).difference, 'The outputs are the same.');
  });

  it('takes for no difference what only one service gives', () => {
    const { difference, left, right } = compareWithCopy(
      side({ output: { error: 'E: x' } }),
      side({ output: { error: 'E: x', logs: 'more' } }),
      0,
    );
    assert.equal(difference, 'The outputs are the same.');
    assert.match(left, /Error: E: x\n[^]*\(the service gives none\)\n$/);
    assert.match(right, /Output:\nmore\n$/);
    assert.match(compareWithCopy(side({ output: undefined }), side({}), 0).left, /Error: –/);
  });
});
