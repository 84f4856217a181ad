import { clusterRoutes } from '../schema/clusterRoutes.ts';
import { localServiceRoutes } from '../schema/localServiceRoutes.ts';
import { Caller, type CallerOptions } from './caller.ts';
import type { WorkspaceClient } from './client.ts';
import { createInferenceClient } from './inference/inferenceClient.ts';
import type { IntentStore } from './intents.ts';
import { VersionFinder } from './jobs/apiVersion.ts';
import { createJobsClient } from './jobs/jobsClient.ts';
import { RunStarter } from './jobs/runStarter.ts';

export interface ClientOptions extends CallerOptions {
  /** Where run intents are stored before they are sent; without it, they are lost when the process ends. */
  readonly intents?: IntentStore;
  /** Id of the profile under which intents are stored. */
  readonly profile?: string;
}

/**
 * Creates the client of a workspace: every operation of both API documents, typed and checked before it is sent.
 * @throws AppError `invalid` if the base URL is invalid
 */
export function createClient(options: ClientOptions): WorkspaceClient {
  const caller = new Caller(options);
  const versions = new VersionFinder(caller);
  const starter = new RunStarter(caller, versions, {
    intents: options.intents,
    profile: options.profile ?? caller.baseUrl,
  });
  return {
    baseUrl: caller.baseUrl,
    retryNow: () => caller.retryNow(),
    jobs: createJobsClient(caller, starter, versions),
    inference: createInferenceClient(caller),
    clusters: {
      sparkVersions: (callOptions) => caller.call(clusterRoutes.sparkVersions, {}, callOptions),
      listNodeTypes: (callOptions) => caller.call(clusterRoutes.listNodeTypes, {}, callOptions),
      listZones: (callOptions) => caller.call(clusterRoutes.listZones, {}, callOptions),
    },
    localService: {
      changes: (known, callOptions) =>
        caller.call(localServiceRoutes.changes, { jobs: known?.jobs, runs: known?.runs }, callOptions),
      lastRuns: async (afterJobId, callOptions) => {
        const { runs, next_after_job_id: nextAfterJobId } = await caller.call(
          localServiceRoutes.lastRuns,
          { after_job_id: afterJobId },
          callOptions,
        );
        return { runs: runs ?? [], nextAfterJobId };
      },
      checkModel: (request, callOptions) => caller.call(localServiceRoutes.checkModel, request, callOptions),
      addModel: async (request, callOptions) =>
        (await caller.call(localServiceRoutes.addModel, request, callOptions)).endpoints,
      modelServer: async (endpoint, callOptions) =>
        (await caller.call(localServiceRoutes.modelServer, { endpoint }, callOptions)).upstream,
      debugSubmit: async (request, callOptions) =>
        (await caller.call(localServiceRoutes.debugSubmit, request, callOptions)).run_id,
      runOutput: async ({ runId, offset, wait }, callOptions) => {
        const piece = await caller.call(
          localServiceRoutes.runOutput,
          { run_id: runId, offset, ...(wait ? { wait } : {}) },
          callOptions,
        );
        return {
          text: piece.text,
          nextOffset: piece.next_offset,
          size: piece.size,
          isEnd: piece.is_end,
          ...(piece.versions === undefined ? {} : { versions: piece.versions }),
          ...(piece.error === undefined ? {} : { error: piece.error }),
          ...(piece.error_trace === undefined ? {} : { errorTrace: piece.error_trace }),
          ...(piece.notebook_output === undefined ? {} : { notebookOutput: piece.notebook_output }),
        };
      },
    },
    resumeIntents: (callOptions) => starter.resume(callOptions),
  };
}
