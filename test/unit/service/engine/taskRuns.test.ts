import assert from 'node:assert/strict';
import { startTestService, type TestService, until } from '../support/testService.ts';

const python = { spark_python_task: { python_file: '/task.py' } };
type Task = Record<string, unknown>;
/** A run or a task's run as the service writes it. */
interface WireRun {
  run_id: number;
  task_key: string;
  attempt_number: number;
  state: { life_cycle_state: string; result_state?: string };
}

/** A task after others. */
const after = (key: string, before: string[], more: Task = python): Task => ({
  task_key: key,
  depends_on: before.map((each) => ({ task_key: each })),
  ...more,
});

describe('A run of several tasks', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await startTestService({ configuration: { discoverModels: false, maxParallelRuns: 2 } });
  });
  afterEach(() => test.close());

  async function start(tasks: Task[], more: Task = {}, run: Task = {}): Promise<number> {
    const job = await test.post('/api/2.2/jobs/create', { name: 'graph', tasks, ...more });
    assert.equal(job.status, 200, job.text);
    const started = await test.post('/api/2.2/jobs/run-now', { job_id: job.json.job_id, ...run });
    assert.equal(started.status, 200, started.text);
    return started.json.run_id as number;
  }
  /** Results, or life-cycle states, of the last attempts by key. */
  async function states(runId: number): Promise<Record<string, string>> {
    const { tasks } = await test.getRun(runId);
    return Object.fromEntries(
      (tasks as WireRun[]).map(({ task_key: key, state }) => [key, state.result_state ?? state.life_cycle_state]),
    );
  }
  const keysHandedOver = (): string[] =>
    test.runners.tasks.map(({ request }) => request.dynamicValues['task_key'] ?? '');
  const task = (key: string) =>
    test.runners.tasks.findLast(({ request }) => request.dynamicValues['task_key'] === key)!;

  it('runs a diamond in its order and as parallel as the machine allows', async () => {
    const runId = await start([
      after('top', []),
      after('left', ['top']),
      after('right', ['top']),
      after('bottom', ['left', 'right']),
    ]);
    await test.untilTasks(1);
    assert.deepEqual(await states(runId), { top: 'PENDING', left: 'BLOCKED', right: 'BLOCKED', bottom: 'BLOCKED' });
    task('top').succeed();
    await test.untilTasks(3);
    assert.deepEqual(keysHandedOver(), ['top', 'left', 'right']);
    task('left').succeed();
    task('right').succeed();
    await test.untilTasks(4);
    task('bottom').succeed();
    const run = await test.untilState(runId, 'TERMINATED');
    assert.equal(run.state.result_state, 'SUCCESS');
    assert.deepEqual(new Set(Object.values(await states(runId))), new Set(['SUCCESS']));
    assert.equal(run.run_duration, run.end_time - run.start_time);
  });

  it('does not run what is below a failed task and names the failed one', async () => {
    const runId = await start([
      after('a', []),
      after('b', ['a']),
      after('c', ['b']),
      after('tidy', ['b'], { ...python, run_if: 'ALL_DONE' }),
    ]);
    await test.untilTasks(1);
    task('a').fail('No such table.');
    await test.untilTasks(2);
    task('tidy').succeed();
    const run = await test.untilState(runId, 'TERMINATED');
    assert.equal(run.state.result_state, 'FAILED');
    assert.match(run.state.state_message, /\ba\b.*No such table/);
    assert.deepEqual(await states(runId), { a: 'FAILED', b: 'UPSTREAM_FAILED', c: 'UPSTREAM_FAILED', tidy: 'SUCCESS' });
  });

  it('retries a task by its own settings', async () => {
    const runId = await start([after('a', [], { ...python, max_retries: 1 }), after('b', ['a'])]);
    await test.untilTasks(1);
    task('a').fail();
    await test.untilTasks(2);
    assert.deepEqual(keysHandedOver(), ['a', 'a']);
    task('a').succeed();
    await test.untilTasks(3);
    task('b').succeed();
    const run = await test.untilState(runId, 'TERMINATED');
    assert.equal(run.state.result_state, 'SUCCESS');
    assert.deepEqual(
      run.tasks.map((each: WireRun) => [each.task_key, each.attempt_number]),
      [
        ['a', 0],
        ['b', 0],
        ['a', 1],
      ],
    );
  });

  it('cancels its tasks when it is cancelled', async () => {
    const runId = await start([after('a', []), after('b', ['a'])]);
    await test.untilTasks(1);
    task('a').started();
    await test.post('/api/2.1/jobs/runs/cancel', { run_id: runId });
    const run = await test.untilState(runId, 'TERMINATED');
    assert.equal(run.state.result_state, 'CANCELED');
    assert.deepEqual(await states(runId), { a: 'CANCELED', b: 'CANCELED' });
    assert.ok(task('a').signal.aborted);
  });

  it('cancels its tasks when it times out', async () => {
    const runId = await start([after('a', []), after('b', ['a'])], { timeout_seconds: 60 });
    await test.untilTasks(1);
    await test.clock.advance(61_000);
    assert.equal((await test.untilState(runId, 'TERMINATED')).state.result_state, 'TIMEDOUT');
    assert.deepEqual(await states(runId), { a: 'CANCELED', b: 'CANCELED' });
  });

  it('continues when one task is cancelled', async () => {
    const runId = await start([after('a', []), after('b', ['a']), after('c', [])]);
    await test.untilTasks(2);
    await test.post('/api/2.1/jobs/runs/cancel', { run_id: Number(task('a').request.runId) });
    task('c').succeed();
    assert.equal((await test.untilState(runId, 'TERMINATED')).state.result_state, 'CANCELED');
    assert.deepEqual(await states(runId), { a: 'CANCELED', b: 'UPSTREAM_CANCELED', c: 'SUCCESS' });
  });

  it('continues after a restart, and no task runs twice', async () => {
    const runId = await start([after('a', []), after('b', ['a']), after('x', []), after('y', ['x'])]);
    await test.untilTasks(2);
    task('a').succeed();
    await until(async () => (await states(runId))['b'] === 'PENDING', 'b to be started');
    await test.untilTasks(3);
    task('x').started();
    await test.restart();
    const run = await test.untilState(runId, 'TERMINATED');
    assert.equal(run.state.result_state, 'FAILED');
    assert.deepEqual(keysHandedOver().toSorted(), ['a', 'b', 'x']);
    assert.equal((await states(runId))['y'], 'UPSTREAM_FAILED');
  });

  it('follows the outcome of a condition', async () => {
    const runId = await start(
      [
        { task_key: 'if', condition_task: { op: 'GREATER_THAN', left: '{{job.parameters.count}}', right: '3' } },
        { ...after('yes', []), depends_on: [{ task_key: 'if', outcome: 'true' }] },
        { ...after('no', []), depends_on: [{ task_key: 'if', outcome: 'false' }] },
      ],
      { parameters: [{ name: 'count', default: '1' }] },
      { job_parameters: { count: '10' } },
    );
    await test.untilTasks(1);
    task('yes').succeed();
    assert.equal((await test.untilState(runId, 'TERMINATED')).state.result_state, 'SUCCESS');
    assert.deepEqual(await states(runId), { if: 'SUCCESS', yes: 'SUCCESS', no: 'EXCLUDED' });
  });

  it('runs a task for each input that a task before it has set, so many at once as it says', async () => {
    const runId = await start([
      after('list', []),
      after('loop', ['list'], {
        for_each_task: {
          inputs: '{{tasks.list.values.names}}',
          concurrency: 1,
          task: { task_key: 'each', spark_python_task: { python_file: '/task.py', parameters: ['{{input}}'] } },
        },
      }),
    ]);
    await test.untilTasks(1);
    task('list').end({ resultState: 'SUCCESS', taskValues: '{"names":["x","y"]}' });
    await test.untilTasks(2);
    assert.equal(task('each_0').request.dynamicValues['input'], 'x');
    task('each_0').succeed();
    await test.untilTasks(3);
    task('each_1').succeed();
    assert.equal((await test.untilState(runId, 'TERMINATED')).state.result_state, 'SUCCESS');
    assert.deepEqual(await states(runId), { list: 'SUCCESS', loop: 'SUCCESS' });
  });

  it('gives tasks their clusters, environments and parameters of the job', async () => {
    const cluster = { spark_version: '15.4', num_workers: 0, spark_env_vars: { A: 'b' }, node_type_id: 'n' };
    await start(
      [
        { task_key: 'a', job_cluster_key: 'c', notebook_task: { notebook_path: '/n' } },
        { task_key: 'b', environment_key: 'e', ...python },
      ],
      {
        job_clusters: [{ job_cluster_key: 'c', new_cluster: cluster }],
        environments: [
          { environment_key: 'e', spec: { client: '2', dependencies: ['six==1.0', '/libs/a-1-py3-none-any.whl'] } },
        ],
        parameters: [{ name: 'day', default: '{{job.id}}' }],
      },
    );
    await test.untilTasks(2);
    assert.equal(task('a').request.clusterSpec.new_cluster?.spark_env_vars?.['A'], 'b');
    assert.deepEqual(task('a').request.parameters.notebook_params, { day: task('a').request.jobId });
    assert.deepEqual(task('b').request.clusterSpec.libraries, [
      { pypi: { package: 'six==1.0' } },
      { whl: '/libs/a-1-py3-none-any.whl' },
    ]);
  });

  it('runs only the named tasks', async () => {
    const runId = await start([after('a', []), after('b', ['a'])], {}, { only: ['b'] });
    await test.untilTasks(1);
    task('b').succeed();
    await test.untilState(runId, 'TERMINATED');
    assert.deepEqual(await states(runId), { b: 'SUCCESS' });
  });

  it('is refused when a task cannot run here', async () => {
    const refused = await test.post('/api/2.1/jobs/runs/submit', {
      tasks: [{ task_key: 'query', sql_task: { warehouse_id: 'w', query: { query_id: 'q' } } }],
    });
    assert.equal(refused.status, 400);
    assert.match(refused.json.message, /query.*sql_task/);
  });

  it('has no output of its own, but each of its tasks has', async () => {
    const runId = await start([after('a', []), after('b', [])]);
    await test.untilTasks(2);
    task('a').fail('It broke.');
    task('b').succeed();
    await test.untilState(runId, 'TERMINATED');
    const output = (id: unknown) => test.get(`/api/2.1/jobs/runs/get-output?run_id=${String(id)}`);
    assert.equal((await output(runId)).status, 400);
    assert.equal((await output(task('a').request.runId)).json.error, 'It broke.');
  });

  it('runs another job as a task, and fails with it', async () => {
    const inner = await test.post('/api/2.2/jobs/create', { name: 'inner', tasks: [after('work', [])] });
    const nested = { run_job_task: { job_id: inner.json.job_id } };
    const runId = await start([after('first', []), after('nested', ['first'], nested), after('last', ['nested'])]);
    await test.untilTasks(1);
    task('first').succeed();
    await test.untilTasks(2);
    assert.deepEqual(keysHandedOver(), ['first', 'work']);
    task('work').fail();
    await test.untilState(runId, 'TERMINATED');
    assert.deepEqual(await states(runId), { first: 'SUCCESS', nested: 'FAILED', last: 'UPSTREAM_FAILED' });
  });

  it('lists the parameters of the job with their values in the run', async () => {
    const parameters = [
      { name: 'day', default: 'today' },
      { name: 'depth', default: '3' },
    ];
    const runId = await start([after('a', [])], { parameters }, { job_parameters: { day: 'monday' } });
    assert.deepEqual((await test.getRun(runId)).job_parameters, [
      { name: 'day', default: 'today', value: 'monday' },
      { name: 'depth', default: '3', value: '3' },
    ]);
  });

  it('passes values on with every digit, those of the last attempt only', async () => {
    const exact = '9007199254740993';
    const reader = { spark_python_task: { python_file: '/a.py', parameters: ['{{tasks.a.values.id}}'] } };
    const runId = await start([
      after('a', [], { ...python, max_retries: 1 }),
      after('b', ['a'], reader),
      after('each', ['a'], { for_each_task: { inputs: `[${exact}]`, task: { task_key: 'one', ...python } } }),
    ]);
    await test.untilTasks(1);
    task('a').end({ resultState: 'FAILED', taskValues: '{"old":1}' });
    await test.untilTasks(2);
    task('a').end({ resultState: 'SUCCESS', taskValues: `{"id":${exact}}` });
    await test.untilTasks(4);
    const { dynamicValues: values, taskValues } = task('b').request;
    assert.equal(values['tasks.a.values.id'], exact);
    assert.equal(values['tasks.a.values.old'], undefined);
    assert.equal(taskValues, `{"a":{"id":${exact}}}`);
    assert.equal(task('one_0').request.dynamicValues['input'], exact);
    await test.post('/api/2.1/jobs/runs/cancel', { run_id: runId });
  });

  it('runs what tidies up after a task that was cancelled', async () => {
    const runId = await start([after('a', []), after('tidy', ['a'], { ...python, run_if: 'AT_LEAST_ONE_FAILED' })]);
    await test.untilTasks(1);
    const { tasks } = await test.getRun(runId);
    await test.post('/api/2.1/jobs/runs/cancel', { run_id: (tasks as WireRun[])[0]?.run_id });
    task('a').end({ resultState: 'CANCELED' });
    await test.untilTasks(2);
    task('tidy').succeed();
    await test.untilState(runId, 'TERMINATED');
    assert.deepEqual(await states(runId), { a: 'CANCELED', tidy: 'SUCCESS' });
  });

  it('says in version 2.1 in one code why it ended', async () => {
    const runId = await start([after('a', []), after('b', ['a'])]);
    await test.untilTasks(1);
    task('a').fail('No such table.');
    await test.untilState(runId, 'TERMINATED');
    const { status, tasks } = (await test.get(`/api/2.1/jobs/runs/get?run_id=${runId}`)).json;
    const codes = [{ status }, ...tasks].map((each) => [each.status.state, each.status.termination_details.code]);
    assert.deepEqual(codes, [
      ['TERMINATED', 'RUN_EXECUTION_ERROR'],
      ['TERMINATED', 'RUN_EXECUTION_ERROR'],
      ['TERMINATED', 'UPSTREAM_FAILED'],
    ]);
    assert.equal((await test.get(`/api/2.0/jobs/runs/get?run_id=${runId}`)).json.status, undefined);
  });

  describe('when it is repaired', () => {
    const repair = (body: Task) => test.post('/api/2.1/jobs/runs/repair', body);

    it('runs its failed tasks and those below again, and ends by their results', async () => {
      const runId = await start([after('a', []), after('b', ['a']), after('c', [])]);
      await test.untilTasks(2);
      task('a').fail();
      task('c').succeed();
      await test.untilState(runId, 'TERMINATED');
      const repaired = await repair({ run_id: runId, rerun_all_failed_tasks: true });
      assert.equal(repaired.status, 200, repaired.text);
      await test.untilTasks(3);
      assert.equal((await test.getRun(runId)).state.life_cycle_state, 'RUNNING');
      task('a').succeed();
      await test.untilTasks(4);
      task('b').succeed();
      await test.untilState(runId, 'TERMINATED');
      assert.deepEqual(keysHandedOver(), ['a', 'c', 'a', 'b']);
      const run = (await test.get(`/api/2.1/jobs/runs/get?run_id=${runId}&include_history=true`)).json;
      assert.equal(run.state.result_state, 'SUCCESS');
      assert.deepEqual(
        run.repair_history.map((each: { type: string; state: WireRun['state'] }) => [
          each.type,
          each.state.result_state,
        ]),
        [
          ['ORIGINAL', 'FAILED'],
          ['REPAIR', 'SUCCESS'],
        ],
      );
      assert.equal(run.repair_history[1].id, repaired.json.repair_id);
    });

    it('takes new parameters and the tasks after those that it names', async () => {
      const runId = await start([after('a', []), after('b', ['a'])], { parameters: [{ name: 'x', default: '1' }] });
      await test.untilTasks(1);
      task('a').succeed();
      await test.untilTasks(2);
      task('b').succeed();
      await test.untilState(runId, 'TERMINATED');
      await repair({ run_id: runId, rerun_tasks: ['a'], rerun_dependent_tasks: true, job_parameters: { x: '2' } });
      await test.untilTasks(3);
      assert.equal(task('a').request.dynamicValues['job.parameters.x'], '2');
      task('a').succeed();
      await test.untilTasks(4);
      assert.deepEqual(keysHandedOver(), ['a', 'b', 'a', 'b']);
    });

    it('uses the current settings of its job, and tells its new parameters', async () => {
      const parameters = [{ name: 'x', default: '1' }];
      const runId = await start([after('a', [])], { parameters });
      await test.untilTasks(1);
      task('a').fail();
      const { job_id: jobId } = await test.untilState(runId, 'TERMINATED');
      const mended = { spark_python_task: { python_file: '/mended.py' } };
      await test.post('/api/2.1/jobs/update', { job_id: jobId, new_settings: { tasks: [after('a', [], mended)] } });
      await repair({ run_id: runId, rerun_all_failed_tasks: true, job_parameters: { x: '2' } });
      await test.untilTasks(2);
      assert.equal(task('a').request.task.spark_python_task?.python_file, '/mended.py');
      assert.deepEqual((await test.getRun(runId)).job_parameters, [{ name: 'x', default: '1', value: '2' }]);
    });

    it('is refused if a task now depends on one that the run does not have', async () => {
      const runId = await start([after('a', [])]);
      await test.untilTasks(1);
      task('a').fail();
      const { job_id: jobId } = await test.untilState(runId, 'TERMINATED');
      const tasks = [after('new', []), after('a', ['new'])];
      await test.post('/api/2.1/jobs/update', { job_id: jobId, new_settings: { tasks } });
      assert.equal((await repair({ run_id: runId, rerun_tasks: ['a'] })).status, 400);
    });

    it('has the retries of its tasks again', async () => {
      const runId = await start([after('a', [], { ...python, max_retries: 1 })]);
      const failTwice = async (before: number): Promise<void> => {
        for (const count of [before + 1, before + 2]) {
          await test.untilTasks(count);
          task('a').fail();
        }
        await test.untilState(runId, 'TERMINATED');
      };
      await failTwice(0);
      await repair({ run_id: runId, rerun_all_failed_tasks: true });
      await failTwice(2);
      const { tasks } = await test.getRun(runId);
      assert.deepEqual(
        (tasks as WireRun[]).map(({ attempt_number: attempt }) => attempt),
        [0, 1, 2, 3],
      );
    });

    it('is refused while it is active, without a failed task, and without the latest repair', async () => {
      const runId = await start([after('a', [])]);
      assert.equal((await repair({ run_id: runId, rerun_tasks: ['a'] })).json.error_code, 'INVALID_STATE');
      await test.untilTasks(1);
      task('a').succeed();
      await test.untilState(runId, 'TERMINATED');
      assert.equal((await repair({ run_id: runId, rerun_all_failed_tasks: true })).status, 400);
      assert.equal((await repair({ run_id: runId, rerun_tasks: ['a', 'unknown'] })).status, 400);
      const first = await repair({ run_id: runId, rerun_tasks: ['a'] });
      await test.untilTasks(2);
      task('a').succeed();
      await test.untilState(runId, 'TERMINATED');
      assert.equal((await repair({ run_id: runId, rerun_tasks: ['a'] })).status, 400);
      const second = { run_id: runId, rerun_tasks: ['a'], latest_repair_id: first.json.repair_id };
      assert.equal((await repair(second)).status, 200);
    });
  });

  it('is debugged one task at a time', async () => {
    const job = await test.post('/api/2.1/jobs/create', { tasks: [after('a', []), after('b', ['a'])] });
    const debug = (more: Task) => test.post('/api/millrace/debug-run', { job_id: job.json.job_id, ...more });
    assert.equal((await debug({})).status, 400);
    const started = await debug({ only: ['b'] });
    assert.equal(started.status, 200, started.text);
    await test.untilTasks(1);
    assert.equal(task('b').request.debug, true);
    task('b').started();
    task('b').debugging({ phase: 'held' });
    const state = await test.get(`/api/millrace/debug-state?run_id=${started.json.run_id}`);
    assert.equal(state.json.phase, 'held', state.text);
  });

  it('is listed without its tasks', async () => {
    const runId = await start([after('a', []), after('b', [])]);
    await test.untilTasks(2);
    const { runs } = (await test.get('/api/2.0/jobs/runs/list')).json;
    assert.deepEqual(
      runs.map((run: WireRun) => run.run_id),
      [runId],
    );
  });

  it('is deleted with the runs of its tasks', async () => {
    const runId = await start([after('a', [])]);
    await test.untilTasks(1);
    task('a').succeed();
    await test.untilState(runId, 'TERMINATED');
    await test.post('/api/2.1/jobs/runs/delete', { run_id: runId });
    assert.equal((await test.get(`/api/2.1/jobs/runs/get?run_id=${task('a').request.runId}`)).status, 400);
  });
});
