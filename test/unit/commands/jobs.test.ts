import assert from 'node:assert/strict';
import { handlers } from '../../../src/commands/handlers.ts';
import { cancelAllRuns, deleteJob } from '../../../src/commands/jobCommands.ts';
import { parseJobFile } from '../../../src/jobfile/services/parseJobFile.ts';
import { plainArrangement } from '../../../src/runs/tree/arrangement.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { Bench } from './commandSetup.ts';

const deployed = {
  name: 'nightly',
  spark_python_task: { python_file: '/main.py', parameters: ['--day', 'today'] },
  existing_cluster_id: 'local',
};

function benchWithJob(): Bench {
  const bench = new Bench();
  bench.remote.set('5', { ...deployed });
  return bench;
}

/** Records the texts of each confirmation. */
function questions(bench: Bench): string[][] {
  const asked: string[][] = [];
  Object.assign(bench.services.ui, {
    confirm: async (...texts: string[]) => (asked.push(texts), !bench.declined),
  });
  return asked;
}

describe('commands on a job', () => {
  it('cancels all its active runs after a confirmation', async () => {
    const bench = benchWithJob();
    const asked = questions(bench);
    const run = { job_id: '5', run_type: 'JOB_RUN', state: { life_cycle_state: 'RUNNING' } };
    const ended = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
    bench.store.mergeRuns(
      [
        { ...run, run_id: '1' },
        { ...run, run_id: '2', job_id: '6' },
        { ...run, run_id: '3', state: ended },
      ],
      Date.now(),
    );
    await cancelAllRuns(bench.services, { jobId: '5' });
    assert.deepEqual(asked, [
      [
        'Cancel all active runs of "nightly" on Local?',
        'Active now: 1. New runs can still start.',
        'Cancel Runs on Local',
      ],
    ]);
    assert.deepEqual(bench.trail, [
      'mutation: Cancel all active runs of job "nightly" (5)',
      'cancelling local 1',
      'cancel all 5',
      'refresh',
    ]);
    bench.refusal = new AppError('forbidden', 'No.');
    bench.trail = [];
    await assert.rejects(cancelAllRuns(bench.services, { jobId: '5' }), bench.refusal);
    assert.deepEqual(bench.trail, [
      'mutation: Cancel all active runs of job "nightly" (5)',
      'cancelling local 1',
      'cancel all 5',
      'not cancelled',
    ]);
    bench.declined = true;
    bench.trail = [];
    await cancelAllRuns(bench.services, { jobId: '5' });
    assert.deepEqual(bench.trail, ['mutation: Cancel all active runs of job "nightly" (5)']);
    bench.trail = [];
    bench.remote.clear();
    await cancelAllRuns(bench.services, {});
    assert.deepEqual(bench.trail, ['info: Local has no jobs yet. Deploy a job file first.']);
  });

  it('deletes it after a confirmation, forgets it and offers its settings as a file', async () => {
    const bench = benchWithJob();
    bench.store.setJobs([{ job_id: '5', settings: { name: 'nightly' } }], 1);
    const asked = questions(bench);
    const progress: string[] = [];
    const abort = new AbortController();
    const client = (await bench.services.connections.connect()).client;
    const signals: unknown[] = [];
    for (const name of ['get', 'delete'] as const) {
      const ask = client.jobs[name] as (id: string) => Promise<unknown>;
      Object.assign(client.jobs, {
        [name]: (id: string, options: { signal: AbortSignal }) => (signals.push(name, options.signal), ask(id)),
      });
    }
    Object.assign(bench.services.connections, { connect: async () => ({ profile: bench.profile, client }) });
    bench.services.ui.progress = (title, task) => (progress.push(title), task(abort.signal));
    bench.answer = async (action) => action;
    await deleteJob(bench.services, { jobId: '5' });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(asked, [
      [
        'Delete job "nightly" (5) on Local?',
        'This deletes its run history and terminates active runs. The addresses in email_notifications are notified.',
        'Delete on Local',
      ],
    ]);
    assert.deepEqual(progress, ['Deleting "nightly" on Local']);
    // The settings are read from the service, not from the view.
    assert.deepEqual(signals, ['get', abort.signal, 'delete', abort.signal]);
    assert.equal(bench.store.job('5'), undefined);
    assert.deepEqual(bench.trail.slice(0, 4), [
      'mutation: Delete job "nightly" (5)',
      'delete 5',
      'refresh',
      'info: Deleted job "nightly" on Local.',
    ]);
    for (let turn = 0; turn < 50 && bench.trail.length < 5; turn += 1)
      await new Promise((resolve) => setTimeout(resolve, 1));
    assert.match(
      bench.trail[4] ?? '',
      /^opened: name: nightly\nexisting_cluster_id: local\nspark_python_task:\n {2}python_file: \/main\.py\n/,
    );
  });

  it('deletes nothing after a no, or without a job', async () => {
    const bench = benchWithJob();
    bench.declined = true;
    questions(bench);
    await deleteJob(bench.services, { jobId: '5' });
    assert.deepEqual([bench.trail, bench.remote.has('5')], [['mutation: Delete job "nightly" (5)'], true]);
    bench.trail = [];
    bench.remote.clear();
    await deleteJob(bench.services, {});
    assert.deepEqual(bench.trail, ['info: Local has no jobs yet. Deploy a job file first.']);
  });
});

