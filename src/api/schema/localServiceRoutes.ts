import * as z from 'zod';
import { int64, maybe } from './field.ts';
import { listRunsResponse } from './jobs/schemas.ts';
import { route } from './route.ts';

/**
 * What only the local service answers, beside the documents: it tells that nothing has changed in a few bytes, and the last run of
 * every job without a request for each.
 */
export const localServiceRoutes = {
  changes: route({
    operation: 'millrace/changes',
    method: 'GET',
    path: '/api/millrace/changes',
    // The stamps of the last answer: the next one comes when they are no longer true, and after a while in any case.
    request: z.looseObject({ jobs: z.string().optional(), runs: z.string().optional() }),
    response: z.looseObject({ jobs: z.string(), runs: z.string() }),
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
} as const;
