import * as z from 'zod';
import { localControlRoutes } from '../../shared/localControlRoutes.ts';
import { int64, maybe } from './field.ts';
import { jobsRoutes } from './jobs/routes.ts';
import { notebookOutput } from './jobs/run.ts';
import { listRunsResponse } from './jobs/schemas.ts';
import { route } from './route.ts';

/** An OpenAI-compatible server as an entry of `models.json` describes it. */
const modelServer = z.looseObject({
  name: z.string().optional(),
  kind: z.string().optional(),
  /** Including the version, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: z.string(),
  models: z.array(z.string()).optional(),
});
export type ModelServer = z.output<typeof modelServer>;
const modelServerRequest = z.looseObject({ upstream: modelServer, api_key: z.string().optional() });
export type ModelServerRequest = z.output<typeof modelServerRequest>;

/**
 * Operations of the local service that are not in the documents: it reports in a few bytes that nothing has changed, returns the last run
 * of every job in one request and a run's whole output in pieces as it is written, and starts runs under a debugger.
 */
export const localServiceRoutes = {
  changes: route({
    operation: 'millrace/changes',
    method: 'GET',
    path: '/api/millrace/changes',
    // The stamps of the last response: the next response comes when they are outdated, or after a while in any case.
    request: z.looseObject({ jobs: z.string().optional(), runs: z.string().optional() }),
    // `held`: ids of runs that are paused in a debugger, in any window.
    response: z.looseObject({ jobs: z.string(), runs: z.string(), held: z.array(z.string()).optional() }),
    mutates: false,
    repeatable: 'always',
  }),
  lastRuns: route({
    operation: 'millrace/last-runs',
    method: 'GET',
    path: '/api/millrace/last-runs',
    request: z.looseObject({ after_job_id: int64().optional() }),
    // `next_after_job_id` is present while there are more jobs.
    response: z.looseObject({ runs: listRunsResponse.shape.runs, next_after_job_id: maybe(int64()) }),
    mutates: false,
    repeatable: 'always',
  }),
  /** Like jobs/runs/submit, for a run that waits for the editor's debugger. */
  debugSubmit: route({
    operation: 'millrace/debug-submit',
    ...localControlRoutes.debugSubmit,
    request: jobsRoutes.submit.request,
    response: jobsRoutes.submit.response,
    mutates: true,
    repeatable: 'never',
  }),
  runOutput: route({
    operation: 'millrace/run-output',
    method: 'GET',
    path: '/api/millrace/run-output',
    request: z.looseObject({
      run_id: int64(),
      // In bytes: the `next_offset` of the previous piece.
      offset: z.int().nonnegative().optional(),
      // If set, the response comes when there is output after the offset or the run has ended, or after a while in any case.
      wait: z.boolean().optional(),
    }),
    response: z.looseObject({
      // Cut between two characters.
      text: z.string(),
      next_offset: z.int().nonnegative(),
      // Bytes of the output that are stored now.
      size: z.int().nonnegative(),
      // Whether the run has ended and no more output follows.
      is_end: z.boolean(),
      // With the first piece: `Python 3.11.2, pandas 2.2.1`.
      versions: z.string().optional(),
      // In the last piece: the other fields that jobs/runs/get-output returns beside the output.
      error: maybe(z.string()),
      error_trace: maybe(z.string()),
      notebook_output: maybe(notebookOutput),
    }),
    mutates: false,
    repeatable: 'always',
  }),
  /** Lists the models of a model server, or sends a small request to the first model that `upstream` names. */
  checkModel: route({
    operation: 'millrace/models/check',
    method: 'POST',
    path: '/api/millrace/models/check',
    request: modelServerRequest,
    response: z.looseObject({ kind: z.string(), models: z.array(z.string()) }),
    mutates: false,
    repeatable: 'never',
  }),
  /** Adds a model server to `models.json`, or models to one that is there. The key is kept in memory until the service stops. */
  addModel: route({
    operation: 'millrace/models/add',
    method: 'POST',
    path: '/api/millrace/models/add',
    request: modelServerRequest,
    // The names of its endpoints.
    response: z.looseObject({ endpoints: z.array(z.string()) }),
    mutates: true,
    repeatable: 'always',
  }),
  /** Returns the model server and the model of an endpoint. */
  modelServer: route({
    operation: 'millrace/models/server',
    method: 'GET',
    path: '/api/millrace/models/server',
    request: z.looseObject({ endpoint: z.string() }),
    response: z.looseObject({ upstream: modelServer }),
    mutates: false,
    repeatable: 'always',
  }),
} as const;
