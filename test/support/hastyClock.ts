import { systemClock, type Clock } from '../../src/shared/clock.ts';

/** The real clock, for which a short pause is over at once: what is tried again quickly is tried again without a wait. */
export const hastyClock: Clock = {
  now: () => systemClock.now(),
  schedule: (delayInMs, callback) => systemClock.schedule(delayInMs <= 1000 ? 0 : delayInMs, callback),
};
