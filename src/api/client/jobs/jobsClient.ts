import { AppError, isAppError } from '../../../shared/errors.ts';
import { l10n } from '../../../shared/l10n.ts';
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
    get: async (jobId, options) => {
      const job = await caller.call(jobsRoutes.get, { job_id: jobId }, options);
      if (job.job_id !== jobId) throw otherAnswer('jobs/get', `job ${jobId}`, `job ${job.job_id}`);
      // Without this, a missing part of the answer would look like a job without settings.
      if (!job.settings) throw otherAnswer('jobs/get', `job ${jobId}`, l10n.t('a job without settings'));
      return job;
    },
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
    getRun: async (runId, options) => {
      const run = await caller.call(jobsRoutes.getRun, { run_id: runId }, options);
      if (run.run_id !== runId) throw otherAnswer('jobs/runs/get', `run ${runId}`, `run ${run.run_id}`);
      return run;
    },
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

/** Returns the error for a response about something else than was requested. */
function otherAnswer(operation: string, requested: string, received: string): AppError {
  return new AppError(
    'protocol',
    l10n.t('{0}: the request was for {1}, but the response is {2}.', operation, requested, received),
    {
      operation,
      remedy: l10n.t('The server or a proxy in front of it is at fault.'),
    },
  );
}
