import type * as z from 'zod';
import { isAppError } from '../../../shared/errors.ts';
import { jobsRoutes } from '../../schema/jobs/routes.ts';
import type { Route } from '../../schema/route.ts';
import type { Caller } from '../caller.ts';
import type { CallOptions, JobsClient } from '../client.ts';
import type { RetryWait } from '../retry.ts';
import { atVersion, needsNewerVersion, type VersionFinder } from './apiVersion.ts';
import { readAllJobs } from './jobsList.ts';
import type { RunStarter } from './runStarter.ts';
import { withState } from './statusAsState.ts';
import { readJob, readRun, readRunsPage } from './wholeAnswers.ts';

/** Creates the operations of the Jobs API on top of one caller. */
export function createJobsClient(caller: Caller, starter: RunStarter, versions: VersionFinder): JobsClient {
  const source = { caller, versions };
  /** Calls the operation in version 2.0, or in the newest one that the service has if the request has newer fields. */
  const change = async <Q extends z.ZodType, R extends z.ZodType>(
    route: Route<Q, R>,
    request: z.output<Q>,
    options?: CallOptions,
  ): Promise<z.output<R>> => {
    if (!needsNewerVersion(request)) return caller.call(route, request, options);
    // An invalid request is refused before anything is sent.
    caller.prepare(route, request, options);
    return caller.call(atVersion(route, await versions.find(options?.signal)), request, options);
  };
  return {
    version: (options) => versions.find(options?.signal),
    create: (settings, options) => change(jobsRoutes.create, settings, options),
    list: (options) => readAllJobs(caller, options),
    get: (jobId, options) => readJob(source, jobId, options),
    delete: async (jobId, options) => {
      await caller.call(jobsRoutes.delete, { job_id: jobId }, options);
    },
    reset: async (jobId, newSettings, options) => {
      await change(jobsRoutes.reset, { job_id: jobId, new_settings: newSettings }, options);
    },
    update: async (request, options) => {
      await change(jobsRoutes.update, request, options);
    },
    runNow: (request, options) => starter.start(jobsRoutes.runNow, request, options),
    submit: (request, options) => starter.start(jobsRoutes.submit, request, options),
    listRuns: (request = {}, options) => readRunsPage(caller, request, options),
    getRun: (runId, options) => readRun(source, runId, options),
    repairRun: async (request, options) => {
      caller.prepare(jobsRoutes.repairRun, request, options);
      const version = await versions.find(options?.signal);
      // A service that does not say which versions it has may still have this operation.
      const route = atVersion(jobsRoutes.repairRun, version === '2.0' ? '2.1' : version);
      return (await caller.call(route, request, options)).repair_id;
    },
    exportRun: async (request, options) => (await caller.call(jobsRoutes.exportRun, request, options)).views ?? [],
    cancelRun: async (runId, options) => {
      await caller.call(jobsRoutes.cancelRun, { run_id: runId }, options);
    },
    cancelAllRuns: async (jobId, options) => {
      await caller.call(jobsRoutes.cancelAllRuns, { job_id: jobId }, options);
    },
    getRunOutput: async (runId, options) => {
      const output = await caller.call(jobsRoutes.getRunOutput, { run_id: runId }, options);
      return output.metadata ? { ...output, metadata: withState(output.metadata) } : output;
    },
    deleteRun: async (runId, options) => {
      let again = false;
      const onRetry = (wait: RetryWait): void => {
        again ||= wait.attempt > 0;
        options?.onRetry?.(wait);
      };
      try {
        await caller.call(jobsRoutes.deleteRun, { run_id: runId }, { ...options, onRetry });
      } catch (error) {
        // Not found at the second attempt: the first one succeeded, and only its response was lost.
        if (!again || !isAppError(error) || error.kind !== 'notFound') throw error;
      }
    },
  };
}
