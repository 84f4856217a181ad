import type { Clock } from '../../shared/clock.ts';
import { clearTimers, type ActiveRun } from './activeRun.ts';
import { durationWarningInMs } from './engineSettings.ts';
import { isTerminal } from './runRecord.ts';

export interface RunTimerEvents {
  onTimeout(run: ActiveRun, timeoutInSeconds: number): void;
  onDurationWarning(run: ActiveRun): void;
}

/**
 * Sets the time-out and the duration warning of a run anew. Both count from the moment the machine had a place for it,
 * so that waiting for other runs is not held against it; of a debugged run, from the moment the debugger has left.
 */
export function armRunTimers(run: ActiveRun, clock: Clock, events: RunTimerEvents): void {
  clearTimers(run);
  const { dispatchedAt } = run.record;
  if (dispatchedAt === undefined || isTerminal(run.record)) return;
  const countsFrom = run.debug ? run.debug.leftAt : dispatchedAt;
  if (countsFrom === undefined) return;
  const elapsedInMs = clock.now() - countsFrom;
  const timeoutInSeconds = run.settings.timeout_seconds ?? 0;
  if (timeoutInSeconds > 0) {
    run.timers.timeout = clock.schedule(Math.max(0, timeoutInSeconds * 1000 - elapsedInMs), () =>
      events.onTimeout(run, timeoutInSeconds),
    );
  }
  const warningInMs = durationWarningInMs(run.settings);
  // One that passed already was announced when it did.
  if (warningInMs !== undefined && warningInMs >= elapsedInMs) {
    run.timers.warning = clock.schedule(warningInMs - elapsedInMs + 1, () => events.onDurationWarning(run));
  }
}
