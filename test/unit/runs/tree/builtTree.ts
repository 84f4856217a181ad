import { ScheduleTimes } from '../../../../src/runs/scheduleTimes.ts';

export const now = Date.UTC(2026, 2, 1, 12);
export const ended = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };

/** Returns schedule times that are computed immediately and that notify no listener. */
export const scheduleTimes = (clock: () => number = () => now): ScheduleTimes =>
  new ScheduleTimes({ now: clock, elapsed: () => 0, later: () => undefined, onComputed: () => undefined });