const schedule = { quartz_cron_expression: '0 0 8 * * ?', timezone_id: 'UTC' };

describe('the schedule of a job', () => {
  it('is paused and resumed after confirmation, with the current settings', async () => {
    const bench = new Bench();
    bench.remote.set('5', { name: 'nightly', schedule });
    bench.store.setJobs(
      [{ job_id: '5', settings: { name: 'nightly', schedule: { ...schedule, timezone_id: 'old' } } }],
      1,
    );
    await handlers['millrace.job.pauseSchedule'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.remote.get('5')?.schedule, { ...schedule, pause_status: 'PAUSED' });
    assert.equal(bench.trail[0], 'mutation: Pause the schedule of job "nightly" (5)');
    assert.equal(bench.trail.at(-1), 'refresh');
    bench.trail = [];
    await handlers['millrace.job.pauseSchedule'](bench.services, { jobId: '5' });
    assert.deepEqual(bench.trail, ['info: The schedule of "nightly" on Local is already paused.', 'refresh']);
    bench.trail = [];
    await handlers['millrace.job.resumeSchedule'](bench.services, { jobId: '5' });
    assert.equal(bench.trail[0], 'mutation: Resume the schedule of job "nightly" (5)');
    assert.deepEqual(bench.remote.get('5')?.schedule, { ...schedule, pause_status: 'UNPAUSED' });
  });
});

describe('arranging the view of jobs', () => {
  it('filters by text, and clears the filter but not the order', async () => {
    const bench = new Bench();
    bench.inputs = [' etl '];
    await handlers['millrace.jobs.filterByText'](bench.services, {});
    assert.equal(bench.services.arrangement.current.text, 'etl');
    bench.picks = ['By Next Run'];
    await handlers['millrace.jobs.sort'](bench.services, {});
    bench.picks = ['Active Jobs First'];
    await handlers['millrace.jobs.sort'](bench.services, {});
    await handlers['millrace.jobs.showByTime'](bench.services, {});
    await handlers['millrace.jobs.clearFilter'](bench.services, {});
    assert.deepEqual(bench.services.arrangement.current, {
      ...plainArrangement,
      by: 'time',
      sort: 'nextRun',
      activeFirst: true,
    });
    await handlers['millrace.jobs.showByJob'](bench.services, {});
    bench.picks = ['Active Jobs in Normal Order'];
    await handlers['millrace.jobs.sort'](bench.services, {});
    assert.deepEqual(bench.services.arrangement.current, { ...plainArrangement, sort: 'nextRun' });
  });
});

async function newFile(bench: Bench): Promise<{ text: string; python: string | undefined }> {
  await handlers['millrace.jobFile.new'](bench.services, {});
  const text = (bench.trail.find((line) => line.startsWith('opened: ')) ?? '').slice('opened: '.length);
  const { settings, problems } = parseJobFile(text);
  assert.deepEqual(problems, []);
  return { text, python: settings?.spark_python_task?.python_file };
}

