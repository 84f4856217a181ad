import { rm } from 'node:fs/promises';
import { delay } from '../../shared/clock.ts';
import { describeError, isAbort, isAppError } from '../../shared/errors.ts';
import { ApiError, doesNotExist } from '../base/apiError.ts';
import { serviceStops, type DebugProgress } from '../runners/runner.ts';
import { storedPart, type StoredOutcome } from '../store/runTable.ts';
import { takesPlace, clearTimers, type ActiveRun } from './activeRun.ts';
import { createAlarm } from './alarm.ts';
import type { Engine, EngineOptions } from './engineContract.ts';
import { parseSettings, withTimeout } from './engineSettings.ts';
import { retryDueAt } from './retryPolicy.ts';
import { createRun, skipReason, type RunStart } from './runCreation.ts';
import { runJobTask } from './runJobTask.ts';
import { isTerminal, type RunRecord } from './runRecord.ts';
import { runFolder, toRunRequest } from './runRequest.ts';
import { armRunTimers, type RunTimerEvents } from './runTimers.ts';
import { RunWaiters } from './runWaiters.ts';
import { createSkips } from './skips.ts';
import { transition, withNote, type RunEffect, type RunEvent } from './transition.ts';
import { noteWithoutEffect } from './withoutEffect.ts';
import { limits } from './workspaceLimits.ts';

/** Something that happened to a run, and what the run left. */
interface Happening {
  run: ActiveRun;
  event: RunEvent;
  outcome?: StoredOutcome;
}

/** Who ends the service waits for so long. */
const closingLimitInMs = 600;

const debugNote = 'It is debugged: it may wait at a breakpoint, its time-out rests, and it is not retried.';
const lostMessage = 'The local service ended while the run was going, which ended the run. Run the job again.';

