import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { isMeant, likelyPlaces, placeOf } from '../../../src/commands/replay/place.ts';
import { namedInCode, planReplay, replayedRun } from '../../../src/commands/replay/plan.ts';
import { type ComparedRun, compareWithCopy } from '../../../src/commands/replay/replay.ts';
import { eventually } from '../../support/eventually.ts';
import { Bench, staging } from './commandSetup.ts';

const away = {
  run_id: '5',
  job_id: '9',
  run_type: 'JOB_RUN',
  run_name: 'nightly',
  number_in_job: '3',
  state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
  start_time: 1000,
  execution_duration: 4000,
  cluster_spec: { existing_cluster_id: '0923-abc', libraries: [{ pypi: { package: 'six' } }] },
  task: { spark_python_task: { python_file: '/Repos/etl/jobs/nightly.py', parameters: ['a'] } },
  overriding_parameters: { python_params: ['b', 'dbfs:/in/x.csv'] },
} as unknown as Run;

const copy = {
  ...away,
  run_id: '78',
  state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' },
} as unknown as Run;

describe('replaying a run on this machine', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
    bench.profile = staging;
    bench.runs = [away];
    bench.localRuns = [copy];
    bench.programs.set('/jobs/nightly.py', 'dbutils.secrets.get("prod", "key")\n');
    bench.programs.set('/other.py', '');
  });
  const replay = (): Promise<unknown> =>
    handlers['millrace.run.replay'](bench.services, { runId: '5', profileId: 'staging' });

  it('runs a copy of the failed task of a run with several', async () => {
    const state = (result: string) => ({ life_cycle_state: 'TERMINATED', result_state: result });
    const python = (file: string) => ({ spark_python_task: { python_file: file } });
    bench.runs = [
      {
        ...away,
        task: undefined,
        overriding_parameters: undefined,
        tasks: [
          { task_key: 'read', run_id: '51', state: state('SUCCESS'), ...python('/Repos/etl/jobs/read.py') },
          { task_key: 'clean', run_id: '52', state: state('FAILED'), ...python('/Repos/etl/jobs/nightly.py') },
        ],
      },
    ];
    bench.picks = ['/jobs/nightly.py'];
    bench.decisions = ['Replay'];
    await replay();
    assert.deepEqual(bench.submitted[0]?.spark_python_task, { python_file: '/jobs/nightly.py' });
    assert.match(bench.submitted[0]?.run_name ?? '', /clean/);
  });

  it('asks once for its code, names what is missing and starts a copy on the local service only', async () => {
    bench.picks = ['/jobs/nightly.py'];
    bench.decisions = ['Replay'];
    await replay();
    assert.deepEqual(bench.trail.slice(0, 3), [
      'keep staging /Repos/etl/jobs/nightly.py /jobs/nightly.py',
      'decide: Replay nightly of Staging on this machine?',
      'submit',
    ]);
    assert.deepEqual(bench.submitted, [
      {
        run_name: 'nightly (replay)',
        existing_cluster_id: 'local',
        libraries: [{ pypi: { package: 'six' } }],
        spark_python_task: { python_file: '/jobs/nightly.py', parameters: ['b', 'dbfs:/in/x.csv'] },
      },
    ]);
    assert.equal(
      bench.asked[0],
      [
        'Code: /jobs/nightly.py of this workspace, for /Repos/etl/jobs/nightly.py',
        'Parameters: ["b","dbfs:/in/x.csv"]',
        '"Staging" is read-only here.',
        '',
        'Missing here, so the copy runs without:',
        '• The cluster 0923-abc: the copy runs on this machine.',
        '• Files and mounts: dbfs:/in/x.csv.',
        '• Secrets: prod/key.',
      ].join('\n'),
    );
    bench.decisions = ['Replay'];
    await replay();
    assert.equal(bench.submitted.length, 2, 'the second time, nothing is asked about the code');
  });

  it('does not ask for a file that is at the same path here', async () => {
    bench.programs.set('/Repos/etl/jobs/nightly.py', '');
    bench.decisions = ['Replay'];
    await replay();
    assert.equal(bench.submitted[0]?.spark_python_task?.python_file, '/Repos/etl/jobs/nightly.py');
    assert.ok(!bench.trail.some((line) => line.startsWith('watch')), 'its end is reported once');
  });

  it('starts nothing when the user cancels', async () => {
    bench.places = { '/Repos/etl/jobs/nightly.py': '/jobs/nightly.py' };
    await replay();
    assert.deepEqual([bench.submitted, bench.debugged], [[], []]);
  });

  it('attaches the debugger to the waiting run', async () => {
    bench.places = { '/Repos/etl/other.py': '/other.py' };
    bench.decisions = ['Replay with Debugger'];
    await replay();
    assert.ok(bench.trail.includes('debug-submit'));
    const [submit] = bench.submitted;
    assert.deepEqual(bench.debugged, [{ name: 'Debug nightly (replay)', runId: '78', submit, haltAtFailure: true }]);
    assert.deepEqual(bench.submitted[0]?.spark_python_task?.python_file, '/jobs/nightly.py');
  });

  it('compares both runs afterwards', async () => {
    bench.places = { '/Repos/etl/jobs/nightly.py': '/jobs/nightly.py' };
    bench.decisions = ['Replay'];
    bench.answer = async (action) => action;
    await replay();
    await eventually(() => bench.compared.length === 1);
    assert.ok(bench.trail.includes('info: nightly: Failed there, Succeeded here. The outputs are the same.'));
    const [shown] = bench.compared;
    assert.equal(shown?.title, 'nightly ↔ replay');
    assert.match(shown?.left ?? '', /^nightly on Staging\n\nState: Failed\n/);
    assert.match(shown?.right ?? '', /^nightly \(replay\) on this machine\n\nState: Succeeded\n/);
  });

  it('offers Fix for a copy that fails', async () => {
    bench.places = { '/Repos/etl/jobs/nightly.py': '/jobs/nightly.py' };
    bench.decisions = ['Replay'];
    bench.localRuns = [{ ...copy, state: away.state }];
    bench.services.ui.info = async (message, ...actions) => {
      bench.trail.push(`info: ${message} [${actions.join(', ')}]`);
      return actions.at(-1);
    };
    await replay();
    await eventually(() => bench.trail.at(-1) === 'fix local 78');
    assert.match(bench.trail.at(-2) ?? '', /Failed there, Failed here.*\[Show Side by Side, Fix…\]/);
  });

  it('reports what cannot be replayed before it asks anything', async () => {
    bench.runs = [{ ...away, task: { pipeline_task: { pipeline_id: '/x' } } }];
    await assert.rejects(replay(), /cannot be replayed here: it is not a run of a notebook, Python file/);
    bench.runs = [away];
    bench.programs.clear();
    await assert.rejects(replay(), /has no Python file that could be \/Repos\/etl\/jobs\/nightly\.py/);
    bench.runs = [{ ...away, task: { notebook_task: { notebook_path: '/Users/me/load' } } }];
    bench.picks = ["The run's own code, from its export"];
    await assert.rejects(replay(), /export of nightly does not contain its code\. Nothing was started/);
    assert.deepEqual(bench.submitted, []);
  });

  it('starts nothing when the local service does not start', async () => {
    bench.places = { '/Repos/etl/jobs/nightly.py': '/jobs/nightly.py' };
    bench.decisions = ['Replay'];
    const asked: unknown[] = [];
    const { connectTo } = bench.services.connections;
    bench.services.connections.connectTo = async (id, options) => {
      if (id === 'staging') return connectTo(id, options);
      asked.push(id, options);
      return undefined;
    };
    await assert.rejects(replay(), /The local service is not available, so nothing was started\./);
    assert.deepEqual(asked, ['local', { byUser: true }]);
    assert.deepEqual(bench.submitted, []);
  });
});

