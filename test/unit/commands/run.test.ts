import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { handlers } from '../../../src/commands/handlers.ts';
import { requestOfSettings } from '../../../src/commands/oneTimeRun.ts';
import { readParameterList } from '../../../src/commands/runParameters.ts';
import { splitWords } from '../../../src/shared/splitWords.ts';
import { Bench, staging } from './commandSetup.ts';

const uri = { uri: 'file:///w/nightly.job.yml' };

describe('the choice of a job', () => {
  it('has the order of the tree', async () => {
    const bench = new Bench();
    for (const [id, name] of [
      ['3', 'weekly'],
      ['10', 'daily'],
      ['9', 'daily'],
      ['1', 'yearly'],
    ] as const)
      bench.remote.set(id, { name });
    const shown: string[][] = [];
    bench.services.ui.pick = async (_title, _placeholder, items) => {
      shown.push(items.map(({ label, description }) => `${label} ${description}`));
      return undefined;
    };
    await handlers['millrace.job.openAsFile'](bench.services, {});
    await handlers['millrace.job.runNow'](bench.services, {});
    const order = ['daily 9', 'daily 10', 'weekly 3', 'yearly 1'];
    assert.deepEqual(shown, [order, ['nightly.job.yml deploy this file and run it', ...order]]);
  });
});

describe('a command that changes something', () => {
  it('is refused on a read-only profile before it asks anything', async () => {
    const bench = new Bench();
    bench.profile = { ...staging, readOnly: true };
    for (const id of ['millrace.job.runNow', 'millrace.jobFile.deploy', 'millrace.run.delete'] as const)
      await assert.rejects(async () => handlers[id](bench.services, {}), { kind: 'readOnly' });
    assert.deepEqual(bench.trail, []);
  });
});

