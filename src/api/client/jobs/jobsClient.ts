import { isAppError } from '../../../shared/errors.ts';
import { jobsRoutes } from '../../schema/jobs/routes.ts';
import type { Caller } from '../caller.ts';
import type { JobsClient } from '../client.ts';
import type { RetryWait } from '../retry.ts';
import { readJobsList } from './jobsList.ts';
import type { RunStarter } from './runStarter.ts';

/** Creates the 15 operations of Jobs API 2.0 on top of one caller. */
export function createJobsClient(caller: Caller, starter: RunStarter): JobsClient {
  return {
    create: (settings, options) => caller.call(jobsRoutes.create, settings, options),
    list: async (options) =>
      (await caller.deliver(jobsRoutes.list, caller.prepare(jobsRoutes.list, {}), options, readJobsList)).jobs ?? [],
    get: (jobId, options) => caller.call(jobsRoutes.get, { job_id: jobId }, options),
    delete: async (jobId, options) => {
      await caller.call(jobsRoutes.delete, { job_id: jobId }, options);
    },
    reset: async (jobId, newSettings, options) => {
      await caller.call(jobsRoutes.reset, { job_id: jobId, new_settings: newSettings }, options);
    },
    update: async (request, options) => {
      await caller.call(jobsRoutes.update, request, options);
    },
    runNow: (request, options) => starter.start(jobsRoutes.runNow, request, options),
    submit: (request, options) => starter.start(jobsRoutes.submit, request, options),
    listRuns: async (request = {}, options) => {
      const { runs, has_more: hasMore } = await caller.call(jobsRoutes.listRuns, request, options);
      return { runs: runs ?? [], has_more: hasMore ?? false };
    },
    getRun: (runId, options) => caller.call(jobsRoutes.getRun, { run_id: runId }, options),
    exportRun: async (request, options) => (await caller.call(jobsRoutes.exportRun, request, options)).views ?? [],
    cancelRun: async (runId, options) => {
      await caller.call(jobsRoutes.cancelRun, { run_id: runId }, options);
    },
    cancelAllRuns: async (jobId, options) => {
      await caller.call(jobsRoutes.cancelAllRuns, { job_id: jobId }, options);
    },
    getRunOutput: (runId, options) => caller.call(jobsRoutes.getRunOutput, { run_id: runId }, options),
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
