import type { Clock } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import { isTerminal } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import type { ActiveRun, Notifier, ActiveRuns } from './activeRuns.ts';
import { durationWarningInMs, withTimeout } from './engineSettings.ts';
import { toEach, type Journal } from './runJournal.ts';

/** Time-outs and duration warnings of runs. */
export interface RunTimers extends Disposable {
  /**
   * Sets the time-out and the duration warning of a run. Both count from when the machine had a place for it, so that waiting for other
   * runs does not count; for a debugged run, from when the debugger has left.
   */
  arm(run: ActiveRun): void;
  /** Clears the time-out and the duration warning of the run. */
  clear(run: ActiveRun): void;
  /** Applies a new timeout_seconds to active runs and pending retries (Jobs API 2.0, Endpoints rule 2). */
  timeoutChanged(jobId: string, timeoutInSeconds: number | undefined): void;
}

export interface RunTimersOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly notifier: Notifier;
  readonly logger: Logger;
  readonly active: ActiveRuns;
  readonly journal: Journal;
  readonly isClosing: () => boolean;
}

export function createRunTimers(options: RunTimersOptions): RunTimers {
  const { store, clock, notifier, logger, active, journal, isClosing } = options;
  const armed = new Map<ActiveRun, (() => void)[]>();

  function clear(run: ActiveRun): void {
    armed.get(run)?.forEach((cancel) => cancel());
    armed.delete(run);
  }

  function arm(run: ActiveRun): void {
    clear(run);
    const { dispatchedAt } = run.record;
    if (dispatchedAt === undefined || isTerminal(run.record)) return;
    const countsFrom = run.debug ? run.debug.leftAt : dispatchedAt;
    if (countsFrom === undefined) return;
    // The clock may have been set back.
    const elapsedInMs = Math.max(0, clock.now() - countsFrom);
    const cancels: (() => void)[] = [];
    armed.set(run, cancels);
    const timeoutInSeconds = run.settings.timeout_seconds ?? 0;
    if (timeoutInSeconds > 0) {
      cancels.push(
        clock.schedule(Math.max(0, timeoutInSeconds * 1000 - elapsedInMs), () => timeOut(run, timeoutInSeconds)),
      );
    }
    const warningInMs = durationWarningInMs(run.settings);
    // A warning that is already overdue was sent when it was due.
    if (warningInMs !== undefined && warningInMs >= elapsedInMs)
      cancels.push(clock.schedule(warningInMs - elapsedInMs + 1, () => warn(run)));
  }

  function timeOut(run: ActiveRun, timeoutInSeconds: number): void {
    const message = `The run was ended after its time-out of ${timeoutInSeconds} s.`;
    journal.recordSoon(toEach([run], { type: 'timedOut', at: clock.now(), message }));
  }

  /** A full disk may accept the warning later; the run continues in any case. */
  function warn(run: ActiveRun): void {
    const { runId } = run.record;
    if (isClosing() || active.find(runId) !== run) return;
    try {
      store.transaction(() => notifier.lastsLong(run.record, run.settings));
      notifier.wake();
    } catch (error) {
      logger.error(
        `The duration warning of run ${runId} could not be stored, trying again in a second: ${describeError(error)}`,
      );
      clock.schedule(1000, () => warn(run));
    }
  }

  return {
    arm,
    clear,
    timeoutChanged(jobId, timeoutInSeconds) {
      for (const run of active.ofJob(jobId)) {
        run.settings = { ...run.settings, timeout_seconds: timeoutInSeconds };
        run.plan = { ...run.plan, settings: withTimeout(run.plan.settings, timeoutInSeconds) };
        store.runParts.setPlanSettings(run.record.runId, run.plan.settings);
        arm(run);
      }
      for (const { runId } of store.runs.waitingRetries(jobId)) {
        const plan = store.runParts.plan(runId);
        if (plan) store.runParts.setPlanSettings(runId, withTimeout(plan.settings, timeoutInSeconds));
      }
    },
    dispose() {
      for (const run of armed.keys()) clear(run);
    },
  };
}
