import assert from 'node:assert/strict';
import { createClient, type Client } from '../../../../src/api/client/index.ts';
import { eachWithClient, testToken, type TestService } from '../support/testService.ts';

describe('Changes', () => {
  let test: TestService;
  let client: Client;

  eachWithClient((...made) => ([test, client] = made));

  it('answer as soon as a list has changed, and name which', async () => {
    const first = await client.localService.changes();
    const waiting = client.localService.changes(first);
    const jobId = await test.createJob();
    const second = await waiting;
    assert.notEqual(second.jobs, first.jobs);
    assert.equal(second.runs, first.runs);
    const started = client.localService.changes(second);
    const runId = await test.runNow(jobId);
    const third = await started;
    assert.notEqual(third.runs, second.runs);
    await test.untilTasks(1);
    let known = await client.localService.changes();
    const next = client.localService.changes(known);
    test.runners.tasks[0]?.started();
    await next;
    await test.untilState(runId, 'RUNNING');
    known = await client.localService.changes();
    const ended = client.localService.changes(known);
    test.runners.tasks[0]?.succeed();
    await ended;
    await test.untilState(runId, 'TERMINATED');
    for (const change of [
      () => test.post('/api/2.0/jobs/update', { job_id: jobId, new_settings: { name: 'renamed' } }),
      () => test.post('/api/2.0/jobs/runs/delete', { run_id: runId }),
      () => test.post('/api/2.0/jobs/delete', { job_id: jobId }),
    ]) {
      const told = client.localService.changes(await client.localService.changes());
      await change();
      await told;
    }
  });

  it('answer unchanged after a while and release a client that leaves', async () => {
    const known = await client.localService.changes();
    const waiting = client.localService.changes(known);
    // Reading is no change.
    await client.jobs.list();
    await client.jobs.listRuns();
    await test.clock.advance(50_000);
    assert.deepEqual(await waiting, known);
    const given = new AbortController();
    const stopped = client.localService.changes(known, { signal: given.signal });
    given.abort();
    await assert.rejects(stopped);
  });

  it('tell that another service answers after a restart', async () => {
    const known = await client.localService.changes();
    await test.restart();
    const again = createClient({ baseUrl: test.service.url, auth: { kind: 'bearer', token: testToken } });
    assert.notDeepEqual(await again.localService.changes(known), known);
  });

  it('end with the service', async () => {
    const waiting = client.localService
      .changes(await client.localService.changes(), { retry: 'fail' })
      .catch(() => undefined);
    await test.service.close();
    await waiting;
  });

  it('give the last run of every job, and the last that was not skipped, page by page', async () => {
    const jobIds: number[] = [];
    for (let count = 0; count < 6; count += 1) jobIds.push(await test.createJob());
    for (const jobId of jobIds.slice(0, 4)) {
      await test.runNow(jobId);
      if (jobId % 2 === 0) await test.runNow(jobId);
    }
    const { runs, nextAfterJobId } = await client.localService.lastRuns();
    assert.equal(nextAfterJobId, undefined);
    const named = (found: typeof runs): string[] =>
      found.map(
        (run) => `${run.job_id} #${run.number_in_job}${run.state?.life_cycle_state === 'SKIPPED' ? ' skipped' : ''}`,
      );
    assert.deepEqual(
      named(runs),
      jobIds.slice(0, 4).flatMap((id) => (id % 2 === 0 ? [`${id} #2 skipped`, `${id} #1`] : [`${id} #1`])),
    );
    const later = await client.localService.lastRuns(String(jobIds[2]));
    assert.deepEqual(
      named(later.runs),
      named(runs).filter((name) => name.startsWith(`${jobIds[3]} `)),
    );
  });
});