export function createEngine(options: EngineOptions): Engine {
  const { store, clock, runners, announcer, logger, dataFolder } = options;
  const active = new Map<string, ActiveRun>();
  const waiters = new RunWaiters();
  const cleaning: ActiveRun[] = [];
  const skips = createSkips(clock, logger);
  const creation = { store, clock, announcer, creator: options.creator, activeCount: () => active.size, activeCountOf };
  let isClosing = false;
  let isHeld = false;
  let pumpCancel: (() => void) | undefined;

  const retries = createAlarm(
    clock,
    () => (isClosing ? undefined : store.runs.earliestRetry()),
    startDueRetries,
    (error) => logger.error(`A retry could not be started: ${describeError(error)}`),
  );

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
    announcer.wake();
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

  /**
   * Stores what the events change, all in one transaction, then does what follows from them.
   * @throws where it cannot be stored; nothing is changed then
   */
  function record(happenings: readonly Happening[]): void {
    const changes = happenings.flatMap((happening) => {
      const { run: progress, effects } = transition(happening.run.record, happening.event);
      if (effects.length === 0 && progress === happening.run.record) return [];
      const next: RunRecord = { ...happening.run.record, ...progress };
      if (effects.includes('settle') && !happening.run.debug) next.retryAt = retryDueAt(next, happening.run.settings);
      return [{ ...happening, next, effects }];
    });
    if (changes.length === 0) return;
    store.transaction(() => {
      for (const { run, next, effects, outcome } of changes) {
        store.runs.update(next);
        if (outcome) store.runs.setOutcome(next.runId, outcome);
        if (effects.includes('announceStart')) announcer.started(next, run.settings);
        if (!effects.includes('settle')) continue;
        announcer.over(next, run.settings, next.retryAt !== undefined);
        if (next.hidden) store.runs.delete(next.runId);
      }
    });
    for (const { run, next } of changes) {
      run.record = next;
      logger.debug(`Run ${next.runId}: ${next.lifeCycle}${next.result ? ` ${next.result}` : ''}`);
    }
    for (const { run, effects } of changes) for (const effect of effects) perform(run, effect);
  }

  /** As `record`, for what the outside world has done already: it is stored as soon as the disk allows. */
  function recordSoon(happenings: readonly Happening[]): void {
    try {
      record(happenings);
    } catch (error) {
      // What is wrong with one run must not hold the others up.
      if (happenings.length > 1) {
        for (const happening of happenings) recordSoon([happening]);
        return;
      }
      logger.error(
        `The state of ${happenings.map(({ run }) => `run ${run.record.runId}`).join(', ')} could not be ` +
          `stored, trying again in a second: ${describeError(error)}`,
      );
      if (!isClosing) clock.schedule(1000, () => recordSoon(happenings));
    }
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
        run.execution = execute(run);
        break;
      case 'abort':
        clearTimers(run);
        run.abort.abort();
        break;
      case 'cleanUp':
        cleanUp(run);
        break;
      case 'announceStart':
        announcer.wake();
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
    announcer.wake();
    pumpSoon();
  }

  async function execute(run: ActiveRun): Promise<void> {
    const onStarted = (): void =>
      recordSoon([
        {
          run,
          event: {
            type: 'started',
            at: clock.now(),
            sparkContextId: run.record.runId,
            note: withNote(run.debug ? debugNote : '', noteWithoutEffect(run.settings)) || undefined,
          },
        },
      ]);
    try {
      const outcome = run.settings.run_job_task
        ? await runJobTask(run.settings.run_job_task.job_id, run.record, {
            engine,
            store,
            onStarted,
            signal: run.abort.signal,
          })
        : await runners.forTask(run.settings).run(
            toRunRequest(run, dataFolder),
            {
              onStarted,
              onSpawned: (identity) => store.processes.insert(run.record.runId, identity),
              onDebugging: (progress) => debugged(run, progress),
            },
            { signal: run.abort.signal },
          );
      if (isClosing && outcome.resultState === 'CANCELED' && !run.record.stopping) return;
      const message = withNote(outcome.stateMessage ?? outcome.error ?? '', outcome.note);
      const event: RunEvent = {
        type: 'finished',
        at: clock.now(),
        result: outcome.resultState,
        message,
        note: outcome.note,
      };
      recordSoon([{ run, event, outcome: storedPart(outcome) }]);
    } catch (error) {
      if (isClosing && isAbort(error) && !run.record.stopping) return;
      const message = describeError(error);
      if (!isAbort(error)) logger.warn(`Run ${run.record.runId} could not be carried out: ${message}`);
      // A wrong path, setting or library is the task's own failure; what is missing here, or a defect, is the service's.
      const event: RunEvent = isMistake(error)
        ? { type: 'finished', at: clock.now(), result: 'FAILED', message }
        : { type: 'notCarriedOut', at: clock.now(), message };
      recordSoon([{ run, event, outcome: { error: message } }]);
    }
  }

  function debugged(run: ActiveRun, progress: DebugProgress): void {
    if (!run.debug) return;
    run.debug.progress = progress;
    if (progress.phase !== 'left') return;
    run.debug.leftAt = clock.now();
    armRunTimers(run, clock, timerEvents);
  }

  /** A disk that is full now may take the warning later; the run goes on in any case. */
  function warnSoon(run: ActiveRun): void {
    if (isClosing || active.get(run.record.runId) !== run) return;
    try {
      store.transaction(() => announcer.lastsLong(run.record, run.settings));
      announcer.wake();
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

  function startDueRetries(): void {
    for (const failed of store.runs.dueRetries(clock.now(), 100)) {
      if (active.size >= limits.activeRuns) {
        store.runs.update({ ...failed, retryAt: clock.now() + 1000 });
        continue;
      }
      const plan = store.runs.plan(failed.runId);
      const next = store.transaction(() => {
        store.runs.update({ ...failed, retryAt: undefined });
        if (!plan || failed.jobId === undefined || !store.jobs.get(failed.jobId)) return undefined;
        return createRun(
          {
            jobId: failed.jobId,
            settings: plan.settings,
            parameters: plan.parameters,
            trigger: 'RETRY',
            parentRunId: failed.parentRunId,
            originalRunId: failed.originalRunId ?? failed.runId,
            attemptNumber: failed.attemptNumber + 1,
          },
          creation,
        );
      });
      if (next) {
        waiters.pass(failed.runId, next.record.runId);
        adopt(next);
      } else waiters.tell(failed.runId, { ...failed, retryAt: undefined });
    }
    announcer.wake();
    pumpSoon();
  }

  function dropRetry(run: RunRecord): void {
    const final = { ...run, retryAt: undefined };
    store.runs.update(final);
    waiters.tell(final.runId, final);
  }

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
    get activeCount() {
      return active.size;
    },
    cancel(runId) {
      const known = get(runId);
      if (!known) throw doesNotExist('Run', runId);
      const run = active.get(runId);
      if (run) record([cancelled(run)]);
      else if (known.retryAt !== undefined) dropRetry(known);
    },
    cancelAll(jobId) {
      store.runs.waitingRetries(jobId).forEach(dropRetry);
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

/** Whether what was asked for cannot be done, wherever it is asked for: the user corrects it, and the service did its part. */
function isMistake(error: unknown): boolean {
  return isAppError(error) && (error.kind === 'invalid' || error.kind === 'notFound' || error.kind === 'rejected');
}