describe('a new job file', () => {
  it('runs the active Python file, then one with a likely name, then the topmost one', async () => {
    const chosen = async (files: string[], active?: string): Promise<string | undefined> => {
      const bench = new Bench();
      bench.pythonFiles = files.map((path) => ({ path, isActive: path === active }));
      const { python } = await newFile(bench);
      assert.ok(!bench.trail.some((line) => line.startsWith('created')));
      return python;
    };
    assert.equal(await chosen(['/b/c.py', '/z.py', '/a/main.py'], '/b/c.py'), '/b/c.py');
    assert.equal(await chosen(['/a.py', '/main.py', '/b/main.py']), '/main.py');
    assert.equal(await chosen(['/b/c.py', '/z.py', '/y.py']), '/y.py');
    assert.equal(
      await chosen(['/setup.py', '/test_a.py', '/pkg/__init__.py', '/tests/x.py', '/src/deep/etl.py']),
      '/src/deep/etl.py',
    );
    assert.equal(await chosen(['/main.py', '/a/b/c/d/e/f.py'], '/a/b/c/d/e/f.py'), '/a/b/c/d/e/f.py');
    assert.equal(await chosen(['/a.py', '/tests/test_b.py'], '/tests/test_b.py'), '/tests/test_b.py');
    assert.equal(await chosen(['/job.py', '/app.py', '/a.py']), '/app.py');
    assert.equal(await chosen(['/job.py', '/a.py']), '/job.py');
    assert.equal(await chosen(['/z.py', '/a/main.py']), '/z.py');
    for (const none of ['/conftest.py', '/a_test.py', '/a/test/b.py', '/.tox/b.py', '/a/__main__.py'])
      assert.equal(await chosen([none, '/x/y/z.py']), '/x/y/z.py', none);
    for (const one of ['/contest.py', '/latest.py', '/testing/b.py', '/setups.py'])
      assert.equal(await chosen([one, '/x/y/z.py']), one);
    assert.equal(await chosen(['/it\'s: "one" #1.py']), '/it\'s: "one" #1.py');
  });

  it('gets a name that neither a job nor a job file has', async () => {
    const bench = new Bench();
    bench.pythonFiles = [{ path: '/jobs/nightly.py', isActive: true }];
    bench.texts.clear();
    const nameOf = async (): Promise<string | undefined> => {
      bench.trail = [];
      return parseJobFile((await newFile(bench)).text).settings?.name;
    };
    assert.equal(await nameOf(), 'nightly');
    bench.services.ui.jobFiles = async () => [{ uri: 'file:///w/jobs/nightly.job.yml', name: 'jobs/nightly.job.yml' }];
    assert.equal(await nameOf(), 'nightly-2');
    bench.store.setJobs([{ job_id: '1', settings: { name: 'nightly-2' } }, { job_id: '2' }], 0);
    assert.equal(await nameOf(), 'nightly-3');
    bench.services.ui.jobFiles = async () => [{ uri: 'file:///w/nightly-3.job.yaml', name: 'nightly-3.job.yaml' }];
    assert.equal(await nameOf(), 'nightly');
  });
});

const endpoints = [
  { name: 'guide', task: 'llm/v1/chat', endpoint_type: 'PAY_PER_TOKEN' },
  { name: 'qwen', task: 'llm/v1/chat', endpoint_type: 'PAY_PER_TOKEN' },
  { name: 'mini', task: 'chat' },
  { name: 'vectors', task: 'llm/v1/embeddings', endpoint_type: 'PAY_PER_TOKEN' },
  { name: 'mine', task: 'llm/v1/chat', endpoint_type: 'PROVISIONED_THROUGHPUT' },
];

