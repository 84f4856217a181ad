import { Caller, type CallerOptions } from './caller.ts';
import type { Client } from './client.ts';
import { clusterRoutes } from './clusterRoutes.ts';
import { createInferenceClient } from './inference/inferenceClient.ts';
import { createJobsClient } from './jobs/jobsClient.ts';

export type ClientOptions = CallerOptions;

/**
 * The client of a workspace: every operation of both API documents, typed, checked before it is sent.
 * @throws AppError `invalid` where the base URL is none
 */
export function createClient(options: ClientOptions): Client {
  const caller = new Caller(options);
  return {
    baseUrl: caller.baseUrl,
    jobs: createJobsClient(caller),
    inference: createInferenceClient(caller),
    clusters: {
      sparkVersions: (callOptions) => caller.call(clusterRoutes.sparkVersions, {}, callOptions),
      listNodeTypes: (callOptions) => caller.call(clusterRoutes.listNodeTypes, {}, callOptions),
      listZones: (callOptions) => caller.call(clusterRoutes.listZones, {}, callOptions),
    },
  };
}
