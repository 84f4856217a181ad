import type { Store } from './store.ts';

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
