import type { Clock } from '../../shared/clock.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import { takesPlace, type ActiveRuns } from './activeRuns.ts';
import type { Happening, Journal } from './runJournal.ts';

/** Assigns this machine's places to waiting runs, in the order in which they were started. */
export interface Dispatcher extends Disposable {
  /** Call it when a run begins to wait, or when a place may have become free. */
  check(): void;
  /** Holds all places until earlier processes have ended. */
  holdUntil(ended: Promise<unknown>): void;
}

export interface DispatcherOptions {
  readonly active: ActiveRuns;
  readonly clock: Clock;
  readonly journal: Journal;
  /** Maximum number of runs that execute at once. */
  readonly places: number;
}

export function createDispatcher({ active, clock, journal, places }: DispatcherOptions): Dispatcher {
  let cancel: (() => void) | undefined;
  /** While this is above 0, no run gets a place. */
  let holds = 0;

  function check(): void {
    cancel ??= clock.schedule(0, dispatch);
  }

  function dispatch(): void {
    cancel = undefined;
    if (holds > 0) return;
    const runs = active.all;
    let free = places - runs.filter((run) => run.record.dispatchedAt !== undefined && takesPlace(run)).length;
    const at = clock.now();
    const dispatched: Happening[] = [];
    for (const run of runs) {
      const { runId, dispatchedAt, lifeCycle } = run.record;
      if (dispatchedAt !== undefined || lifeCycle !== 'PENDING') continue;
      if (takesPlace(run)) {
        if (free <= 0) continue;
        free -= 1;
      }
      const clusterId = run.settings.existing_cluster_id ?? `local-${runId}`;
      dispatched.push({ run, event: { type: 'dispatched', at, clusterId } });
    }
    journal.recordSoon(dispatched);
  }

  return {
    check,
    holdUntil(ended) {
      holds += 1;
      void ended.finally(() => {
        holds -= 1;
        check();
      });
    },
    dispose() {
      holds += 1;
      cancel?.();
    },
  };
}
