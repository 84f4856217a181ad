import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { chooseTarget, startDebugRun, type DebugRun, type DebugTarget } from '../../../../src/service/host/debugRun.ts';
import { isAbort, isAppError } from '../../../../src/shared/errors.ts';
import { answerJson, startHttpServer, type TestServer } from '../../../support/httpServer.ts';
import { startTestService, testToken, type TestService } from '../support/testService.ts';

describe('a run that the editor starts to debug it', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await startTestService();
  });
  afterEach(() => test.close());

  const start = async (jobId: number | string, parameters = {}): Promise<DebugRun> =>
    startDebugRun({ url: test.service.url, token: testToken }, { jobId: String(jobId), parameters });
  const calm = (): { signal: AbortSignal; onInstalling: () => void } => ({
    signal: new AbortController().signal,
    onInstalling: () => undefined,
  });

  it('is waited for until its debugger is there, and tells of the installation', async () => {
    const run = await start(await test.createJob(), { python_params: ['9007199254740993'] });
    await test.untilTasks(1);
    assert.equal(test.runners.last.request.runId, run.runId);
    assert.deepEqual(test.runners.last.request.parameters, { python_params: ['9007199254740993'] });
    const installing = Promise.withResolvers<void>();
    const ready = run.ready({ ...calm(), onInstalling: installing.resolve });
    test.runners.last.debugging({ phase: 'installing' });
    await installing.promise;
    test.runners.last.debugging({ phase: 'ready', address: { port: 5, secret: 's' } });
    assert.deepEqual(await ready, { port: 5, secret: 's' });
  });

  it('may be a one-time run', async () => {
    const submit = { existing_cluster_id: 'local', spark_python_task: { python_file: '/task.py' } };
    const run = await startDebugRun({ url: test.service.url, token: testToken }, { submit });
    await test.untilTasks(1);
    assert.deepEqual([test.runners.last.request.runId, test.runners.last.request.debug], [run.runId, true]);
  });

  it('is the one that waits, and another one of the same where its session is restarted', () => {
    const entered = new Set<string>();
    const submit = { run_name: 'copy' };
    assert.deepEqual(chooseTarget({ runId: '5', submit }, entered), { runId: '5' });
    assert.deepEqual(chooseTarget({ runId: '5', submit }, entered), { submit });
    assert.deepEqual(chooseTarget({ runId: '5' }, entered), { runId: '5' });
    assert.deepEqual(chooseTarget({ submit }, entered), { submit });
    assert.deepEqual(chooseTarget({ jobId: '7' }, entered), { jobId: '7', parameters: {} });
    assert.equal(chooseTarget({}, entered), undefined);
  });

  it('that ends before says why', async () => {
    const run = await start(await test.createJob());
    await test.untilTasks(1);
    test.runners.last.reject('There is no Python.');
    await assert.rejects(run.ready(calm()), /ended before it could be debugged\. There is no Python\./);
  });

  it('that is skipped says why', async () => {
    const jobId = await test.createJob();
    await start(jobId);
    await test.untilTasks(1);
    const second = await start(jobId);
    await assert.rejects(second.ready(calm()), /max_concurrent_runs is 1/);
  });

  it('is refused with the reason of the service', async () => {
    await assert.rejects(start('77'), /Job 77 does not exist/);
  });

  it('is given up when the user says so', async () => {
    const run = await start(await test.createJob());
    const stop = new AbortController();
    const ready = run.ready({ ...calm(), signal: stop.signal });
    stop.abort();
    await assert.rejects(ready, isAbort);
  });

  it('is over when its cancellation resolves', async () => {
    const run = await start(await test.createJob());
    await test.untilTasks(1);
    test.runners.last.started();
    await run.cancel();
    assert.equal((await test.getRun(Number(run.runId))).state.life_cycle_state, 'TERMINATED');
  });
});

describe('what a debugged run asks of the service', () => {
  let service: TestServer;
  let answers: [status: number, body: object][];
  let onLook: () => void;
  beforeEach(async () => {
    answers = [];
    onLook = () => undefined;
    service = await startHttpServer(({ method }, response) => {
      if (method === 'GET') onLook();
      const [status, body] = answers.shift() ?? [200, { phase: 'waiting' }];
      answerJson(response, JSON.stringify(body), status);
    });
  });
  afterEach(() => service.close());

  const start = (target: DebugTarget): Promise<DebugRun> => startDebugRun({ url: service.url, token: 't' }, target);
  const calls = (): unknown[] => service.requests.map(({ method, url, body }) => [method, url, body]);

  it('is each state in turn, until it is ready', async () => {
    answers = [[200, { run_id: '5' }]];
    const run = await start({ jobId: '9007199254740993', parameters: { jar_params: ['a'], job_id: 'other' } });
    for (const phase of ['waiting', 'installing', 'installing', 'left']) answers.push([200, { phase }]);
    answers.push([200, { phase: 'ready', port: 7, secret: 's', more: 1 }]);
    let installing = 0;
    const { signal } = new AbortController();
    const startedAt = performance.now();
    assert.deepEqual(await run.ready({ signal, onInstalling: () => (installing += 1) }), { port: 7, secret: 's' });
    assert.ok(performance.now() - startedAt > 150, 'it looks every 50 ms');
    assert.equal(installing, 2);
    const look = ['GET', '/api/millrace/debug-state?run_id=5', ''];
    assert.deepEqual(calls(), [
      ['POST', '/api/millrace/debug-run', '{"jar_params":["a"],"job_id":"9007199254740993"}'],
      ...Array.from({ length: 5 }, () => look),
    ]);
  });

  it('is nothing for a run that waits already, and its end after it was cancelled', async () => {
    const run = await start({ runId: '6' });
    assert.deepEqual([run.runId, calls()], ['6', []]);
    answers = [
      [200, {}],
      [200, { phase: 'ready', port: 1, secret: '' }],
      [200, { phase: 'over', message: 'gone' }],
    ];
    await run.cancel();
    const look = ['GET', '/api/millrace/debug-state?run_id=6', ''];
    assert.deepEqual(calls(), [['POST', '/api/2.0/jobs/runs/cancel', '{"run_id":"6"}'], look, look]);
    answers = [[200, { phase: 'over', message: 'gone' }]];
    await assert.rejects(
      run.ready({ signal: new AbortController().signal, onInstalling: () => undefined }),
      (error) => {
        assert.ok(isAppError(error));
        assert.deepEqual(
          [error.kind, error.message, error.remedy],
          ['unavailable', 'The run ended before it could be debugged. gone', 'The output of the run 6 says more.'],
        );
        return true;
      },
    );
    answers = [[500, {}]];
    await assert.rejects(run.cancel(), { kind: 'rejected' });
  });

  it('is no more than ten seconds long the end of a run that was cancelled', async () => {
    const run = await start({ runId: '6' });
    const steps = [9_999, 1];
    mock.timers.enable({ apis: ['Date'], now: 0 });
    try {
      onLook = () => mock.timers.tick(steps.shift() ?? 0);
      await run.cancel();
    } finally {
      mock.timers.reset();
    }
    assert.deepEqual([steps.length, service.requests.length], [0, 3]);
  });
});
