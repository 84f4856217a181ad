import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import { ApiError, doesNotExist } from '../base/apiError.ts';
import { isTerminal } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import type { ActiveRun } from './activeRun.ts';
import type { ActiveRuns } from './activeRuns.ts';
import type { Engine } from './engineContract.ts';
import { removeRunFolder } from './runFolder.ts';
import { toEach, type Happening, type Journal } from './runJournal.ts';
import type { RunRetries } from './runRetries.ts';

/** The ends of runs that somebody asks for. */
export type RunEnds = Pick<Engine, 'cancel' | 'cancelAll' | 'delete' | 'jobDeleted'>;

export interface RunEndsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataFolder: string;
  readonly active: ActiveRuns;
  readonly journal: Journal;
  readonly retries: RunRetries;
  /** The run, unless it is hidden. */
  readonly get: Engine['get'];
}

export function createRunEnds(options: RunEndsOptions): RunEnds {
  const { store, clock, logger, dataFolder, active, journal, retries, get } = options;

  function cancelled(runs: readonly ActiveRun[], message = 'The run was cancelled by a user.'): Happening[] {
    return toEach(runs, { type: 'cancelRequested', at: clock.now(), message });
  }

  /** The run is no longer stored. */
  function forget(runId: string): void {
    active.waiters.tell(runId, undefined);
    removeRunFolder(dataFolder, runId, logger);
  }

  return {
    cancel(runId) {
      const known = get(runId);
      if (!known) throw doesNotExist('Run', runId);
      const run = active.find(runId);
      if (run) journal.record(cancelled([run]));
      else if (known.retryAt !== undefined) retries.drop(known);
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
      store.transaction(() => store.runs.delete(runId));
      forget(runId);
    },
    jobDeleted(jobId, deletedRunIds) {
      deletedRunIds.forEach(forget);
      const going = active.ofJob(jobId);
      for (const run of going) run.record = { ...run.record, hidden: true };
      journal.recordSoon(cancelled(going, 'The job was deleted.'));
    },
  };
}
