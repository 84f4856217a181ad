import { jobsRoutes } from '../../api/schema/jobs/routes.ts';
import { localServiceRoutes } from '../../api/schema/localServiceRoutes.ts';
import { type DebugState, localControlRoutes } from '../../shared/localControlRoutes.ts';
import { doesNotExist } from '../base/apiError.ts';
import type { Engine } from '../engine/engineContract.ts';
import type { JobCatalog } from '../engine/jobCatalog.ts';
import { isTerminal } from '../store/runRecord.ts';
import { routeHandler, type RouteHandler } from './handler.ts';
import { runNowParameters, settingsOf } from './jobHandlers.ts';

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
