import { type Clock, delay } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { ApiError, doesNotExist } from '../base/apiError.ts';
import { type DebugProgress, serviceStops } from '../runners/runner.ts';
import { isTerminal, type RunRecord } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import { isGraph, takesPlace, ActiveRuns, type ActiveRun, type Notifier } from './activeRuns.ts';
import { createAdmission } from './admission.ts';
import { createDispatcher, type Dispatcher } from './dispatcher.ts';
import type { Engine, EngineOptions } from './engineContract.ts';
import { parseSettings } from './engineSettings.ts';
import { repairRun } from './repairs.ts';
import { createRunWithTasks } from './runCreation.ts';
import { executeRun, type ExecutionOptions } from './runExecution.ts';
import { createRunGraphs, type RunGraphs } from './runGraph.ts';
import { createJournal, type Happening, type Journal, toEach } from './runJournal.ts';
import { createRunRetries, type RunRetries } from './runRetries.ts';
import { removeRunFolder, type RunStart } from './runStart.ts';
import { createRunTimers, type RunTimers } from './runTimers.ts';
import type { RunEffect } from './transition.ts';

/** Creates the engine of one data folder. Call `recover` before the first run starts. */
export function createEngine(options: EngineOptions): Engine {
  const { store, notifier } = options;
  let closed = false;
  const isClosing = (): boolean => closed;

  const active = new ActiveRuns();
  const base = { ...options, isClosing, active };
  const admission = createAdmission(base);
  // Storing a change has effects (timers, notifications, retries), which store changes in turn.
  const journal = createJournal({ ...base, perform: (run, effect) => effects[effect](run) });
  const parts = { ...base, admission, journal };
  const dispatcher = createDispatcher(parts);
  const timers = createRunTimers(parts);
  const retries = createRunRetries({ ...parts, dispatcher });
  const graphs = createRunGraphs({ ...parts, dispatcher, dropRetry: retries.drop });
  const ends = createRunEnds({ ...parts, retries, graphs, get });
  const handover = createHandover({ ...parts, retries, dispatcher, graphs, timers });
  const children = { start, get, whenOver, cancel: ends.cancel };
  const effects = createRunEffects({ ...parts, timers, dispatcher, retries, graphs, children });

  function start(request: RunStart, within?: () => void): RunRecord {
    admission.check(request);
    const runs = store.transaction(() => {
      within?.();
      return createRunWithTasks(request, parts);
    });
    for (const run of runs) active.adopt(run);
    notifier.wake();
    dispatcher.check();
    return runs[0].record;
  }

  function get(runId: string): RunRecord | undefined {
    const record = active.find(runId)?.record ?? store.runs.get(runId);
    return record?.hidden ? undefined : record;
  }

  async function whenOver(runId: string): Promise<RunRecord | undefined> {
    const run = get(runId);
    if (!run) throw doesNotExist('Run', runId);
    return isTerminal(run) && run.retryAt === undefined ? run : active.waiters.wait(runId);
  }

  function dispose(): void {
    closed = true;
    retries.dispose();
    dispatcher.dispose();
    timers.dispose();
  }

  return {
    ...ends,
    start,
    startScheduled(scheduled, within) {
      const request: RunStart = { ...scheduled, trigger: 'PERIODIC' };
      if (admission.mayStore(request)) start(request, within);
      else store.transaction(within);
    },
    get,
    whenOver,
    repair(runId, repair) {
      const record = get(runId);
      if (!record) throw doesNotExist('Run', runId);
      return repairRun(record, repair, { ...parts, graphs, timers });
    },
    debugProgress: (runId) => [active.find(runId), ...active.tasksOf(runId)].find((run) => run?.debug)?.debug?.progress,
    get heldRuns() {
      const held = active.all.filter(({ debug }) => debug?.progress.phase === 'held');
      return held.flatMap(({ record: { runId, taskKey, parentRunId } }) =>
        taskKey === undefined || parentRunId === undefined ? [runId] : [runId, parentRunId],
      );
    },
    get activeCount() {
      return active.count;
    },
    timeoutChanged: timers.timeoutChanged,
    recover: handover.takeUp,
    async close() {
      if (closed) return;
      dispose();
      await handover.leave();
    },
    dispose,
  };
}

