import type { Clock } from '../../shared/clock.ts';
import { describeError, isAbort, isAppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import type { DebugProgress, Runners } from '../runners/runner.ts';
import { storedPart } from '../store/runParts.ts';
import type { Store } from '../store/store.ts';
import type { ActiveRun } from './activeRun.ts';
import { runJobTask, type ChildRunStarter } from './runJobTask.ts';
import type { Journal } from './runJournal.ts';
import { toRunRequest } from './runRequest.ts';
import { withNote, type RunEvent } from './transition.ts';
import { noteWithoutEffect } from './withoutEffect.ts';

const debugNote = 'It is debugged: it may wait at a breakpoint, its time-out rests, and it is not retried.';

export interface ExecutionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly runners: Runners;
  readonly logger: Logger;
  readonly journal: Journal;
  readonly dataFolder: string;
  /** Starts and awaits what a run-job task runs. */
  readonly children: ChildRunStarter;
  readonly onDebugging: (run: ActiveRun, progress: DebugProgress) => void;
  /** What ends with the service is not an end of the run's own: the engine marks it. */
  readonly isClosing: () => boolean;
}

/** Carries a dispatched run's task out, and records how it began and ended. Never throws. */
export async function executeRun(run: ActiveRun, options: ExecutionOptions): Promise<void> {
  const { store, clock, logger, isClosing } = options;
  const { recordSoon } = options.journal;
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
          engine: options.children,
          store,
          onStarted,
          signal: run.abort.signal,
        })
      : await options.runners.forTask(run.settings).run(
          toRunRequest(run, options.dataFolder),
          {
            onStarted,
            onSpawned: (identity) => store.processes.insert(run.record.runId, identity),
            onDebugging: (progress) => options.onDebugging(run, progress),
          },
          { signal: run.abort.signal },
        );
    if (isClosing() && outcome.resultState === 'CANCELED' && !run.record.stopping) return;
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
    if (isClosing() && isAbort(error) && !run.record.stopping) return;
    const message = describeError(error);
    if (!isAbort(error)) logger.warn(`Run ${run.record.runId} could not be carried out: ${message}`);
    // A wrong path, setting or library is the task's own failure; what is missing here, or a defect, is the service's.
    const event: RunEvent = isMistake(error)
      ? { type: 'finished', at: clock.now(), result: 'FAILED', message }
      : { type: 'notCarriedOut', at: clock.now(), message };
    recordSoon([{ run, event, outcome: { error: message } }]);
  }
}

/** Whether the request itself is wrong and no machine could carry it out: the user has to correct it. */
function isMistake(error: unknown): boolean {
  return isAppError(error) && (error.kind === 'invalid' || error.kind === 'notFound' || error.kind === 'rejected');
}