describe('Run Now', () => {
  it('offers the job files of the workspace if none is open', async () => {
    const bench = new Bench();
    bench.activeIsJobFile = false;
    bench.picks = [/nightly\.job\.yml$/];
    await handlers['millrace.job.runNow'](bench.services, {});
    assert.ok(bench.trail.some((line) => line.startsWith('run-now')));
  });

  it('starts a job and watches the run', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly' });
    await handlers['millrace.job.runNow'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.trail, [
      'mutation: Run job "nightly" (5)',
      'run-now 5',
      'watch local 77: nightly #1',
      'refresh',
    ]);
    assert.deepEqual(bench.started, [{ job_id: '5' }]);
  });

  it('deploys a job file before it runs it', async () => {
    const bench = new Bench();
    await handlers['millrace.job.runNow'](bench.services, uri);
    assert.deepEqual(
      bench.trail.filter((line) => /^(create|run-now)/.test(line)),
      ['create 9007199254740993', 'run-now 9007199254740993'],
    );
  });

  it('starts one task of a job file alone', async () => {
    const bench = new Bench();
    await handlers['millrace.job.runNow'](bench.services, { ...uri, taskKey: 'read' });
    assert.deepEqual(bench.started, [{ job_id: '9007199254740993', only: ['read'] }]);
    await handlers['millrace.job.debug'](bench.services, { ...uri, taskKey: 'read' });
    assert.deepEqual(
      bench.debugged.map(({ parameters }) => parameters),
      [{ only: ['read'] }],
    );
  });

  it('runs one job of a bundle on the local service', async () => {
    const bench = new Bench();
    const task = '{tasks: [{task_key: t, spark_python_task: {python_file: ../a.py}}]}';
    bench.texts.set(uri.uri, `resources:\n  jobs:\n    first: ${task}\n    second: ${task}\n`);
    await handlers['millrace.job.runNow'](bench.services, { ...uri, jobKey: 'second' });
    bench.picks = ['first'];
    await handlers['millrace.job.runNow'](bench.services, uri);
    assert.deepEqual(
      [...bench.remote.values()].map(({ name, tasks }) => [name, tasks?.[0]?.spark_python_task?.python_file]),
      [
        ['second', '/a.py'],
        ['first', '/a.py'],
      ],
    );
  });

  it('does not run a job of a bundle whose file has a problem', async () => {
    const bench = new Bench();
    const pipeline = '{task_key: t, pipeline_task: {pipeline_id: ${var.p}}}';
    const file = 'spark_python_task: {python_file: ../a.py}';
    for (const tasks of [`[${pipeline}]`, `[{task_key: t, ${file}}]\n      tasks: []`, `[{task_key: t, ${file}}`]) {
      bench.texts.set(uri.uri, `resources:\n  jobs:\n    first:\n      tasks: ${tasks}\n`);
      await handlers['millrace.job.runNow'](bench.services, uri);
    }
    assert.deepEqual(bench.started, []);
    assert.equal(bench.remote.size, 0);
  });

  it('edits Python parameters as a command line and validates them', async () => {
    const bench = new Bench();
    bench.remote.set('5', {
      name: 'nightly',
      spark_python_task: { python_file: '/a.py', parameters: ['--day', 'to day'] },
    });
    bench.inputs = ['--day é', '--day "next day"'];
    await handlers['millrace.job.runNowWithParameters'](bench.services, { jobId: '5' });
    assert.match(bench.trail[0] ?? '', /^refused: .*ASCII/);
    assert.deepEqual(bench.started, [{ job_id: '5', python_params: ['--day', 'next day'] }]);
  });

  it('deploys nothing when the user cancels the parameters', async () => {
    const bench = new Bench();
    bench.giveUpInput = true;
    await handlers['millrace.job.runNowWithParameters'](bench.services, uri);
    assert.deepEqual(bench.trail, []);
    bench.giveUpInput = false;
    bench.inputs = ['--day friday'];
    await handlers['millrace.job.runNowWithParameters'](bench.services, uri);
    assert.deepEqual(bench.started, [{ job_id: '9007199254740993', python_params: ['--day', 'friday'] }]);
  });

  it('edits notebook parameters one by one, starting with the base parameters', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nb', notebook_task: { notebook_path: '/n', base_parameters: { day: 'today' } } });
    bench.picks = ['day', /Add parameter/, /Run with these/];
    bench.inputs = ['friday', 'city', 'Bonn'];
    await handlers['millrace.job.runNowWithParameters'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.started, [{ job_id: '5', notebook_params: { day: 'friday', city: 'Bonn' } }]);
  });

  it('edits the parameters of a job that has its own', async () => {
    const bench = new Bench();
    const tasks = [{ task_key: 'a', notebook_task: { notebook_path: '/n' } }];
    bench.remote.set('5', { name: 'graph', tasks, parameters: [{ name: 'day', default: 'today' }] });
    bench.picks = ['day', /Run with these/];
    bench.inputs = ['Köln'];
    await handlers['millrace.job.runNowWithParameters'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.started, [{ job_id: '5', job_parameters: { day: 'Köln' } }]);
    bench.runs = [
      { run_id: '9', job_id: '5', run_type: 'JOB_RUN', job_parameters: [{ name: 'day', value: 'monday' }] },
    ];
    await handlers['millrace.run.repeat'](bench.services, { runId: '9' });
    assert.deepEqual(bench.started[1], { job_id: '5', job_parameters: { day: 'monday' } });
  });

  it('repeats a run with its parameters', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nb', notebook_task: { notebook_path: '/n', base_parameters: { day: 'today' } } });
    bench.runs = [
      {
        run_id: '9',
        job_id: '5',
        run_type: 'JOB_RUN',
        task: { notebook_task: { notebook_path: '/n' } },
        overriding_parameters: { notebook_params: { day: 'monday' } },
      },
    ];
    await handlers['millrace.run.repeat'](bench.services, { runId: '9' });
    assert.deepEqual(bench.started, [{ job_id: '5', notebook_params: { day: 'monday' } }], 'without a question');
    bench.picks = ['day', /Run with these/];
    bench.inputs = ['friday'];
    await handlers['millrace.run.repeatWithChanges'](bench.services, { runId: '9' });
    assert.deepEqual(bench.started[1], { job_id: '5', notebook_params: { day: 'friday' } });
    bench.runs = [
      { run_id: '9', run_name: 'n', run_type: 'JOB_RUN', task: { notebook_task: { notebook_path: '/n' } } },
    ];
    await handlers['millrace.run.repeat'](bench.services, { runId: '9' });
    assert.deepEqual(
      [bench.started.length, bench.submitted],
      [2, [{ run_name: 'n', notebook_task: { notebook_path: '/n' } }]],
      'one whose job the service does not name runs by itself',
    );
  });
});

