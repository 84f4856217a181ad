import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../../src/commands/handlers.ts';
import type { AppError } from '../../../../src/shared/errors.ts';
import { eventually } from '../../../support/eventually.ts';
import { holdTrail } from '../../../support/trail.ts';
import { holdApproved } from '../approvedCommands.ts';
import { Bench, staging } from '../commandSetup.ts';

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

describe('replaying a run here', () => {
  holdTrail(import.meta.url);
  holdApproved('replay');

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

  it('asks once where its code is, says what is not here, and starts a copy on the local service alone', async () => {
    bench.picks = ['/jobs/nightly.py'];
    bench.decisions = ['Replay'];
    await replay();
    assert.deepEqual(bench.trail.slice(0, 4), [
      'keep staging /Repos/etl/jobs/nightly.py /jobs/nightly.py',
      'decide: Replay nightly of Staging on this machine?',
      'submit',
      'watch local 78',
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
        '"Staging" is only read.',
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

  it('names the one thing that is not here, and nothing where all is', async () => {
    bench.places = { '/Repos/etl/jobs/nightly.py': '/jobs/nightly.py' };
    bench.programs.set('/jobs/nightly.py', '');
    const here = { cluster_spec: { existing_cluster_id: 'local' }, overriding_parameters: undefined };
    bench.runs = [{ ...away, ...here } as unknown as Run];
    await replay();
    bench.runs = [{ ...away, ...here, overriding_parameters: { python_params: ['dbfs:/x'] } } as unknown as Run];
    await replay();
    const [none, one] = bench.asked;
    assert.match(none ?? '', /"Staging" is only read\.$/);
    assert.match(one ?? '', /\n\nNot here, so the copy goes without:\n• Files and mounts: dbfs:\/x\.$/);
  });

  it('starts nothing where the question is given up', async () => {
    bench.places = { '/Repos/etl/jobs/nightly.py': '/jobs/nightly.py' };
    await replay();
    assert.deepEqual([bench.submitted, bench.debugged], [[], []]);
  });

  it('with the debugger, gives the session the run that waits for it', async () => {
    bench.places = { '/Repos/etl/other.py': '/other.py' };
    bench.decisions = ['Replay with Debugger'];
    await replay();
    assert.ok(bench.trail.includes('debug-submit'));
    const [submit] = bench.submitted;
    assert.deepEqual(bench.debugged, [{ name: 'Debug nightly (replay)', runId: '78', submit, haltAtFailure: true }]);
    assert.deepEqual(bench.submitted[0]?.spark_python_task?.python_file, '/jobs/nightly.py');
  });

  it('shows both side by side afterwards', async () => {
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

  it('leads into mending a copy that fails here', async () => {
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

  it('takes the code of a notebook from the export where the user wants that', async () => {
    const model = {
      name: 'load',
      commands: [
        { command: 'x = 1', position: 1 },
        { command: '%md\nhi', position: 2 },
      ],
    };
    const html = `<script>var __DATABRICKS_NOTEBOOK_MODEL = '${btoa(encodeURIComponent(JSON.stringify(model)))}'</script>`;
    bench.exported = html;
    bench.runs = [
      {
        ...away,
        task: { notebook_task: { notebook_path: '/Users/me/load', base_parameters: { a: '1', b: '2' } } },
        overriding_parameters: { notebook_params: { b: '3' } },
      },
    ];
    bench.picks = ["The run's own code, from its export"];
    bench.decisions = ['Replay'];
    await replay();
    assert.deepEqual(bench.submitted[0]?.notebook_task, {
      notebook_path: '/load-5.py',
      base_parameters: { a: '1', b: '3' },
    });
    assert.match(bench.asked[0] ?? '', /^Code: \/load-5\.py, written from the export of the run\n/);
    assert.deepEqual(bench.created, [
      '# Databricks notebook source\nx = 1\n\n# COMMAND ----------\n\n# MAGIC %md\n# MAGIC hi\n',
    ]);
  });

  it('says what cannot be replayed, before anything is asked', async () => {
    bench.runs = [{ ...away, task: { pipeline_task: { pipeline_id: '/x' } } }];
    await assert.rejects(replay(), /cannot be replayed here: it is not a run of a notebook, Python file/);
    bench.runs = [away];
    bench.programs.clear();
    await assert.rejects(replay(), /has no Python file that could be \/Repos\/etl\/jobs\/nightly\.py/);
    bench.runs = [{ ...away, task: { notebook_task: { notebook_path: '/Users/me/load' } } }];
    bench.picks = ["The run's own code, from its export"];
    await assert.rejects(replay(), /export of nightly does not hold its code\. Nothing was started/);
    assert.deepEqual(bench.submitted, []);
  });

  it('of the local service takes its file without a question', async () => {
    bench.profile = bench.services.connections.profiles[0]!;
    bench.runs = [{ ...away, task: { spark_python_task: { python_file: '/other.py' } }, cluster_spec: {} }];
    bench.decisions = ['Replay'];
    await handlers['millrace.run.replay'](bench.services, { runId: '5', profileId: 'local' });
    assert.match(bench.asked[0] ?? '', /^Code: \/other\.py\n/);
    assert.doesNotMatch(bench.asked[0] ?? '', /only read/);
    assert.equal(bench.submitted.length, 1);
  });

  it('asks about nothing twice: a file that is known is not kept again', async () => {
    bench.places = { '/Repos/etl/jobs/nightly.py': '/jobs/nightly.py' };
    bench.decisions = ['Replay'];
    await replay();
    assert.deepEqual(bench.trail.slice(0, 3), [
      'decide: Replay nightly of Staging on this machine?',
      'submit',
      'watch local 78',
    ]);
    assert.deepEqual(bench.debugged, [], 'without the debugger, no session begins');
    assert.ok(!bench.trail.includes('refresh'), 'the view shows another profile');
  });

  it('shows the copy in the view at once where the view shows the local service', async () => {
    bench.profile = bench.services.connections.profiles[0]!;
    bench.runs = [{ ...away, task: { spark_python_task: { python_file: '/other.py' } } }];
    bench.decisions = ['Replay'];
    await handlers['millrace.run.replay'](bench.services, { runId: '5', profileId: 'local' });
    assert.ok(bench.trail.includes('refresh'));
  });

  it('offers Python files alone for a Python file, and for a notebook its export after the likeliest file', async () => {
    bench.programs.set('/jobs/nightly.ipynb', '');
    const offered: string[][] = [];
    bench.services.ui.pick = async (_title, _placeholder, items) => {
      offered.push(items.map(({ label }) => label));
      return undefined;
    };
    await replay();
    bench.runs = [{ ...away, task: { notebook_task: { notebook_path: '/Repos/etl/jobs/nightly' } } }];
    await replay();
    const ofExport = "The run's own code, from its export";
    assert.deepEqual(offered, [
      ['/jobs/nightly.py', '/other.py'],
      ['/jobs/nightly.ipynb', ofExport, '/jobs/nightly.py', '/other.py'],
    ]);
    assert.deepEqual(bench.trail, [], 'who gives up is asked no further');
  });

  it('of a JAR asks for no file and offers no debugger', async () => {
    const jar = { main_class_name: 'X', parameters: ['a'] };
    bench.runs = [{ ...away, task: { spark_jar_task: jar }, cluster_spec: {}, overriding_parameters: undefined }];
    const actions: (readonly string[])[] = [];
    const { decide } = bench.services.ui;
    bench.services.ui.decide = (message, detail, offered) => {
      actions.push(offered);
      return decide(message, detail, offered);
    };
    bench.decisions = ['Replay'];
    bench.answer = async (action) => action;
    await replay();
    assert.deepEqual(actions, [['Replay']]);
    assert.equal(bench.asked[0], 'Parameters: ["a"]\n"Staging" is only read.');
    assert.deepEqual(bench.submitted[0]?.spark_jar_task, jar);
    await eventually(() => bench.compared.length === 1);
    assert.match(bench.compared[0]?.left ?? '', /\nCode: –\n/);
    assert.match(bench.compared[0]?.right ?? '', /\nCode: –\n/);
  });

  it('offers the debugger for Python, in a file or a notebook', async () => {
    bench.places = {
      '/Repos/etl/jobs/nightly': '/jobs/nightly.ipynb',
      '/Repos/etl/jobs/nightly.py': '/jobs/nightly.py',
    };
    bench.programs.set('/jobs/nightly.ipynb', '{}');
    const actions: (readonly string[])[] = [];
    bench.services.ui.decide = async (_message, _detail, offered) => void actions.push(offered);
    await replay();
    bench.runs = [{ ...away, task: { notebook_task: { notebook_path: '/Repos/etl/jobs/nightly' } } }];
    await replay();
    const both = ['Replay', 'Replay with Debugger'];
    assert.deepEqual(actions, [both, both]);
  });

  it('is given the debugger without a halt where the run did not fail', async () => {
    bench.places = { '/Repos/etl/jobs/nightly.py': '/jobs/nightly.py' };
    bench.runs = [{ ...away, state: copy.state }];
    bench.decisions = ['Replay with Debugger'];
    await replay();
    assert.equal(bench.debugged[0]?.haltAtFailure, false);
  });

  it('starts the local service as its user asked for it, and starts nothing where it is not there', async () => {
    bench.places = { '/Repos/etl/jobs/nightly.py': '/jobs/nightly.py' };
    bench.decisions = ['Replay'];
    const asked: unknown[] = [];
    const { connectTo } = bench.services.connections;
    bench.services.connections.connectTo = async (id, options) => {
      if (id === 'staging') return connectTo(id, options);
      asked.push(id, options);
      return undefined;
    };
    await assert.rejects(replay(), /The local service is not there, so nothing was started\./);
    assert.deepEqual(asked, ['local', { byUser: true }]);
    assert.deepEqual(bench.submitted, []);
  });

  it('says why both cannot be shown side by side', async () => {
    bench.places = { '/Repos/etl/jobs/nightly.py': '/jobs/nightly.py' };
    bench.decisions = ['Replay'];
    const { connectTo } = bench.services.connections;
    bench.services.connections.connectTo = async (id, options) => {
      const connection = await connectTo(id, options);
      if (id === 'local')
        Object.assign(connection!.client.jobs, { getRun: async () => assert.fail('The copy is gone.') });
      return connection;
    };
    await replay();
    await eventually(() => bench.trail.at(-1) === 'warn: The copy is gone.');
  });

  it('asks the export for the code of this run, and needs a folder to write it to', async () => {
    bench.runs = [{ ...away, task: { notebook_task: { notebook_path: '/Users/me/load' } } }];
    bench.picks = ["The run's own code, from its export"];
    bench.hasFolder = false;
    const asked: unknown[] = [];
    const model = { name: 'load', commands: [{ command: 'x = 1', position: 1 }] };
    const content = `<script>var __DATABRICKS_NOTEBOOK_MODEL = '${btoa(encodeURIComponent(JSON.stringify(model)))}'</script>`;
    const { connect } = bench.services.connections;
    bench.services.connections.connect = async (options) => {
      const connection = await connect(options);
      const exportRun = async (request: unknown): Promise<object[]> => {
        asked.push(request);
        return [{ name: 'its dashboard' }, { name: 'load', content }];
      };
      Object.assign(connection!.client.jobs, { exportRun });
      return connection;
    };
    await assert.rejects(replay(), /No folder is open that the code could be written to\. Nothing was started\./);
    assert.deepEqual(asked, [{ run_id: '5', views_to_export: 'CODE' }]);
    assert.deepEqual(bench.submitted, []);
  });

  it('says what to do instead', async () => {
    const remedyOf = (): Promise<unknown> =>
      replay().then(
        () => assert.fail('it was replayed'),
        (error: AppError) => error.remedy,
      );
    bench.runs = [{ ...away, task: {} }];
    assert.equal(await remedyOf(), 'Replay the runs that it started, one by one.');
    bench.runs = [away];
    bench.programs.clear();
    assert.equal(await remedyOf(), 'Open the folder with the code, then replay again.');
    bench.runs = [{ ...away, task: { notebook_task: { notebook_path: '/Users/me/load' } } }];
    bench.picks = ["The run's own code, from its export"];
    assert.equal(await remedyOf(), 'Replay again and choose a file in the workspace.');
  });

  it('reads both runs and their outputs anew at the end, and shows what is there where an output is not', async () => {
    bench.places = { '/Repos/etl/jobs/nightly.py': '/jobs/nightly.py' };
    bench.decisions = ['Replay'];
    bench.answer = async (action) => action;
    const read: string[] = [];
    const { connectTo, connect } = bench.services.connections;
    const noting = <T extends Awaited<ReturnType<typeof connectTo>>>(place: string, connection: T): T => {
      const { getRun } = connection!.client.jobs;
      Object.assign(connection!.client.jobs, {
        getRun: (...args: Parameters<typeof getRun>) => {
          read.push(`${place} run ${args[0]}`);
          return getRun(...args);
        },
        getRunOutput: async (runId: string) => {
          read.push(`${place} output ${runId}`);
          if (place === 'there') throw new Error('It is kept no longer.');
          return { error: 'E' };
        },
      });
      return connection;
    };
    bench.services.connections.connect = async (options) => noting('there', await connect(options));
    bench.services.connections.connectTo = async (id, options) =>
      noting(id === 'local' ? 'here' : 'there', await connectTo(id, options));
    await replay();
    await eventually(() => bench.compared.length === 1);
    assert.deepEqual(read.slice(-3), ['there run 5', 'there output 5', 'here output 78']);
    const [shown] = bench.compared;
    assert.match(
      shown?.left ?? '',
      /\nParameters: \["b","dbfs:\/in\/x\.csv"\]\nCode: \/Repos\/etl\/jobs\/nightly\.py\n\nError: –\n/,
    );
    assert.match(
      shown?.right ?? '',
      /\nParameters: \["b","dbfs:\/in\/x\.csv"\]\nCode: \/jobs\/nightly\.py\n\nError: E\n/,
    );
  });
});
