import type { Clock } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import { nextFireTimes } from '../../shared/quartz/quartz.ts';
import { createAlarm } from '../base/alarm.ts';
import type { Store } from '../store/store.ts';
import { limits } from './admission.ts';
import type { Engine } from './engineContract.ts';
import { parseSettings, type EngineSettings } from './engineSettings.ts';

/** After sleep, the machine starts runs that became due within this time. Older ones are skipped and logged. */
const latestInMs = 60_000;

/** Starts the runs of schedules (Jobs API 2.0, CronSchedule). */
export interface Scheduler extends Disposable {
  /**
   * Returns when the schedule next fires, in epoch milliseconds, or `undefined` if there is no schedule, it is paused or it never fires
   * again.
   */
  nextFire(settings: Pick<EngineSettings, 'schedule'>): number | undefined;
  /** Looks up when the next schedule is due. Call it after a schedule was stored. */
  check(): void;
}

export function createScheduler(options: {
  store: Store;
  clock: Clock;
  engine: () => Engine;
  logger: Logger;
}): Scheduler {
  const { store, clock, logger } = options;
  let lastNow = 0;
  const alarm = createAlarm(
    clock,
    () => {
      const now = clock.now();
      // A schedule that was planned by a clock far ahead would not fire until then.
      if (now < lastNow - latestInMs) planAll();
      lastNow = now;
      return store.jobs.earliestFire();
    },
    fireDue,
    (error) => logger.error(`A schedule could not start its run: ${describeError(error)}`),
  );

  function nextFire(settings: Pick<EngineSettings, 'schedule'>): number | undefined {
    const { schedule } = settings;
    if (!schedule || schedule.pause_status === 'PAUSED') return undefined;
    return nextFireTimes(schedule.quartz_cron_expression, schedule.timezone_id, clock.now(), 1)[0];
  }

  function planAll(): void {
    for (const { jobId } of store.jobs.dueJobs(Number.MAX_SAFE_INTEGER, limits.savedJobs)) {
      const job = store.jobs.get(jobId);
      if (job) store.jobs.setNextFire(jobId, nextFire(parseSettings(job.settings)));
    }
  }

  function fireDue(): void {
    const now = clock.now();
    const failures: unknown[] = [];
    for (const { jobId, fireAt } of store.jobs.dueJobs(now, 100)) {
      try {
        fire(jobId, fireAt, now);
      } catch (error) {
        // A problem with one job must not block the others; the alarm retries it.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  function fire(jobId: string, fireAt: number, now: number): void {
    const job = store.jobs.get(jobId);
    if (!job) return;
    const goOn = (): void => store.jobs.setNextFire(jobId, nextFire(parseSettings(job.settings)));
    if (now - fireAt <= latestInMs) {
      options.engine().startScheduled({ jobId, settings: job.settings }, goOn);
    } else {
      goOn();
      logger.info(
        `Job ${jobId} was due at ${new Date(fireAt).toISOString()}, when the service was not running; the run was skipped.`,
      );
    }
  }

  return { nextFire, check: alarm.check, dispose: alarm.dispose };
}
