import assert from 'node:assert/strict';
import { TravelClock } from '../../../../src/service/base/travelClock.ts';
import { startTestService, type TestService } from '../support/testService.ts';

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
});
