import type { Clock } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import { isTerminal } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import type { ActiveRun, Notifier } from './activeRun.ts';
import type { ActiveRuns } from './activeRuns.ts';
import { durationWarningInMs, withTimeout } from './engineSettings.ts';
import { toEach, type Journal } from './runJournal.ts';

/** The time-outs of runs, and the warnings of those that last long. */
export interface RunTimers extends Disposable {
  /**
   * Sets the time-out and the duration warning of a run anew. Both count from the moment the machine had a place for it,
   * so that waiting for other runs is not held against it; of a debugged run, from the moment the debugger has left.
   */
  arm(run: ActiveRun): void;
  /** The time-out and the duration warning of the run do not come any more. */
  clear(run: ActiveRun): void;
  /** A change of timeout_seconds reaches active runs and retries that wait (Jobs API 2.0, Endpoints rule 2). */
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
    const elapsedInMs = clock.now() - countsFrom;
    const cancels: (() => void)[] = [];
    armed.set(run, cancels);
    const timeoutInSeconds = run.settings.timeout_seconds ?? 0;
    if (timeoutInSeconds > 0) {
      cancels.push(
        clock.schedule(Math.max(0, timeoutInSeconds * 1000 - elapsedInMs), () => timeOut(run, timeoutInSeconds)),
      );
    }
    const warningInMs = durationWarningInMs(run.settings);
    // One that passed already was announced when it did.
    if (warningInMs !== undefined && warningInMs >= elapsedInMs)
      cancels.push(clock.schedule(warningInMs - elapsedInMs + 1, () => warn(run)));
  }

  function timeOut(run: ActiveRun, timeoutInSeconds: number): void {
    const message = `The run was ended after its time-out of ${timeoutInSeconds} s.`;
    journal.recordSoon(toEach([run], { type: 'timedOut', at: clock.now(), message }));
  }

  /** A disk that is full now may take the warning later; the run goes on in any case. */
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
