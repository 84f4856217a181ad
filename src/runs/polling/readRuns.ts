import type { CallOptions, JobsClient } from '../../api/client/client.ts';
import type { Run } from '../../api/schema/jobs/schemas.ts';

const activePageSize = 100;
/** Enough pages for the maximum number of active runs of a workspace (Jobs API 2.0, Limits). */
const maxActivePages = 10;

export interface ReadRuns {
  readonly newest: Awaited<ReturnType<JobsClient['listRuns']>>;
  /** The newest and the active runs, each once. */
  readonly all: readonly Run[];
}

/** Reads the newest page and all active runs: active_only leaves out QUEUED runs, and the newest page leaves out old active runs. */
export async function readRuns(jobs: JobsClient, newestPageSize: number, options: CallOptions): Promise<ReadRuns> {
  const [newest, active] = await Promise.all([
    jobs.listRuns({ limit: newestPageSize }, options),
    readActive(jobs, options),
  ]);
  return { newest, all: [...new Map([...newest.runs, ...active].map((run) => [run.run_id, run])).values()] };
}

/** Reads all pages of active runs. */
export async function readActive(jobs: JobsClient, options: CallOptions): Promise<Run[]> {
  const runs: Run[] = [];
  let next: { offset?: number; page_token?: string } = {};
  for (let page = 0; page < maxActivePages; page += 1) {
    const {
      runs: more,
      has_more: hasMore,
      next_page_token: token,
    } = await jobs.listRuns({ active_only: true, limit: activePageSize, ...next }, options);
    runs.push(...more);
    if (!hasMore || more.length === 0) break;
    next = nextPage(token, runs.length);
  }
  return runs;
}

/** Returns where the next page of runs begins: at the service's token, or otherwise after the runs that were read. */
export function nextPage(token: string | undefined, offset: number): { offset?: number; page_token?: string } {
  return token === undefined ? { offset } : { page_token: token };
}

/**
 * Returns the runs of the previous page that are missing in this one although a run below them is in it: they were removed. Only the
 * service's own order counts, because services may sort by something other than time.
 */
export function passedOver(before: readonly string[], now: readonly string[]): string[] {
  const last = before.findLastIndex((runId) => now.includes(runId));
  return before.slice(0, Math.max(0, last)).filter((runId) => !now.includes(runId));
}
