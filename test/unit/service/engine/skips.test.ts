import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSkips, limits } from '../../../../src/service/engine/admission.ts';
import { createEngine } from '../../../../src/service/engine/engine.ts';
import { openStore } from '../../../../src/service/store/store.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { createFakeRunners } from '../support/fakeRunners.ts';
import { pythonTask } from '../support/testService.ts';

describe('schedules that fire faster than their runs end', () => {
  it('leave a place for a user, and list no more skipped runs in an hour than they may', async function () {
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

  it('are told of once when the limit of the hour is passed, and counted anew from the next hour on', async () => {
    const clock = new FakeClock();
    const warnings: string[] = [];
    const skips = createSkips(clock, { ...silentLogger, warn: (text: string) => void warnings.push(text) });
    for (let index = 0; index < limits.skippedPerHour; index += 1) assert.equal(skips.mayStore(), true);
    assert.deepEqual(warnings, []);
    await clock.advance(60 * 60_000 - 1);
    assert.deepEqual([skips.mayStore(), skips.mayStore(), warnings.length], [false, false, 1]);
    assert.match(
      warnings[0] ?? '',
      /^10000 runs of schedules were skipped within an hour; further ones of this hour are not listed\. Let these schedules fire less often\.$/,
    );
    await clock.advance(1);
    assert.equal(skips.mayStore(), true);
    assert.match(warnings[1] ?? '', /^2 further runs .* are not listed\. Let these schedules fire less often\.$/);
    await clock.advance(60 * 60_000);
    assert.deepEqual([skips.mayStore(), warnings.length], [true, 2]);
  });
});
