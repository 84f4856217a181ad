import assert from 'node:assert/strict';
import { startTestService, type TestService } from '../support/testService.ts';

describe('schedules', () => {
  let test: TestService;
  // A Sunday before Berlin's clocks go forward at 2:00 to 3:00.
  const startAt = Date.UTC(2026, 2, 28, 20, 0, 0);
  beforeEach(async () => {
    test = await startTestService({ startAt });
    test.runners.automatic = true;
  });
  afterEach(() => test.close());

  const schedule = { quartz_cron_expression: '0 30 1 * * ?', timezone_id: 'Europe/Berlin' };

  async function startTimes(jobId: number): Promise<string[]> {
    const { json } = await test.get(`/api/2.0/jobs/runs/list?limit=0&job_id=${jobId}`);
    return json.runs.map((run: { start_time: number }) => new Date(run.start_time).toISOString().slice(0, 16)).reverse();
  }

  it('fire in their time zone, over a change to summer time', async () => {
    const jobId = await test.createJob({ schedule });
    await test.clock.advance(48 * 3_600_000);
    assert.deepEqual(await startTimes(jobId), ['2026-03-29T00:30', '2026-03-29T23:30']);
    const [run] = (await test.get(`/api/2.0/jobs/runs/list?job_id=${jobId}`)).json.runs;
    assert.deepEqual([run.trigger, run.schedule], ['PERIODIC', schedule]);
  });

  it('do nothing while they are paused, and go on when they are not', async () => {
    const jobId = await test.createJob({ schedule: { ...schedule, pause_status: 'PAUSED' } });
    await test.clock.advance(24 * 3_600_000);
    assert.deepEqual(await startTimes(jobId), []);
    await test.post('/api/2.0/jobs/update', { job_id: jobId, new_settings: { schedule: { ...schedule, pause_status: 'UNPAUSED' } } });
    await test.clock.advance(24 * 3_600_000);
    assert.equal((await startTimes(jobId)).length, 1);
    await test.post('/api/2.0/jobs/update', { job_id: jobId, fields_to_remove: ['schedule'] });
    await test.clock.advance(48 * 3_600_000);
    assert.equal((await startTimes(jobId)).length, 1);
  });

  it('go on after a restart and do not run late what was missed', async () => {
    const jobId = await test.createJob({ schedule });
    await test.service.close();
    await test.clock.advance(10 * 3_600_000);
    await test.restart();
    test.runners.automatic = true;
    await test.clock.advance(1000);
    assert.deepEqual(await startTimes(jobId), []);
    await test.clock.advance(24 * 3_600_000);
    assert.equal((await startTimes(jobId)).length, 1);
  });

  it('skip a run while the one before is still going', async () => {
    test.runners.automatic = false;
    const jobId = await test.createJob({ schedule: { quartz_cron_expression: '0 0/10 * * * ?', timezone_id: 'UTC' } });
    await test.clock.advance(25 * 60_000);
    const { json } = await test.get(`/api/2.0/jobs/runs/list?job_id=${jobId}`);
    assert.deepEqual(json.runs.map((run: { state: { life_cycle_state: string } }) => run.state.life_cycle_state), ['SKIPPED', 'PENDING']);
  });
});