describe('a parameter line', () => {
  const cases: [line: string, words: string[], openQuote?: string][] = [
    ['', []],
    ['a b  c', ['a', 'b', 'c']],
    ['--name "two words" \'and "more"\'', ['--name', 'two words', 'and "more"']],
    ['a\\ b', ['a b']],
    ['""', ['']],
    ['x"y z"w', ['xy zw']],
    ['a "open', ['a', 'open'], '"'],
    ["'it''s'", ['its']],
  ];
  for (const [line, words, openQuote] of cases)
    it(`reads ${JSON.stringify(line)}`, () =>
      assert.deepEqual(splitWords(line), openQuote === undefined ? { words } : { words, openQuote }));

  it('can be a JSON list of strings', () => {
    assert.deepEqual(readParameterList(' ["a b", "c"] '), ['a b', 'c']);
    assert.deepEqual(readParameterList('[]'), []);
    assert.deepEqual(readParameterList('a ["b"]'), ['a', '[b]']);
  });

  it('is refused in any other form', () => {
    assert.match(String(readParameterList('["a"')), /JSON list/);
    assert.match(String(readParameterList('[1, true]')), /texts/);
    assert.match(String(readParameterList('a "b')), /quotation mark/);
  });
});

const oneTime: Run = {
  run_id: '9',
  job_id: '88',
  run_type: 'SUBMIT_RUN',
  run_name: 'ad hoc',
  task: { spark_python_task: { python_file: '/a.py', parameters: ['--day', 'today'] } },
  cluster_spec: { existing_cluster_id: 'local', libraries: [{ pypi: { package: 'six' } }] },
};

