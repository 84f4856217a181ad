import type { Client } from '../api/client/client.ts';
import type { Run } from '../api/schema/jobs/schemas.ts';
import { runStatus } from '../runs/runState.ts';
import { delay } from '../shared/clock.ts';

const lookEveryInMs = 1000;

/** Waits for the end of a run. @throws what the signal was aborted with; the run goes on then */
export async function untilEnded({ jobs }: Client, runId: string, signal?: AbortSignal): Promise<Run> {
  for (;;) {
    const run = await jobs.getRun(runId, { signal });
    if (!runStatus(run).active) return run;
    await delay(lookEveryInMs, { signal });
  }
}
