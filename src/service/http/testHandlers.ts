import * as z from 'zod';
import { int64 } from '../../api/schema/field.ts';
import { jobsRoutes } from '../../api/schema/jobs/routes.ts';
import { parseJson, stringifyJson } from '../../shared/json.ts';
import { invalidParameter } from '../base/apiError.ts';
import { requestWithoutNulls } from '../base/requestWithoutNulls.ts';
import type { TravelClock } from '../base/travelClock.ts';
import type { JobCatalog } from '../engine/jobCatalog.ts';
import type { Store } from '../store/store.ts';
import { fault, type Faults } from './faults.ts';
import type { RouteHandler } from './handler.ts';
import { RawJson } from './reply.ts';
import { decodeRequest } from './validateRequest.ts';

export const testPrefix = '/api/millrace/test/';

const clockRequest = z.looseObject({ now: z.number().optional(), advance_ms: z.number().min(0).optional() });
const idsRequest = z.looseObject({ next_job_id: int64().optional(), next_run_id: int64().optional() });
const seedRequest = z.looseObject({
  jobs: z.array(z.unknown()).optional(),
  /** Finished runs of an existing job, for lists of any length. */
  runs: z.looseObject({ job_id: int64(), count: z.int().min(1).max(1_000_000) }).optional(),
});

/** Time travel, faults and test data; served only with --test-controls. */
export function testHandlers(options: {
  store: Store;
  catalog: JobCatalog;
  clock: TravelClock;
  faults: Faults;
}): RouteHandler[] {
  const { store, catalog, clock, faults } = options;
  const post = (
    name: string,
    handle: (body: Record<string, unknown>) => ReturnType<RouteHandler['handle']>,
  ): RouteHandler => ({
    method: 'POST',
    path: `${testPrefix}${name}`,
    handle: ({ text }) => handle(parseJson(text || '{}') as Record<string, unknown>),
  });
  return [
    post('clock', async (body) => {
      const request = decodeRequest(clockRequest, body);
      const durationInMs = request.advance_ms ?? (request.now === undefined ? 0 : request.now - clock.now());
      if (durationInMs < 0) throw invalidParameter('The clock only moves forward; nothing was changed.');
      const fired = await clock.advance(durationInMs);
      return { now: clock.now(), timers_fired: fired };
    }),
    post('faults', (body) => {
      const { faults: list } = decodeRequest(z.looseObject({ faults: z.array(fault) }), body);
      list.forEach((each) => faults.add(each));
      return {};
    }),
    post('faults/clear', () => {
      faults.clear();
      return {};
    }),
    post('ids', (body) => {
      const request = decodeRequest(idsRequest, body);
      store.transaction(() => {
        if (request.next_job_id !== undefined) setNextId(store, 'jobs', request.next_job_id);
        if (request.next_run_id !== undefined) setNextId(store, 'runs', request.next_run_id);
      });
      return {};
    }),
    post('seed', (body) => {
      const request = decodeRequest(seedRequest, body);
      const jobIds = (request.jobs ?? []).map((settings) => {
        return catalog.create({
          text: stringifyJson(settings),
          settings: decodeRequest(jobsRoutes.create.request, requestWithoutNulls(settings)),
        });
      });
      if (request.runs) {
        store.changes.add('runs');
        seedRuns(store, request.runs.job_id, request.runs.count, clock.now());
      }
      return new RawJson(stringifyJson({ job_ids: parseJson(`[${jobIds.join(',')}]`) }));
    }),
  ];
}

/** Sets the ID of the next job or run, so that IDs beyond 2^53 can be tested. */
function setNextId(store: Store, table: 'jobs' | 'runs', id: string): void {
  const { connection } = store.database;
  connection
    .prepare(
      'INSERT INTO sqlite_sequence (name, seq) SELECT ?, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)',
    )
    .run(table, table);
  connection.prepare('UPDATE sqlite_sequence SET seq = ? WHERE name = ?').run(BigInt(id) - 1n, table);
}

/** Stores finished runs of a job without running anything, for tests and measurements with many runs. */
export function seedRuns(store: Store, jobId: string, count: number, endAt: number): void {
  const insert = store.database.connection.prepare(`
    INSERT INTO runs (job_id, number_in_job, attempt_number, run_type, trigger_type, run_name, creator, detail, active, life_cycle,
      result, message, created_at, dispatched_at, running_at, terminating_at, ended_at, cluster_id, spark_context_id)
    VALUES (?, ?, 0, 'JOB_RUN', 'ONE_TIME', ?, 'seed', ?, 0, 'TERMINATED', 'SUCCESS', '', ?, ?, ?, ?, ?, ?, ?)`);
  const detail =
    '"task":{"spark_python_task":{"python_file":"/seed.py","parameters":["--day","2026-01-01"]}},"cluster_spec":{"existing_cluster_id":"local"}';
  const step = 20_000;
  for (let from = 0; from < count; from += step) {
    store.transaction(() => {
      for (let index = from; index < Math.min(count, from + step); index += 1) {
        const start = endAt - (count - index) * 10;
        insert.run(
          BigInt(jobId),
          index + 1,
          `seeded ${index + 1}`,
          detail,
          start,
          start,
          start + 2,
          start + 8,
          start + 9,
          'local',
          String(index + 1),
        );
      }
    });
  }
}
