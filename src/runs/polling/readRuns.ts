import type { CallOptions, JobsClient } from '../../api/client/client.ts';
import type { Run } from '../../api/schema/jobs/schemas.ts';

const activePageSize = 100;
/** As many active runs as a workspace can hold (Jobs API 2.0, Limits) fit into so many pages. */
const maxActivePages = 10;

export interface ReadRuns {
  readonly newest: Awaited<ReturnType<JobsClient['listRuns']>>;
  /** The newest and the active ones, each once. */
  readonly all: readonly Run[];
}

/** Reads the newest page and all active runs: active_only leaves QUEUED runs out, and the newest page leaves old active ones out. */
export async function readRuns(jobs: JobsClient, newestPageSize: number, options: CallOptions): Promise<ReadRuns> {
  const [newest, active] = await Promise.all([
    jobs.listRuns({ limit: newestPageSize }, options),
    readActive(jobs, options),
  ]);
  return { newest, all: [...new Map([...newest.runs, ...active].map((run) => [run.run_id, run])).values()] };
}

/** All pages of them. */
export async function readActive(jobs: JobsClient, options: CallOptions): Promise<Run[]> {
  const runs: Run[] = [];
  for (let page = 0; page < maxActivePages; page += 1) {
    const offset = page > 0 ? { offset: runs.length } : {};
    const { runs: more, has_more: hasMore } = await jobs.listRuns(
      { active_only: true, limit: activePageSize, ...offset },
      options,
    );
    runs.push(...more);
    if (!hasMore || more.length === 0) break;
  }
  return runs;
}

/**
 * Runs of the page before that are missing in this one though a run that stood below them is in it: they were removed. Only the service's own
 * order counts here; times give no order, since services may list by other things.
 */
export function passedOver(before: readonly string[], now: readonly string[]): string[] {
  const last = before.findLastIndex((runId) => now.includes(runId));
  return before.slice(0, Math.max(0, last)).filter((runId) => !now.includes(runId));
}
