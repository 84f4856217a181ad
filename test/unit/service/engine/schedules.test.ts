import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '../../../../src/service/engine/admission.ts';
import { createEngine } from '../../../../src/service/engine/engine.ts';
import { openStore } from '../../../../src/service/store/store.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { createFakeRunners } from '../support/fakeRunners.ts';
import { pythonTask, startTestService, type TestService } from '../support/testService.ts';

describe('Schedule', () => {
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
    return json.runs
      .map((run: { start_time: number }) => new Date(run.start_time).toISOString().slice(0, 16))
      .reverse();
  }

  it('fires in its time zone across a change to summer time', async () => {
    const jobId = await test.createJob({ schedule });
    await test.clock.advance(48 * 3_600_000);
    assert.deepEqual(await startTimes(jobId), ['2026-03-29T00:30', '2026-03-29T23:30']);
    const [run] = (await test.get(`/api/2.0/jobs/runs/list?job_id=${jobId}`)).json.runs;
    assert.deepEqual([run.trigger, run.schedule], ['PERIODIC', schedule]);
  });

  it('does nothing while paused', async () => {
    const jobId = await test.createJob({ schedule: { ...schedule, pause_status: 'PAUSED' } });
    await test.clock.advance(24 * 3_600_000);
    assert.deepEqual(await startTimes(jobId), []);
    await test.post('/api/2.0/jobs/update', {
      job_id: jobId,
      new_settings: { schedule: { ...schedule, pause_status: 'UNPAUSED' } },
    });
    await test.clock.advance(24 * 3_600_000);
    assert.equal((await startTimes(jobId)).length, 1);
    await test.post('/api/2.0/jobs/update', { job_id: jobId, fields_to_remove: ['schedule'] });
    await test.clock.advance(48 * 3_600_000);
    assert.equal((await startTimes(jobId)).length, 1);
  });

  it('continues after a restart and does not run late what was missed', async () => {
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

  it('starts other jobs when one cannot start, and retries that one', async () => {
    const [bad, good] = [await test.createJob({ schedule }), await test.createJob({ schedule })];
    const { insert } = test.service.store.runs;
    let isFull = true;
    Object.assign(test.service.store.runs, {
      insert: (...args: Parameters<typeof insert>) => {
        if (isFull && args[0].jobId === String(bad)) throw new Error('The disk is full.');
        return insert(...args);
      },
    });
    await test.clock.advance(4.5 * 3_600_000 + 100);
    assert.deepEqual([await startTimes(bad), (await startTimes(good)).length], [[], 1]);
    isFull = false;
    await test.clock.advance(1000);
    assert.equal((await startTimes(bad)).length, 1);
  });

  it('skips a run while the previous one is active', async () => {
    test.runners.automatic = false;
    const jobId = await test.createJob({ schedule: { quartz_cron_expression: '0 0/10 * * * ?', timezone_id: 'UTC' } });
    await test.clock.advance(25 * 60_000);
    const { json } = await test.get(`/api/2.0/jobs/runs/list?job_id=${jobId}`);
    assert.deepEqual(
      json.runs.map((run: { state: { life_cycle_state: string } }) => run.state.life_cycle_state),
      ['SKIPPED', 'PENDING'],
    );
  });
});

describe('Fast schedules', () => {
  it('leave room for users and list a limited number of skipped runs per hour', async function () {
    this.timeout(120_000);
    const folder = mkdtempSync(join(tmpdir(), 'millrace-skips-'));
    const store = openStore(folder);
    const clock = new FakeClock();
    const warnings: string[] = [];
    const notifier = { started() {}, over() {}, lastsLong() {}, jobDeleted() {}, wake() {} };
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    const engine = createEngine({
      store,
      clock,
      runners: createFakeRunners(),
      notifier,
      logger,
      dataFolder: folder,
      creator: 'x',
      places: 4,
    });
    try {
      const settings = JSON.stringify({ name: 'x', ...pythonTask, max_concurrent_runs: 1000 });
      const jobId = store.jobs.insert({ settings, creator: 'x', createdAt: clock.now() }, undefined);
      let fired = 0;
      const fire = (times: number): void =>
        store.transaction(() => {
          for (let index = 0; index < times; index += 1)
            engine.startScheduled({ jobId, settings }, () => void (fired += 1));
        });
      fire(limits.activeRuns);
      assert.equal(engine.activeCount, limits.scheduledRuns);
      assert.equal(engine.start({ jobId, settings, trigger: 'ONE_TIME' }).lifeCycle, 'PENDING');
      fire(limits.skippedPerHour + 500);
      const skipped = (): number =>
        (
          store.database.connection
            .prepare(`SELECT count(*) AS count FROM runs WHERE life_cycle = 'SKIPPED'`)
            .get() as { count: number }
        ).count;
      assert.equal(skipped(), limits.skippedPerHour);
      // The schedule goes on all the same.
      assert.equal(fired, limits.activeRuns + limits.skippedPerHour + 500);
      assert.equal(warnings.length, 1);
      await clock.advance(60 * 60_000);
      fire(1);
      assert.equal(skipped(), limits.skippedPerHour + 1);
      assert.match(warnings.at(-1) ?? '', /^600 further runs of schedules were skipped/);
    } finally {
      engine.dispose();
      store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
