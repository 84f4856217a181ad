import * as z from 'zod';
import { localControlRoutes } from '../../shared/localControlRoutes.ts';
import { int64, maybe } from './field.ts';
import { jobsRoutes } from './jobs/routes.ts';
import { notebookOutput } from './jobs/run.ts';
import { listRunsResponse } from './jobs/schemas.ts';
import { route } from './route.ts';

/**
 * What only the local service answers, beside the documents: it tells that nothing has changed in a few bytes, the last run of
 * every job without a request for each, and all that a run wrote piece by piece, as it comes; and it runs under a debugger.
 */
export const localServiceRoutes = {
  changes: route({
    operation: 'millrace/changes',
    method: 'GET',
    path: '/api/millrace/changes',
    // The stamps of the last answer: the next one comes when they are no longer true, and after a while in any case.
    request: z.looseObject({ jobs: z.string().optional(), runs: z.string().optional() }),
    // `held`: ids of runs that stand still in a debugger, in any window.
    response: z.looseObject({ jobs: z.string(), runs: z.string(), held: z.array(z.string()).optional() }),
    mutates: false,
    repeatable: 'always',
  }),
  lastRuns: route({
    operation: 'millrace/last-runs',
    method: 'GET',
    path: '/api/millrace/last-runs',
    request: z.looseObject({ after_job_id: int64().optional() }),
    // `next_after_job_id` is there while there are more jobs.
    response: z.looseObject({ runs: listRunsResponse.shape.runs, next_after_job_id: maybe(int64()) }),
    mutates: false,
    repeatable: 'always',
  }),
  /** As jobs/runs/submit, for a run that waits for the editor's debugger. */
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
      // In bytes: the `next_offset` of the piece before.
      offset: z.int().nonnegative().optional(),
      // With it the answer comes when there is something after the offset or the run has ended, and after a while in any case.
      wait: z.boolean().optional(),
    }),
    response: z.looseObject({
      // Cut between two characters.
      text: z.string(),
      next_offset: z.int().nonnegative(),
      // Bytes that are kept of the output now.
      size: z.int().nonnegative(),
      // The run is over and nothing follows.
      is_end: z.boolean(),
      // With the first piece: `Python 3.11.2, pandas 2.2.1`.
      versions: z.string().optional(),
      // With the last piece, what jobs/runs/get-output tells beside the output.
      error: maybe(z.string()),
      error_trace: maybe(z.string()),
      notebook_output: maybe(notebookOutput),
    }),
    mutates: false,
    repeatable: 'always',
  }),
} as const;
