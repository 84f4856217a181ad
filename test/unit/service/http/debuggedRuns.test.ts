import assert from 'node:assert/strict';
import { startTestService, type Reply, type TestService } from '../support/testService.ts';

describe('Debugged run', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await startTestService();
  });
  afterEach(() => test.close());

  const state = async (runId: number): Promise<Record<string, unknown>> =>
    JSON.parse((await test.get(`/api/millrace/debug-state?run_id=${runId}`)).text) as Record<string, unknown>;

  async function debug(jobId: number, more: object = {}): Promise<number> {
    const reply: Reply = await test.post('/api/millrace/debug-run', { job_id: jobId, ...more });
    assert.equal(reply.status, 200, reply.text);
    await test.untilTasks(1);
    return Number(reply.json.run_id);
  }

  it('is an ordinary run of the job with a debugger', async () => {
    const runId = await debug(await test.createJob(), { python_params: ['a'] });
    const { request } = test.runners.last;
    assert.equal(request.debug, true);
    assert.deepEqual(request.parameters, { python_params: ['a'] });
    test.runners.last.started();
    const run = await test.untilState(runId, 'RUNNING');
    assert.match(run.state.state_message, /^In run\. It is being debugged/);
    assert.equal(run.number_in_job, 1);
    assert.deepEqual(run.overriding_parameters, { python_params: ['a'] });
  });

  it('starts once for one token, also without a job', async () => {
    const submit = async (token: string): Promise<unknown> => {
      const body = { spark_python_task: { python_file: '/x.py' }, existing_cluster_id: 'c', idempotency_token: token };
      const reply = await test.post('/api/millrace/debug-submit', body);
      assert.equal(reply.status, 200, reply.text);
      return reply.json.run_id;
    };
    const [first, again, other] = [await submit('t'), await submit('t'), await submit('u')];
    assert.deepEqual([again === first, other === first], [true, false]);
    const job = await test.createJob();
    const started = await debug(job, { idempotency_token: 'v' });
    assert.equal(await debug(job, { idempotency_token: 'v' }), started);
  });

  it('reports how far the debugger is', async () => {
    const runId = await debug(await test.createJob());
    assert.deepEqual(await state(runId), { phase: 'waiting' });
    test.runners.last.debugging({ phase: 'installing' });
    assert.deepEqual(await state(runId), { phase: 'installing' });
    test.runners.last.debugging({ phase: 'ready', address: { port: 5, secret: 's' } });
    assert.deepEqual(await state(runId), { phase: 'ready', port: 5, secret: 's' });
    test.runners.last.reject('Nothing works');
    await test.untilState(runId, 'INTERNAL_ERROR');
    assert.deepEqual(await state(runId), { phase: 'over', message: 'Nothing works' });
    assert.equal((await test.get('/api/millrace/debug-state?run_id=77')).status, 400);
  });

  it('is reported to every window while it stands still', async () => {
    const runId = await debug(await test.createJob());
    test.runners.last.started();
    await test.untilState(runId, 'RUNNING');
    const changes = async (known = ''): Promise<{ jobs: string; runs: string; held: string[] }> =>
      (await test.get(`/api/millrace/changes${known}`)).json;
    const told = await changes();
    assert.deepEqual(told.held, []);
    const next = changes(`?jobs=${told.jobs}&runs=${told.runs}`);
    test.runners.last.debugging({ phase: 'held' });
    const held = await next;
    assert.deepEqual(held.held, [String(runId)]);
    assert.notEqual(held.runs, told.runs);
    for (const over of [{ phase: 'going' }, { phase: 'left' }] as const) {
      test.runners.last.debugging({ phase: 'held' });
      test.runners.last.debugging(over);
      assert.deepEqual((await changes()).held, []);
    }
    test.runners.last.debugging({ phase: 'held' });
    test.runners.last.succeed();
    await test.untilState(runId, 'TERMINATED');
    assert.deepEqual((await changes()).held, []);
  });

  it('does not time out and is not retried', async () => {
    const jobId = await test.createJob({ timeout_seconds: 60, max_retries: 3 });
    const runId = await debug(jobId);
    test.runners.last.started();
    await test.clock.advance(3600_000);
    const reply = await test.post('/api/2.0/jobs/update', { job_id: jobId, new_settings: { timeout_seconds: 30 } });
    assert.equal(reply.status, 200, reply.text);
    await test.clock.advance(3600_000);
    await test.untilState(runId, 'RUNNING');
    test.runners.last.fail();
    await test.untilState(runId, 'TERMINATED');
    await test.clock.advance(3600_000);
    assert.equal((await test.get('/api/2.0/jobs/runs/list')).json.runs.length, 1);
  });

  it('has its remaining time-out once the debugger has left', async () => {
    const runId = await debug(await test.createJob({ timeout_seconds: 60 }));
    test.runners.last.started();
    await test.clock.advance(3600_000);
    test.runners.last.debugging({ phase: 'left' });
    await test.clock.advance(59_000);
    await test.untilState(runId, 'RUNNING');
    await test.clock.advance(2000);
    const run = await test.untilState(runId, 'TERMINATED');
    assert.equal(run.state.result_state, 'TIMEDOUT');
  });

  it('is refused for other task types and for an unknown job', async () => {
    const others = {
      spark_jar_task: { spark_jar_task: { main_class_name: 'x' }, libraries: [{ jar: '/x.jar' }] },
      pipeline_task: { pipeline_task: { pipeline_id: '/x' } },
    };
    for (const [kind, task] of Object.entries(others)) {
      const jobId = await test.createJob({ spark_python_task: undefined, ...task });
      const refused = await test.post('/api/millrace/debug-run', { job_id: jobId });
      assert.equal(refused.status, 400);
      assert.match(
        refused.text,
        new RegExp(`A ${kind} cannot be debugged here; no run was started\\. Debug a job of a P`),
      );
    }
    assert.equal((await test.post('/api/millrace/debug-run', { job_id: 77 })).status, 400);
    assert.equal((await test.get('/api/2.0/jobs/runs/list')).json.runs?.length ?? 0, 0);
  });
});