describe('serving endpoints', () => {
  let bench: Bench;
  let calls: unknown[];
  let listed: typeof endpoints;
  /** The options of each call. */
  let signals: unknown[];
  beforeEach(() => {
    bench = new Bench();
    [calls, listed, signals] = [[], endpoints as never, []];
    bench.inference = {
      listEndpoints: async (given?: object) => (signals.push(given), listed),
      createEndpoint: async (request: unknown, given?: object) => (
        signals.push(given),
        calls.push(['create', request]),
        {}
      ),
      deleteEndpoint: async (name: string, given?: object) => (signals.push(given), void calls.push(['delete', name])),
    };
  });

  it('are created from the chosen models after confirmation', async () => {
    bench.picks = ['guide', 'qwen', 'mini'];
    bench.inputs = ['team'];
    await handlers['millrace.endpoint.create'](bench.services, {});
    const routes = [34, 33, 33].map((traffic_percentage, index) => ({
      served_model_name: ['guide', 'qwen', 'mini'][index],
      traffic_percentage,
    }));
    assert.deepEqual(calls, [
      [
        'create',
        {
          name: 'team',
          config: {
            served_entities: ['guide', 'qwen', 'mini'].map((name) => ({ name, entity_name: name })),
            traffic_config: { routes },
          },
        },
      ],
    ]);
    assert.ok(
      bench.trail.includes('mutation: Create the endpoint "team" of guide, qwen, mini'),
      bench.trail.join('\n'),
    );
  });

  it('are not created from models of different tasks, or after a no', async () => {
    bench.picks = ['guide', 'vectors'];
    await assert.rejects(
      async () => handlers['millrace.endpoint.create'](bench.services, {}),
      /guide and vectors have different tasks/,
    );
    bench.picks = ['guide'];
    bench.inputs = ['team'];
    bench.mutationDeclined = true;
    await handlers['millrace.endpoint.create'](bench.services, {});
    assert.deepEqual(calls, []);
  });

  it('are not created without a model to serve', async () => {
    listed = [];
    await handlers['millrace.endpoint.create'](bench.services, {});
    assert.ok(bench.trail.some((line) => line.includes('Local has no endpoint whose model can be served.')));
    assert.deepEqual(calls, []);
  });

  it('are deleted after confirmation', async () => {
    bench.picks = ['mine'];
    await handlers['millrace.endpoint.delete'](bench.services, {});
    assert.deepEqual(calls, [['delete', 'mine']]);
    const asked = bench.trail.findIndex((line) => line.includes('Delete the endpoint "mine" on Local?'));
    // The profile's own confirmation comes first.
    assert.deepEqual(bench.trail.indexOf('mutation: Delete the endpoint "mine"'), asked - 1, bench.trail.join('\n'));
    calls = [];
    bench.picks = ['mine'];
    bench.mutationDeclined = true;
    await handlers['millrace.endpoint.delete'](bench.services, {});
    assert.deepEqual(calls, []);
  });

  it('that are built in cannot be deleted', async () => {
    listed = endpoints.filter((endpoint) => endpoint.endpoint_type === 'PAY_PER_TOKEN');
    await handlers['millrace.endpoint.delete'](bench.services, {});
    assert.ok(bench.trail.some((line) => line.includes('Local has no endpoint that can be deleted.')));
    assert.deepEqual(calls, []);
  });

  it('get a name that is free and valid', async () => {
    for (const [typed, refused] of [
      ['qwen', 'An endpoint with this name already exists.'],
      ['vectors', 'An endpoint with this name already exists.'],
      ['-a', 'Start with a letter or digit. At most 63 letters, digits, "-", "_" and ".".'],
      ['', 'Start with a letter or digit. At most 63 letters, digits, "-", "_" and ".".'],
      ['a'.repeat(64), 'Start with a letter or digit. At most 63 letters, digits, "-", "_" and ".".'],
      ['a'.repeat(63), undefined],
      ['9_a.B-c', undefined],
    ] as const) {
      bench = Object.assign(new Bench(), { inference: bench.inference, picks: ['guide'], inputs: [typed] });
      await handlers['millrace.endpoint.create'](bench.services, {});
      const told = bench.trail.find((line) => line.startsWith('refused: '))?.slice('refused: '.length);
      assert.equal(told, refused, typed);
    }
  });
});
