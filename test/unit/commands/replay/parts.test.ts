import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { isMeant, likelyPlaces, placeOf } from '../../../../src/commands/replay/place.ts';
import { namedInCode, planReplay, replayedRun } from '../../../../src/commands/replay/plan.ts';
import { compareWithCopy, type ComparedRun } from '../../../../src/commands/replay/replay.ts';

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

  it('keeps settings of a cluster that names no kind of node, and names its container and libraries of each kind', () => {
    const { request, missing } = plan({
      task,
      cluster_spec: {
        new_cluster: {
          spark_version: '15.4.x',
          docker_image: { url: 'own' },
          spark_env_vars: { 'spark.databricks.x': 'y' },
        },
        libraries: [{ jar: 's3://b/a.jar' }, { egg: 'dbfs:/a.egg' }],
      },
    });
    assert.deepEqual(request['new_cluster'], {
      spark_version: '15.4.x',
      num_workers: 0,
      spark_conf: {},
      spark_env_vars: { 'spark.databricks.x': 'y' },
    });
    assert.deepEqual(missing, [
      'Its cluster (15.4.x): the copy runs on this machine.',
      "The container image: the copy runs in this machine's Python.",
      'The library s3://b/a.jar: it is looked for among the files of the local service.',
      'The library dbfs:/a.egg: it is looked for among the files of the local service.',
    ]);
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
    assert.equal(replayedRun(run as unknown as Run, 'it').codePath, '/Repos/n');
    assert.equal(replayedRun(run as unknown as Run, 'it').isNotebook, true);
    assert.equal(replayedRun({ task } as unknown as Run, 'it').isNotebook, false);
  });

  it('has the parameters that the run had, in place of those of the task', () => {
    const notebook = { notebook_path: '/Repos/n', base_parameters: { a: 'task', b: 'task' } };
    const run = {
      task: { notebook_task: notebook },
      overriding_parameters: { notebook_params: { b: 'run', c: 'run' } },
    };
    assert.deepEqual(plan(run).request.notebook_task?.base_parameters, { a: 'task', b: 'run', c: 'run' });
    assert.deepEqual(plan({ ...run, overriding_parameters: {} }).request.notebook_task?.base_parameters, {
      a: 'task',
      b: 'task',
    });
    const python = { spark_python_task: { python_file: '/x.py', parameters: ['task'] } };
    assert.deepEqual(
      plan({ task: python, overriding_parameters: { python_params: ['run', 's3://b/k'] } }).request.spark_python_task,
      { python_file: '/here.py', parameters: ['run', 's3://b/k'] },
    );
    assert.deepEqual(plan({ task: python, overriding_parameters: { python_params: ['s3://b/k'] } }).missing, [
      'Files and mounts: s3://b/k.',
    ]);
    assert.throws(() => replayedRun({ task: { pipeline_task: { pipeline_id: 'p' } } } as unknown as Run, 'it'), {
      kind: 'invalid',
      message: /^it cannot be replayed here: /,
    });
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
      'The tables in its SQL: Spark on this machine has its own.',
    ]);
    assert.deepEqual(namedInCode('', 'print("/tmp/x")'), []);
    assert.deepEqual(namedInCode('', 'dbutils.secrets.get(a, b)'), ['Secrets: the code reads some.']);
    assert.deepEqual(namedInCode('', '# MAGIC %sql\n# MAGIC select 1').length, 1);
  });

  it('is counted where it is much', () => {
    const code = Array.from({ length: 10 }, (_each, index) => `"s3://b/${index}"`).join('\n');
    assert.match(namedInCode('', code)[0] ?? '', /s3:\/\/b\/7, and 2 more\.$/);
    const eight = code.split('\n').slice(0, 8).join('\n');
    assert.match(namedInCode('', `${eight}\n${eight}`)[0] ?? '', /s3:\/\/b\/7\.$/, 'each name once');
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

  it('is the file that was said, whatever its name', () => {
    assert.equal(placeOf('/Repos/etl/nightly', files, { '/Repos/etl/nightly': '/lib/load.py' }), '/lib/load.py');
  });

  it('follows from any of the files that were said, and from none of another folder', () => {
    const known = { '/Repos/etl/jobs/gone': '/jobs/gone.py', '/Repos/all/jobs/load': '/src/jobs/load.py' };
    const deep = ['/src/jobs/load.py', '/src/jobs/clean.py'];
    assert.equal(placeOf('/Repos/all/jobs/clean', deep, known), '/src/jobs/clean.py');
    assert.equal(placeOf('/Repos/own/jobs/clean', deep, known), undefined);
    const both = { '/Repos/etl/a': '/nowhere/a.py', '/Repos/etl/jobs/load': '/jobs/load.py' };
    assert.equal(placeOf('/Repos/etl/jobs/clean', files, both), '/jobs/clean.ipynb');
  });

  it('follows where the service has the same paths as the workspace', () => {
    assert.equal(placeOf('/jobs/clean', files, { '/jobs/load': '/jobs/load.py' }), '/jobs/clean.ipynb');
  });

  it('is found by its path with any extension that code has, and by no other', () => {
    for (const [path, file, expected] of [
      ['/a/x', '/a/x.py', true],
      ['/a/x', '/a/x.IPYNB', true],
      ['/a/x', '/a/x.sql', true],
      ['/a/x', '/a/x.scala', true],
      ['/a/x', '/a/x.r', true],
      ['/a/x.py', '/a/x.py', true],
      ['/a/x.py', '/a/x.ipynb', false],
      ['/a/x', '/a/x.txt', false],
      ['/a/x', '/b/x.py', false],
      ['/x', '/a/x.py', false],
    ] as const)
      assert.equal(isMeant(path, file), expected, `${path} ${file}`);
    const known = { '/Repos/etl/load': '/etl/load.py' };
    assert.equal(placeOf('/Repos/etl/x', ['/etl/x.txt', '/etl/x.sql'], known), '/etl/x.sql');
    assert.equal(placeOf('/Repos/etlx/x', ['/etl/x.py', '/etlx/x.py'], known), '/etlx/x.py');
    assert.equal(placeOf('/Reposx/etl/x', ['/etl/x.py', 'x/etl/x.py'], known), undefined);
  });

  it('is asked for with the likeliest first', () => {
    assert.deepEqual(likelyPlaces('/b/lib/load', ['/a/b/load.py', '/load.py', '/a/lib/load.py', '/b/lib/load.py']), [
      '/b/lib/load.py',
      '/a/lib/load.py',
      '/a/b/load.py',
      '/load.py',
    ]);
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

  it('shows a line that only one has, and the beginning of a long one', () => {
    const [short, long] = [
      side({ output: { logs: 'one\n' } }),
      side({ output: { logs: `one\n${'x'.repeat(81)}  \n\n` } }),
    ];
    const shown = `“${'x'.repeat(80)}…”`;
    assert.equal(compareWithCopy(short, long, 0).difference, `The outputs differ first in line 2: “” ↔ ${shown}`);
    const more = compareWithCopy(side({ output: { result: 'a' } }), side({ output: { error: 'E\nx' } }), 0);
    assert.equal(more.difference, 'The outputs differ first in line 2: “” ↔ “E”');
    const lines = (count: number): ComparedRun => side({ output: { error: 'E\n'.repeat(count) } });
    assert.equal(compareWithCopy(lines(2), lines(1), 0).difference, 'The outputs differ first in line 3: “E” ↔ “”');
    assert.equal(
      compareWithCopy(side({ output: { error: 'E' } }), side({ output: { error: 'E\nF' } }), 0).difference,
      'The outputs differ first in line 3: (nothing) ↔ “F”',
    );
    const eighty = side({ output: { logs: 'x'.repeat(80) } });
    assert.ok(compareWithCopy(short, eighty, 0).difference.endsWith(`↔ “${'x'.repeat(80)}”`));
  });

  it('has what each did, in lines', () => {
    const run = {
      run_id: '1',
      start_time: 1000,
      end_time: 4000,
      state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
    };
    const told = side({
      run: run as Run,
      output: { notebook_output: { result: 'all' }, logs: '  indented\n' } as ComparedRun['output'],
    });
    const { left, right } = compareWithCopy(told, side({ parameters: undefined, output: {} }), 9000);
    assert.equal(
      left,
      'it\n\nState: Failed\nDuration: 3 s\nParameters: ["a"]\nCode: /x.py\n\nError: –\nResult: all\n\nOutput:\n  indented\n',
    );
    assert.match(right, /\nDuration: –\nParameters: null\n[^]*\nResult: –\n/);
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
