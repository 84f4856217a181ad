import type { Clock } from '../../src/shared/clock.ts';

/** A clock that runs `speed` times as fast as the real one, for tests over real sockets whose waits are long. */
export function scaledClock(speed: number): Clock {
  const startedAt = Date.now();
  const start = performance.now();
  return {
    now: () => startedAt + (performance.now() - start) * speed,
    schedule(delayInMs, callback) {
      const timer = setTimeout(callback, delayInMs / speed);
      return () => clearTimeout(timer);
    },
  };
}
