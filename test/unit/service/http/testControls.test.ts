import assert from 'node:assert/strict';
import { TravelClock } from '../../../../src/service/base/travelClock.ts';
import { pythonTask, startTestService, type TestService } from '../support/testService.ts';

describe('Test controls', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await startTestService({ testClock: new TravelClock() });
  });
  afterEach(() => test.close());
  const control = (name: string, body: unknown): ReturnType<TestService['post']> =>
    test.post(`/api/millrace/test/${name}`, body);

  it('do not exist unless they are enabled', async () => {
    const plain = await startTestService();
    try {
      for (const name of ['clock', 'faults', 'faults/clear', 'ids', 'seed'])
        assert.equal((await plain.post(`/api/millrace/test/${name}`, {})).status, 404);
    } finally {
      await plain.close();
    }
  });

  it('move time forward, through schedules and time-outs', async () => {
    test.runners.automatic = true;
    const jobId = await test.createJob({ schedule: { quartz_cron_expression: '0 0 * * * ?', timezone_id: 'UTC' } });
    const reply = await control('clock', { advance_ms: 5 * 3_600_000 });
    assert.ok(reply.json.timers_fired > 5);
    assert.equal((await test.get(`/api/2.0/jobs/runs/list?job_id=${jobId}`)).json.runs.length, 5);
    assert.equal((await control('clock', { now: 0 })).status, 400);
  });

  it('make requests fail as told', async () => {
    const list = (): ReturnType<TestService['get']> => test.get('/api/2.0/jobs/list');
    await control('faults', {
      faults: [
        { kind: 'status', status: 429, retry_after: 7, path: '/api/2.0/jobs/list' },
        { kind: 'status', status: 503, times: 2 },
      ],
    });
    const limited = await list();
    assert.deepEqual(
      [limited.status, limited.headers.get('retry-after'), limited.json.error_code],
      [429, '7', 'REQUEST_LIMIT_EXCEEDED'],
    );
    assert.deepEqual([(await list()).status, (await list()).status, (await list()).status], [503, 503, 200]);
    await control('faults', { faults: [{ kind: 'drop' }] });
    await assert.rejects(list());
    await control('faults', { faults: [{ kind: 'badJson' }] });
    const garbled = await fetch(`${test.service.url}/api/2.0/jobs/list`, {
      headers: { authorization: 'Bearer token-of-a-test', connection: 'close' },
    });
    const announced = Number(garbled.headers.get('content-length'));
    assert.deepEqual([await garbled.text(), announced > 5], ['{'.repeat(announced), true]);
    await control('faults', { faults: [{ kind: 'slow', delay_ms: 120 }] });
    const startAt = performance.now();
    assert.equal((await list()).status, 200);
    assert.ok(performance.now() - startAt >= 110);
    await control('faults', { faults: [{ kind: 'status', times: 0 }] });
    for (let count = 0; count < 3; count += 1) assert.equal((await list()).status, 503);
    await control('faults/clear', {});
    await control('faults', { faults: [{ kind: 'status', method: 'POST' }] });
    assert.equal((await list()).status, 200);
    await control('faults/clear', {});
    assert.equal((await list()).status, 200);
  });

  it('break the connection after the request was carried out', async () => {
    await control('faults', { faults: [{ kind: 'dropAfter' }] });
    await assert.rejects(test.post('/api/2.0/jobs/runs/submit', { ...pythonTask, idempotency_token: 't' }));
    const again = await test.post('/api/2.0/jobs/runs/submit', { ...pythonTask, idempotency_token: 't' });
    assert.equal(again.status, 200);
    assert.equal((await test.get('/api/2.0/jobs/runs/list')).json.runs.length, 1);
  });

  it('seed jobs, runs and ids', async () => {
    await control('ids', { next_job_id: '9007199254740993', next_run_id: '9007199254740995' });
    const seeded = await control('seed', {
      jobs: [
        { name: 'one', ...pythonTask },
        { name: 'two', ...pythonTask },
      ],
    });
    assert.equal(seeded.text, '{"job_ids":[9007199254740993,9007199254740994]}');
    await control('seed', { runs: { job_id: '9007199254740993', count: 30 } });
    const { json, text } = await test.get('/api/2.0/jobs/runs/list?job_id=9007199254740993');
    assert.deepEqual([json.runs.length, json.has_more], [20, true]);
    assert.match(text, /"run_id":9007199254741024,/);
  });
});
