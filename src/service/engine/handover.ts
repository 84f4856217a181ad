import { delay, type Clock } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { serviceStops } from '../runners/runner.ts';
import type { Store } from '../store/store.ts';
import { takesPlace, type ActiveRun } from './activeRun.ts';
import type { ActiveRuns } from './activeRuns.ts';
import type { Dispatcher } from './dispatcher.ts';
import { parseSettings } from './engineSettings.ts';
import { toEach, type Journal } from './runJournal.ts';
import type { RunRetries } from './runRetries.ts';

/** How long a service that ends waits for its runs to end. */
const closingLimitInMs = 600;

const lostMessage = 'The local service ended while the run was going, which ended the run. Run the job again.';

/** What one service leaves to the next on the same data folder. */
export interface Handover {
  /** Takes up the runs and retries of an earlier service; nothing begins before what it left running is ended. */
  takeUp(killLeftovers: () => Promise<unknown>): void;
  /** Ends the tasks of this one, and leaves the runs that only wait. */
  leave(): Promise<void>;
}

export interface HandoverOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly active: ActiveRuns;
  readonly journal: Journal;
  readonly retries: RunRetries;
  readonly dispatcher: Dispatcher;
}

export function createHandover(options: HandoverOptions): Handover {
  const { store, clock, logger, active, journal, retries, dispatcher } = options;

  /** What cannot be stored now is found out and stored at the next start. */
  function recordLost(runs: readonly ActiveRun[]): void {
    journal.recordSoon(toEach(runs, { type: 'serviceLost', at: clock.now(), message: lostMessage }));
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
        // It reads the list of processes, which those of lost runs leave.
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
      retries.check();
      dispatcher.check();
    },
    async leave() {
      // A run-job task has no process, and aborting it would pass for a cancellation of the run that it waits for.
      const going = active.all.filter(takesPlace);
      const left = new Set(going);
      for (const run of going) run.abort.abort(serviceStops);
      // What takes longer is ended by its keeper, or by the next start, which looks for what runs that still go on have left.
      await Promise.race([
        Promise.allSettled(going.map((run) => Promise.resolve(run.execution).finally(() => left.delete(run)))),
        delay(closingLimitInMs, { clock }),
      ]);
      recordLost(active.all.filter((run) => !left.has(run)));
    },
  };
}
