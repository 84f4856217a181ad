import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { limits } from './workspaceLimits.ts';

const hourInMs = 60 * 60 * 1000;

/** Counts the runs of schedules that are skipped. */
export interface Skips {
  /** Whether one more is stored. */
  mayStore(): boolean;
}

export function createSkips(clock: Clock, logger: Logger): Skips {
  let hour = { beganAt: clock.now(), count: 0 };
  return {
    mayStore() {
      if (clock.now() - hour.beganAt >= hourInMs) {
        const notStored = hour.count - limits.skippedPerHour;
        if (notStored > 0)
          logger.warn(
            `${notStored} further runs of schedules were skipped within an hour and are not listed. Let these schedules fire less often.`,
          );
        hour = { beganAt: clock.now(), count: 0 };
      }
      hour.count += 1;
      if (hour.count === limits.skippedPerHour + 1) {
        logger.warn(
          `${limits.skippedPerHour} runs of schedules were skipped within an hour; further ones of this hour ` +
            'are not listed. Let these schedules fire less often.',
        );
      }
      return hour.count <= limits.skippedPerHour;
    },
  };
}