/** Effects of a stored change of a run. */
type RunEffects = Readonly<Record<RunEffect, (run: ActiveRun) => void>>;

interface RunEffectsOptions extends Omit<ExecutionOptions, 'onDebugging'> {
  readonly notifier: Notifier;
  readonly active: ActiveRuns;
  readonly timers: RunTimers;
  readonly dispatcher: Dispatcher;
  readonly retries: RunRetries;
  readonly graphs: RunGraphs;
}

function createRunEffects(options: RunEffectsOptions): RunEffects {
  const { store, clock, notifier, logger, journal, dataFolder, active, timers, dispatcher, retries, graphs } = options;
  const cleaning: ActiveRun[] = [];

  function onDebugging(run: ActiveRun, progress: DebugProgress): void {
    if (!run.debug) return;
    const wasHeld = run.debug.progress.phase === 'held';
    run.debug.progress = progress;
    if (wasHeld !== (progress.phase === 'held')) store.changes.add('runs');
    if (progress.phase !== 'left') return;
    run.debug.leftAt = clock.now();
    timers.arm(run);
  }

  function recordCleaned(): void {
    journal.recordSoon(toEach(cleaning.splice(0), { type: 'cleaned', at: clock.now() }));
  }

  return {
    execute(run) {
      timers.arm(run);
      if (isGraph(run)) graphs.begin(run);
      else run.execution = executeRun(run, { ...options, onDebugging });
    },
    abort(run) {
      timers.clear(run);
      run.abort.abort();
      if (isGraph(run)) graphs.advance(run.record.runId);
    },
    cleanUp(run) {
      timers.clear(run);
      // Runs that end together are stored together.
      if (cleaning.push(run) === 1) clock.schedule(0, recordCleaned);
    },
    announceStart() {
      notifier.wake();
    },
    settle(run) {
      const { runId, hidden, retryAt, taskKey, parentRunId } = run.record;
      timers.clear(run);
      active.release(run);
      if (hidden) removeRunFolder(dataFolder, runId, logger);
      if (retryAt !== undefined) retries.check();
      if (isGraph(run)) graphs.advance(runId);
      if (taskKey !== undefined && parentRunId !== undefined) graphs.advance(parentRunId);
      notifier.wake();
      dispatcher.check();
    },
  };
}

/** Ends of runs by request. */
interface RunEnds extends Pick<Engine, 'cancelAll' | 'delete' | 'jobDeleted'> {
  cancel(runId: string, message?: string): void;
}

interface RunEndsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataFolder: string;
  readonly active: ActiveRuns;
  readonly journal: Journal;
  readonly retries: RunRetries;
  readonly graphs: RunGraphs;
  /** Returns the run unless it is hidden. */
  readonly get: Engine['get'];
}

function createRunEnds(options: RunEndsOptions): RunEnds {
  const { store, clock, logger, dataFolder, active, journal, retries, graphs, get } = options;

  function cancelled(runs: readonly ActiveRun[], message = 'The run was cancelled by a user.'): Happening[] {
    return toEach(runs, { type: 'cancelRequested', at: clock.now(), message });
  }

  /** Forgets a run that is no longer stored. */
  function forget(runId: string): void {
    active.waiters.tell(runId, undefined);
    removeRunFolder(dataFolder, runId, logger);
  }

  return {
    cancel(runId, message) {
      const known = get(runId);
      if (!known) throw doesNotExist('Run', runId);
      const run = active.find(runId);
      if (run) journal.record(cancelled([run], message));
      else if (known.retryAt !== undefined) {
        retries.drop(known);
        if (known.taskKey !== undefined && known.parentRunId !== undefined) graphs.advance(known.parentRunId);
      }
    },
    cancelAll(jobId) {
      store.runs.waitingRetries(jobId).forEach(retries.drop);
      journal.record(cancelled(active.ofJob(jobId)));
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
      if (run.taskKey !== undefined)
        throw new ApiError(
          400,
          'INVALID_STATE',
          `Run ${runId} is the task ${run.taskKey} of run ${run.parentRunId}; it was not deleted. Delete that run.`,
        );
      store.transaction(() => store.runs.delete(runId)).forEach(forget);
    },
    jobDeleted(jobId, deletedRunIds) {
      deletedRunIds.forEach(forget);
      const going = active.ofJob(jobId);
      for (const run of active.all.filter(({ record }) => record.jobId === jobId))
        run.record = { ...run.record, hidden: true };
      journal.recordSoon(cancelled(going, 'The job was deleted.'));
    },
  };
}

