import { localServiceRoutes } from '../../api/schema/localServiceRoutes.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Engine } from '../engine/engineContract.ts';
import { runToJson } from '../engine/runWire.ts';
import type { Store } from '../store/store.ts';
import { routeHandler, type RouteHandler } from './handler.ts';
import { RawJson } from './reply.ts';

/** How long a request for changes is held: less than the time after which clients consider a silent server dead. */
const holdInMs = 50_000;
/** Maximum numbers of runs and jobs that one response covers, which takes a few milliseconds. */
const maxRuns = 250;
const maxJobs = 2000;

export interface ListHandlerOptions {
  readonly store: Store;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly pageUrl: (runId: string) => string;
}

/** Handlers with which windows keep their lists up to date without reading them repeatedly. */
export function listHandlers({ store, engine, clock, pageUrl }: ListHandlerOptions): RouteHandler[] {
  return [
    routeHandler(localServiceRoutes.changes, async ({ jobs, runs }, { signal }) => {
      const stamps =
        jobs === undefined || runs === undefined
          ? store.changes.stamps
          : await store.changes.wait({ jobs, runs }, { clock, durationInMs: holdInMs, signal });
      return { ...stamps, held: engine.heldRuns };
    }),
    routeHandler(localServiceRoutes.lastRuns, (request) => {
      const page = store.runs.lastOfJobs(request.after_job_id ?? '-1', { maxRuns, maxJobs });
      const runs = page.runIds.flatMap((runId) => engine.get(runId) ?? []).map((run) => runToJson(run, { pageUrl }));
      const next = page.nextAfterJobId === undefined ? '' : `,"next_after_job_id":${page.nextAfterJobId}`;
      return new RawJson(`{"runs":[${runs.join(',')}]${next}}`);
    }),
  ];
}
