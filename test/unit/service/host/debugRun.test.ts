import assert from 'node:assert/strict';
import { startDebugRun, type DebugRun } from '../../../../src/service/host/debugRun.ts';
import { isAbort } from '../../../../src/shared/errors.ts';
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