/** How long a stopping service waits for its runs to end. */
const closingLimitInMs = 600;

const lostMessage = 'The local service stopped during the run, which ended the run. Run the job again.';

/** Hands runs over from one service to the next on the same data folder. */
interface Handover {
  /** Takes over the runs and retries of an earlier service. Nothing starts before the processes it left have ended. */
  takeUp(killLeftovers: () => Promise<unknown>): void;
  /** Stops the tasks of this service, and leaves waiting runs to the next one. */
  leave(): Promise<void>;
}

interface HandoverOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly active: ActiveRuns;
  readonly journal: Journal;
  readonly retries: RunRetries;
  readonly dispatcher: Dispatcher;
  readonly graphs: RunGraphs;
  readonly timers: RunTimers;
}

function createHandover(options: HandoverOptions): Handover {
  const { store, clock, logger, active, journal, retries, dispatcher, graphs, timers } = options;

  /** The next start finds and stores what cannot be stored now. */
  function recordLost(runs: readonly ActiveRun[]): void {
    // A run of tasks has lost nothing itself: what became of its tasks decides. Only its clean-up is lost.
    const lost = runs.filter(
      (run) => !isGraph(run) || (run.record.lifeCycle === 'TERMINATING' && !run.record.stopping),
    );
    journal.recordSoon(toEach(lost, { type: 'serviceLost', at: clock.now(), message: lostMessage }));
  }

  return {
    takeUp(killLeftovers) {
      let needsKill = false;
      for (const record of store.runs.active()) {
        const plan = store.runParts.plan(record.runId) ?? { settings: '{}', parameters: '{}' };
        active.adopt({ record, plan, settings: parseSettings(plan.settings), abort: new AbortController() });
        if (record.dispatchedAt !== undefined || record.lifeCycle !== 'PENDING') needsKill = true;
      }
      if (needsKill) {
        // Reads the list of processes that lost runs have left.
        const ended = killLeftovers().catch((error: unknown) =>
          logger.error(`What an earlier service left running could not be ended: ${describeError(error)}`),
        );
        dispatcher.holdUntil(ended);
        ended
          .then(() => store.processes.clear())
          .catch((error: unknown) =>
            logger.error(`The list of processes could not be emptied: ${describeError(error)}`),
          );
      }
      recordLost(active.all);
      for (const run of active.all.filter(isGraph)) timers.arm(run);
      graphs.takeUp();
      retries.check();
      dispatcher.check();
    },
    async leave() {
      // A run-job task has no process. Aborting it would look like a cancellation of the run that it waits for.
      const going = active.all.filter(takesPlace);
      const left = new Set(going);
      for (const run of going) run.abort.abort(serviceStops);
      // The keeper ends slower processes, or the next start does, which looks for processes of runs that are still active.
      await Promise.race([
        Promise.allSettled(going.map((run) => Promise.resolve(run.execution).finally(() => left.delete(run)))),
        delay(closingLimitInMs, { clock }),
      ]);
      recordLost(active.all.filter((run) => !left.has(run)));
    },
  };
}