describe('a one-time run', () => {
  it('is created from a job file without its schedule and retries', async () => {
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

  it('is run again with changes', async () => {
    const bench = new Bench();
    bench.runs = [oneTime];
    bench.inputs = ['["--day", "next week"]'];
    await handlers['millrace.run.repeatWithChanges'](bench.services, { runId: '9' });
    assert.deepEqual(bench.submitted[0]?.spark_python_task, {
      python_file: '/a.py',
      parameters: ['--day', 'next week'],
    });
  });

  it('is run again with all of its tasks', async () => {
    const bench = new Bench();
    const python = { spark_python_task: { python_file: '/a.py' }, job_cluster_key: 'small' };
    const clusters = [{ job_cluster_key: 'small', new_cluster: { spark_version: 'v', num_workers: 1 } }];
    const state = { life_cycle_state: 'TERMINATED' };
    bench.runs = [
      {
        run_id: '9',
        run_type: 'SUBMIT_RUN',
        run_name: 'ad hoc',
        job_clusters: clusters,
        job_parameters: [{ name: 'day', default: 'today', value: 'monday' }],
        tasks: [
          { run_id: '10', task_key: 'a', attempt_number: 0, state, ...python },
          { run_id: '11', task_key: 'b', attempt_number: 0, state, depends_on: [{ task_key: 'a' }], ...python },
          { run_id: '12', task_key: 'b', attempt_number: 1, state, depends_on: [{ task_key: 'a' }], ...python },
        ],
      },
    ];
    await handlers['millrace.run.repeat'](bench.services, { runId: '9' });
    assert.deepEqual(bench.submitted, [
      {
        run_name: 'ad hoc',
        job_clusters: clusters,
        parameters: [{ name: 'day', default: 'monday' }],
        tasks: [
          { task_key: 'a', ...python },
          { task_key: 'b', depends_on: [{ task_key: 'a' }], ...python },
        ],
      },
    ]);
  });

  it('is not sent when the user declines it or cancels its parameters', async () => {
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

const failed = {
  run_id: '5',
  job_id: '9007199254740993',
  run_type: 'JOB_RUN',
  number_in_job: '3',
  state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
  overriding_parameters: { python_params: ['x'] },
} as unknown as Run;

describe('debugging', () => {
  it('deploys a job file first and starts a session of its job', async () => {
    const bench = new Bench();
    await handlers['millrace.job.debug'](bench.services, uri);
    assert.deepEqual(bench.trail.slice(0, 2), ['mutation: Create job "nightly"', 'create 9007199254740993']);
    assert.ok(bench.trail.includes('mutation: Debug job "nightly" (9007199254740993)'));
    assert.deepEqual(bench.debugged, [
      { name: 'Debug nightly on Local', jobId: '9007199254740993', parameters: {}, haltAtFailure: false },
    ]);
  });

  it('asks for the task of a job with several, and leaves the others out', async () => {
    const bench = new Bench();
    const task = (key: string, kind: object) => ({ task_key: key, ...kind });
    bench.remote.set('5', {
      name: 'nightly',
      tasks: [
        task('read', { notebook_task: { notebook_path: '/n' } }),
        task('load', { pipeline_task: { pipeline_id: 'p' } }),
        task('write', { spark_python_task: { python_file: '/w.py' } }),
      ],
    });
    bench.picks = [/^write$/];
    await handlers['millrace.job.debug'](bench.services, { jobId: '5' });
    assert.deepEqual(
      bench.debugged.map(({ parameters }) => parameters),
      [{ only: ['write'] }],
    );
  });

  it('is refused on another profile before anything is deployed', async () => {
    const bench = new Bench();
    bench.profile = staging;
    await assert.rejects(
      handlers['millrace.job.debug'](bench.services, uri),
      /the current profile is "Staging"\. Nothing was deployed or started/,
    );
    await assert.rejects(handlers['millrace.run.debugFailure'](bench.services, {}), /debugged on the local service/);
    assert.deepEqual([bench.trail, bench.debugged], [[], []]);
  });

  it('repeats only the failed task of a run with several', async () => {
    const bench = new Bench();
    const task = (task_key: string, run_id: string, result: string) => ({
      task_key,
      run_id,
      state: { life_cycle_state: 'TERMINATED', result_state: result },
    });
    const tasks = [task('read', '91', 'SUCCESS'), task('clean', '92', 'FAILED')];
    bench.runs = [{ ...failed, task: undefined, execution_duration: 0, overriding_parameters: undefined, tasks }];
    bench.picks = [/#3/];
    await handlers['millrace.run.debugFailure'](bench.services, {});
    assert.deepEqual(bench.debugged[0]?.parameters, { only: ['clean'] });
  });

  it('repeats a failed run and halts at the failure', async () => {
    const bench = new Bench();
    bench.runs = [
      failed,
      { ...failed, run_id: '6', state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } },
      // Its file was missing, so there is nothing to debug.
      { ...failed, run_id: '7', number_in_job: '4', execution_duration: 0 },
    ];
    bench.picks = [/#4/];
    await assert.rejects(handlers['millrace.run.debugFailure'](bench.services, {}));
    bench.picks = [/#3/];
    await handlers['millrace.run.debugFailure'](bench.services, {});
    assert.equal(bench.debugged.length, 1);
    const { name, ...launch } = bench.debugged[0]!;
    assert.match(name, /^Debug the failure of .*#3/);
    assert.deepEqual(launch, {
      jobId: '9007199254740993',
      parameters: { python_params: ['x'] },
      haltAtFailure: true,
    });
  });
});
