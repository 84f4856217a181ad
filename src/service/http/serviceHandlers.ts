import { jobsRoutes } from '../../api/schema/jobs/routes.ts';
import { localServiceRoutes } from '../../api/schema/localServiceRoutes.ts';
import type { Clock } from '../../shared/clock.ts';
import { localControlRoutes, type DebugState } from '../../shared/localControlRoutes.ts';
import { doesNotExist } from '../base/apiError.ts';
import type { UsageWatch } from '../base/usageWatch.ts';
import type { Engine } from '../engine/engineContract.ts';
import type { JobCatalog } from '../engine/jobCatalog.ts';
import { runToJson } from '../engine/runWire.ts';
import type { EngineStatus } from '../runners/runner.ts';
import { isTerminal } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import { routeHandler, type RouteHandler } from './handler.ts';
import { runNowParameters, settingsOf } from './jobHandlers.ts';
import { RawJson } from './reply.ts';
import { parseObject } from './validateRequest.ts';

export interface ServiceHandlerOptions {
  readonly usage: UsageWatch;
  /** Returns the service's status. */
  readonly describe: () => object;
  readonly probe: () => Promise<EngineStatus[]>;
  /** Stops the service once the response is sent. */
  readonly stop: () => void;
}

/** Handlers with which windows and the command line control the service; these paths are ours, not the documents'. */
export function serviceHandlers(options: ServiceHandlerOptions): RouteHandler[] {
  const { usage } = options;
  return [
    // SDKs request it first, without a token: there is no other place to sign in.
    { method: 'GET', path: '/.well-known/databricks-config', isOpen: true, handle: () => ({}) },
    { ...localControlRoutes.health, handle: () => options.describe() },
    { ...localControlRoutes.engines, handle: async () => ({ engines: await options.probe() }) },
    {
      ...localControlRoutes.attach,
      async handle({ text }) {
        const { pid } = await parseObject(text);
        if (typeof pid === 'number') usage.attach(pid);
        return options.describe();
      },
    },
    {
      ...localControlRoutes.leave,
      async handle({ text }) {
        const { pid } = await parseObject(text);
        if (typeof pid === 'number') usage.leave(pid);
        return {};
      },
    },
    {
      ...localControlRoutes.stop,
      handle({ response }) {
        response.once('finish', () => options.stop());
        return {};
      },
    },
  ];
}

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

const debugRun = { ...jobsRoutes.runNow, ...localControlRoutes.debugRun };
const debugState = { ...localControlRoutes.debugState, request: jobsRoutes.getRun.request };

/** Handlers for debugging a run from the editor. IDs are texts, which are exact in any JSON. */
export function debugHandlers({ engine, catalog }: { engine: Engine; catalog: JobCatalog }): RouteHandler[] {
  return [
    routeHandler(debugRun, async (request, { text }) => {
      const run = await catalog.runNow(request.job_id, runNowParameters(text), request.idempotency_token, {
        debug: true,
      });
      return { run_id: run.runId, number_in_job: run.numberInJob };
    }),
    routeHandler(localServiceRoutes.debugSubmit, async (request, { text }) => {
      const run = await catalog.submit(settingsOf(request, text), request.idempotency_token, { debug: true });
      return { run_id: run.runId };
    }),
    routeHandler(debugState, ({ run_id: runId }): DebugState => {
      const run = engine.get(runId);
      if (!run) throw doesNotExist('Run', runId);
      if (isTerminal(run)) return { phase: 'over', message: run.message };
      const progress = engine.debugProgress(runId) ?? { phase: 'none' };
      return progress.phase === 'ready' ? { phase: 'ready', ...progress.address } : progress;
    }),
  ];
}
