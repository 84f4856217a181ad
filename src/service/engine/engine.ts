import { rm } from 'node:fs/promises';
import { delay } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import { ApiError, doesNotExist } from '../base/apiError.ts';
import { serviceStops, type DebugProgress } from '../runners/runner.ts';
import { takesPlace, clearTimers, type ActiveRun } from './activeRun.ts';
import type { Engine, EngineOptions } from './engineContract.ts';
import { parseSettings, withTimeout } from './engineSettings.ts';
import { createRun, skipReason, type RunStart } from './runCreation.ts';
import { executeRun } from './runExecution.ts';
import { createJournal, type Happening } from './runJournal.ts';
import { isTerminal, type RunRecord } from './runRecord.ts';
import { runFolder } from './runRequest.ts';
import { createRunRetries } from './runRetries.ts';
import { armRunTimers, type RunTimerEvents } from './runTimers.ts';
import { RunWaiters } from './runWaiters.ts';
import { createSkips } from './skips.ts';
import type { RunEffect } from './transition.ts';
import { limits } from './workspaceLimits.ts';

/** How long closing waits for the runs to end. */
const closingLimitInMs = 600;

const lostMessage = 'The local service ended while the run was going, which ended the run. Run the job again.';

/** The engine of one data folder; `recover` is to be called before the first run is started. */
export function createEngine(options: EngineOptions): Engine {
  const { store, clock, notifier, logger, dataFolder } = options;
  const active = new Map<string, ActiveRun>();
  const waiters = new RunWaiters();
  const cleaning: ActiveRun[] = [];
  const skips = createSkips(clock, logger);
  const creation = { store, clock, notifier, creator: options.creator, activeCount: () => active.size, activeCountOf };
  let isClosing = false;
  let isHeld = false;
  let pumpCancel: (() => void) | undefined;

  const retries = createRunRetries({
    creation,
    waiters,
    logger,
    adopt,
    onDidStart() {
      notifier.wake();
      pumpSoon();
    },
    isClosing: () => isClosing,
  });

  const { record, recordSoon } = createJournal({
    store,
    clock,
    notifier,
    logger,
    perform,
    isClosing: () => isClosing,
  });

  function adopt(run: ActiveRun): void {
    if (isTerminal(run.record)) waiters.tell(run.record.runId, run.record);
    else active.set(run.record.runId, run);
  }

  function activeCountOf(jobId: string): number {
    let count = 0;
    for (const run of active.values()) if (run.record.jobId === jobId) count += 1;
    return count;
  }

  function start(request: RunStart, within?: () => void): RunRecord {
    if (isClosing)
      throw new ApiError(
        503,
        'TEMPORARILY_UNAVAILABLE',
        'The local service is stopping; no run was started. Start it again.',
      );
    if (active.size >= limits.activeRuns && request.trigger !== 'PERIODIC') {
      throw new ApiError(
        429,
        'REQUEST_LIMIT_EXCEEDED',
        `${limits.activeRuns} runs are active in this workspace, as many as it can hold; no run was started. Repeat the request when one has ended.`,
        { retryAfterInSeconds: 5 },
      );
    }
    const run = store.transaction(() => {
      within?.();
      return createRun(request, creation);
    });
    adopt(run);
    notifier.wake();
    pumpSoon();
    return run.record;
  }

  function startScheduled(scheduled: Omit<RunStart, 'trigger'>, within: () => void): void {
    const request: RunStart = { ...scheduled, trigger: 'PERIODIC' };
    const isSkipped =
      skipReason(request, parseSettings(request.settings).max_concurrent_runs ?? 1, creation) !== undefined;
    if (!isSkipped || skips.mayStore()) start(request, within);
    else store.transaction(within);
  }

  function pumpSoon(): void {
    pumpCancel ??= clock.schedule(0, () => {
      pumpCancel = undefined;
      pump();
    });
  }

  function pump(): void {
    if (isClosing || isHeld) return;
    let places = options.places;
    const at = clock.now();
    const dispatched: Happening[] = [];
    for (const run of active.values()) if (run.record.dispatchedAt !== undefined && takesPlace(run)) places -= 1;
    for (const run of [...active.values()]) {
      if (run.record.dispatchedAt !== undefined || run.record.lifeCycle !== 'PENDING') continue;
      if (takesPlace(run) && places <= 0) continue;
      if (takesPlace(run)) places -= 1;
      dispatched.push({
        run,
        event: { type: 'dispatched', at, clusterId: run.settings.existing_cluster_id ?? `local-${run.record.runId}` },
      });
    }
    recordSoon(dispatched);
  }

  /** Many runs that end together are stored together. */
  function cleanUp(run: ActiveRun): void {
    clearTimers(run);
    cleaning.push(run);
    if (cleaning.length > 1) return;
    clock.schedule(0, () => {
      const at = clock.now();
      recordSoon(cleaning.splice(0).map((each) => ({ run: each, event: { type: 'cleaned', at } })));
    });
  }

  function perform(run: ActiveRun, effect: RunEffect): void {
    switch (effect) {
      case 'execute':
        armRunTimers(run, clock, timerEvents);
        run.execution = executeRun(run, {
          store,
          clock,
          runners: options.runners,
          logger,
          journal: { record, recordSoon },
          dataFolder,
          children: engine,
          onDebugging: debugged,
          isClosing: () => isClosing,
        });
        break;
      case 'abort':
        clearTimers(run);
        run.abort.abort();
        break;
      case 'cleanUp':
        cleanUp(run);
        break;
      case 'announceStart':
        notifier.wake();
        break;
      case 'settle':
        settle(run);
        break;
    }
  }

  function settle(run: ActiveRun): void {
    clearTimers(run);
    active.delete(run.record.runId);
    if (run.record.hidden) removeFolder(run.record.runId);
    if (run.record.retryAt === undefined) waiters.tell(run.record.runId, run.record);
    else retries.check();
    notifier.wake();
    pumpSoon();
  }

  function debugged(run: ActiveRun, progress: DebugProgress): void {
    if (!run.debug) return;
    const wasHeld = run.debug.progress.phase === 'held';
    run.debug.progress = progress;
    if (wasHeld !== (progress.phase === 'held')) store.changes.add('runs');
    if (progress.phase !== 'left') return;
    run.debug.leftAt = clock.now();
    armRunTimers(run, clock, timerEvents);
  }

  /** A disk that is full now may take the warning later; the run goes on in any case. */
  function warnSoon(run: ActiveRun): void {
    if (isClosing || active.get(run.record.runId) !== run) return;
    try {
      store.transaction(() => notifier.lastsLong(run.record, run.settings));
      notifier.wake();
    } catch (error) {
      logger.error(
        `The duration warning of run ${run.record.runId} could not be stored, trying again in a second: ${describeError(error)}`,
      );
      clock.schedule(1000, () => warnSoon(run));
    }
  }

  const timerEvents: RunTimerEvents = {
    onTimeout(run, timeoutInSeconds) {
      recordSoon([
        {
          run,
          event: {
            type: 'timedOut',
            at: clock.now(),
            message: `The run was ended after its time-out of ${timeoutInSeconds} s.`,
          },
        },
      ]);
    },
    onDurationWarning: warnSoon,
  };

  function cancelled(run: ActiveRun): Happening {
    return { run, event: { type: 'cancelRequested', at: clock.now(), message: 'The run was cancelled by a user.' } };
  }

  function removeFolder(runId: string): void {
    rm(runFolder(dataFolder, runId), { recursive: true, force: true }).catch((error: unknown) => {
      logger.warn(`The folder of run ${runId} could not be removed: ${describeError(error)}`);
    });
  }

  function get(runId: string): RunRecord | undefined {
    const record = active.get(runId)?.record ?? store.runs.get(runId);
    return record?.hidden ? undefined : record;
  }

  const engine: Engine = {
    start,
    startScheduled,
    get,
    debugProgress: (runId) => active.get(runId)?.debug?.progress,
    get heldRuns() {
      return [...active.values()]
        .filter(({ debug }) => debug?.progress.phase === 'held')
        .map(({ record: { runId } }) => runId);
    },
    get activeCount() {
      return active.size;
    },
    cancel(runId) {
      const known = get(runId);
      if (!known) throw doesNotExist('Run', runId);
      const run = active.get(runId);
      if (run) record([cancelled(run)]);
      else if (known.retryAt !== undefined) retries.drop(known);
    },
    cancelAll(jobId) {
      store.runs.waitingRetries(jobId).forEach(retries.drop);
      record([...active.values()].filter((run) => run.record.jobId === jobId).map(cancelled));
    },
    delete(runId) {
      const run = get(runId);
      if (!run) throw doesNotExist('Run', runId);
      if (!isTerminal(run))
        throw new ApiError(
          400,
          'INVALID_STATE',
          `Run ${runId} is ${run.lifeCycle}; it was not deleted. Cancel it and delete it when it has ended.`,
        );
      store.transaction(() => store.runs.delete(runId));
      waiters.tell(runId, undefined);
      removeFolder(runId);
    },
    jobDeleted(jobId, deletedRunIds) {
      for (const runId of deletedRunIds) {
        waiters.tell(runId, undefined);
        removeFolder(runId);
      }
      const going = [...active.values()].filter((run) => run.record.jobId === jobId);
      for (const run of going) run.record = { ...run.record, hidden: true };
      const at = clock.now();
      recordSoon(
        going.map((run) => ({ run, event: { type: 'cancelRequested', at, message: 'The job was deleted.' } })),
      );
    },
    timeoutChanged(jobId, timeoutInSeconds) {
      for (const run of active.values()) {
        if (run.record.jobId !== jobId) continue;
        run.settings = { ...run.settings, timeout_seconds: timeoutInSeconds };
        run.plan = { ...run.plan, settings: withTimeout(run.plan.settings, timeoutInSeconds) };
        store.runs.setPlanSettings(run.record.runId, run.plan.settings);
        armRunTimers(run, clock, timerEvents);
      }
      for (const { runId } of store.runs.waitingRetries(jobId)) {
        const plan = store.runs.plan(runId);
        if (plan) store.runs.setPlanSettings(runId, withTimeout(plan.settings, timeoutInSeconds));
      }
    },
    whenOver(runId) {
      const run = get(runId);
      if (!run || (isTerminal(run) && run.retryAt === undefined)) {
        return run ? Promise.resolve(run) : Promise.reject(doesNotExist('Run', runId));
      }
      return waiters.wait(runId);
    },
    recover(killLeftovers) {
      let needsKill = false;
      for (const record of store.runs.active()) {
        const plan = store.runs.plan(record.runId) ?? { settings: '{}', parameters: '{}' };
        active.set(record.runId, {
          record,
          plan,
          settings: parseSettings(plan.settings),
          abort: new AbortController(),
          timers: {},
        });
        if (record.dispatchedAt !== undefined || record.lifeCycle !== 'PENDING') needsKill = true;
      }
      recordLost();
      retries.check();
      if (!needsKill) {
        pumpSoon();
        return;
      }
      // Nothing new begins beside what is still being ended.
      isHeld = true;
      killLeftovers()
        .catch((error: unknown) =>
          logger.error(`What an earlier service left running could not be ended: ${describeError(error)}`),
        )
        .finally(() => {
          isHeld = false;
          pumpSoon();
          store.processes.clear();
        })
        .catch((error: unknown) => logger.error(`The list of processes could not be emptied: ${describeError(error)}`));
    },
    async close() {
      if (isClosing) return;
      isClosing = true;
      engine.dispose();
      // A run-job task has no process, and aborting it would pass for a cancellation of the run that it waits for.
      const going = [...active.values()].filter(takesPlace);
      for (const run of going) run.abort.abort(serviceStops);
      // What takes longer is ended by its keeper, or found by the next start.
      await Promise.race([Promise.allSettled(going.map(async (run) => run.execution)), delay(closingLimitInMs)]);
      recordLost();
    },
    dispose() {
      isClosing = true;
      retries.dispose();
      pumpCancel?.();
      active.forEach(clearTimers);
    },
  };

  function recordLost(): void {
    const at = clock.now();
    // What cannot be stored now is found out and stored at the next start.
    recordSoon([...active.values()].map((run) => ({ run, event: { type: 'serviceLost', at, message: lostMessage } })));
  }

  return engine;
}
