import type { Clock } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import type { StoredOutcome } from '../store/runParts.ts';
import { hasTasks, type RunRecord } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import type { ActiveRun, Notifier } from './activeRuns.ts';
import type { EngineSettings } from './engineSettings.ts';
import { type RunEffect, type RunEvent, transition } from './transition.ts';

/** An event of a run, and what the run left. */
export interface Happening {
  readonly run: ActiveRun;
  readonly event: RunEvent;
  readonly outcome?: StoredOutcome;
}

/** Returns the same event for several runs. */
export function toEach(runs: readonly ActiveRun[], event: RunEvent): Happening[] {
  return runs.map((run) => ({ run, event }));
}

/** Stores the events of runs before their effects happen. */
export interface Journal {
  /**
   * Stores the changes of the events in one transaction, then performs their effects.
   * @throws if they cannot be stored; nothing is changed then
   */
  record(happenings: readonly Happening[]): void;
  /** Like `record`, for events that have already happened outside: they are stored as soon as the disk allows. */
  recordSoon(happenings: readonly Happening[]): void;
}

export interface JournalOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly notifier: Notifier;
  readonly logger: Logger;
  /** Performs the effect of a stored change. */
  readonly perform: (run: ActiveRun, effect: RunEffect) => void;
  /** Nothing is retried while the service stops: the next start finds it. */
  readonly isClosing: () => boolean;
}

/** A clock that was set back by less changes no duration that anybody notices. */
const minSetBackInMs = 2000;

export function createJournal({ store, clock, notifier, logger, perform, isClosing }: JournalOptions): Journal {
  /** For each run, the clock at its last event, corrected, and the clock that nobody can set. */
  const lastClocks = new WeakMap<ActiveRun, { now: number; steadyInMs: number }>();

  /** Returns the time of an event. If the clock was set back since the run's last event, what has passed since then counts. */
  function timeOf(run: ActiveRun, at: number): number {
    const steadyInMs = Math.round(performance.now());
    const last = lastClocks.get(run) ?? { now: run.record.createdAt, steadyInMs };
    const behindInMs = last.now + steadyInMs - last.steadyInMs - clock.now();
    const setBackInMs = behindInMs > minSetBackInMs ? behindInMs : 0;
    lastClocks.set(run, { now: clock.now() + setBackInMs, steadyInMs });
    const { createdAt, dispatchedAt, runningAt, terminatingAt } = run.record;
    return Math.max(at + setBackInMs, terminatingAt ?? runningAt ?? dispatchedAt ?? createdAt);
  }

  /** Returns the number of the attempt from which retries count: a repair begins anew. */
  function firstAttempt(run: RunRecord): number {
    return run.repairId === undefined ? 0 : (store.runs.get(run.originalRunId ?? run.runId) ?? run).attemptNumber;
  }

  function record(happenings: readonly Happening[]): void {
    const changes = happenings.flatMap((happening) => {
      const event = { ...happening.event, at: timeOf(happening.run, happening.event.at) };
      const { run: progress, effects } = transition(happening.run.record, event);
      if (effects.length === 0 && progress === happening.run.record) return [];
      const next: RunRecord = { ...happening.run.record, ...progress };
      if (effects.includes('settle') && !happening.run.debug)
        next.retryAt = retryDueAt(next, happening.run.settings, { now: clock.now(), first: firstAttempt(next) });
      return [{ ...happening, next, effects }];
    });
    if (changes.length === 0) return;
    store.transaction(() => {
      for (const { run, next, effects, outcome } of changes) {
        store.runs.update(next);
        if (outcome) store.runParts.setOutcome(next.runId, outcome);
        if (effects.includes('announceStart')) notifier.started(next, run.settings);
        if (!effects.includes('settle')) continue;
        // A task that did not run has nothing to announce.
        if (run.record.lifeCycle !== 'BLOCKED') notifier.over(next, run.settings, next.retryAt !== undefined);
        if (next.hidden) store.runs.delete(next.runId);
      }
    });
    for (const { run, next } of changes) {
      run.record = next;
      logger.debug(`Run ${next.runId}: ${next.lifeCycle}${next.result ? ` ${next.result}` : ''}`);
    }
    for (const { run, effects } of changes) for (const effect of effects) perform(run, effect);
  }

  function recordSoon(happenings: readonly Happening[]): void {
    try {
      record(happenings);
    } catch (error) {
      // A problem with one run must not block the others.
      if (happenings.length > 1) {
        for (const happening of happenings) recordSoon([happening]);
        return;
      }
      logger.error(
        `The state of ${happenings.map(({ run }) => `run ${run.record.runId}`).join(', ')} could not be ` +
          `stored, trying again in a second: ${describeError(error)}`,
      );
      if (!isClosing()) clock.schedule(1000, () => recordSoon(happenings));
    }
  }

  return { record, recordSoon };
}

/** Pause before the third and later retries: a run that fails at once and is retried forever would fill the disk. */
const endlessRetryPauseInMs = 1000;

/**
 * Returns when to retry the run (Jobs API 2.0, max_retries, min_retry_interval_millis, retry_on_timeout): after FAILED or INTERNAL_ERROR,
 * after a time-out if the settings say so, never after a cancellation.
 *
 * @param first number of the attempt that was no retry
 * @returns epoch milliseconds, or `undefined` if there is no further attempt
 */
export function retryDueAt(
  run: RunRecord,
  settings: EngineSettings,
  { now, first = 0 }: { now: number; first?: number },
): number | undefined {
  const mayHaveRetries = run.taskKey === undefined ? run.jobId !== undefined && !hasTasks(run) : true;
  if (!mayHaveRetries || run.hidden || run.endedAt === undefined) return undefined;
  const mayRetry =
    run.stopping === 'TIMEDOUT'
      ? settings.retry_on_timeout === true
      : run.stopping === undefined && (run.result === 'FAILED' || run.lifeCycle === 'INTERNAL_ERROR');
  if (!mayRetry) return undefined;
  const maxRetries = settings.max_retries ?? 0;
  const retries = run.attemptNumber - first;
  if (maxRetries !== -1 && retries >= maxRetries) return undefined;
  const pauseInMs = maxRetries === -1 && retries >= 2 ? endlessRetryPauseInMs : 0;
  const tookInMs = run.endedAt - run.createdAt;
  return now + Math.max(pauseInMs, (settings.min_retry_interval_millis ?? 0) - tookInMs);
}