describe('the copy of a run', () => {
  const plan = (run: object, code = ''): ReturnType<typeof planReplay> =>
    planReplay(replayedRun(run as Run, 'it'), { path: '/here.py', text: code });
  const task = { spark_python_task: { python_file: '/Repos/x.py' } };

  it('keeps the cluster settings that mean the same here and names the rest', () => {
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
      'Init scripts (1) do not run here.',
      'The instance profile arn:aws:iam::1:instance-profile/x, and what it gives access to.',
      'Settings of Spark: spark.databricks.delta.preview.enabled, spark.my.token.',
      'Environment variables from secrets: KEY.',
      'The library dbfs:/libs/own.whl: the local service looks for it in its own files.',
    ]);
  });
});

describe('resources that the code names', () => {
  it('are found as literals', () => {
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
});

describe('the code of a run', () => {
  const files = ['/jobs/load.py', '/jobs/clean.ipynb', '/lib/load.py'];

  it('is the remembered file, also for its neighbors', () => {
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

  it('is found by its path with any code extension', () => {
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

  it('is chosen from a list with the likeliest file first', () => {
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

describe('the comparison of a run and its copy', () => {
  const side = (more: Partial<ComparedRun>): ComparedRun => ({
    title: 'it',
    run: { run_id: '1', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } },
    parameters: ['a'],
    code: '/x.py',
    output: { logs: 'one\ntwo\n' },
    ...more,
  });

  it('names the first line that differs', () => {
    const { difference } = compareWithCopy(side({}), side({ output: { logs: 'one\n2\n', error: 'no' } }), 0);
    assert.equal(difference, 'The outputs first differ in line 2: “two” ↔ “2”');
    assert.equal(compareWithCopy(side({}), side({}), 0).difference, 'The outputs are the same.');
  });

  it('recognizes the same failure in another folder', () => {
    const failed = (folder: string, line = 3, process = '17'): ComparedRun => {
      const trace = `Traceback (most recent call last):\n  File "${folder}/fail.py", line ${line}, in <module>\n    1 / 0\nZeroDivisionError: division by zero`;
      return side({
        run: { run_id: '1', state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' } },
        output: {
          logs: `process ${process}\n${trace}`,
          error_trace: trace,
          error: 'ZeroDivisionError: division by zero',
        },
      });
    };
    const difference = (copy: ComparedRun): string => compareWithCopy(failed('/Repos/etl'), copy, 0).difference;
    assert.match(difference(failed('/home/ann/w', 3, '18')), /^Reproduced/);
    assert.match(difference(failed('/home/ann/w', 4)), /first differ in line 3/);
    const exited = (code: number): ComparedRun => {
      const { run, output } = failed('/w');
      const error = `The process exited with code ${code}.`;
      return side({ run, output: { logs: output?.['logs'], error } });
    };
    const ends = compareWithCopy(exited(3), exited(4), 0).difference;
    assert.doesNotMatch(ends, /Reproduced/, 'a traceback that was handled is no failure');
    const good = side({ output: { logs: 'process 17' } });
    assert.doesNotMatch(difference(good), /Reproduced/);
  });

  it('ignores fields that only one service returns', () => {
    const { difference, left, right } = compareWithCopy(
      side({ output: { error: 'E: x' } }),
      side({ output: { error: 'E: x', logs: 'more' } }),
      0,
    );
    assert.equal(difference, 'The outputs are the same.');
    assert.match(left, /Error: E: x\n[^]*\(not reported by the service\)\n$/);
    assert.match(right, /Output:\nmore\n$/);
    assert.match(compareWithCopy(side({ output: undefined }), side({}), 0).left, /Error: –/);
  });
});
