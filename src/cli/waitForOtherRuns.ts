import type { Client } from '../api/client/index.ts';
import type { Run } from '../api/schema/jobs/schemas.ts';
import { readActive } from '../runs/polling/readRuns.ts';
import { delay } from '../shared/clock.ts';

const gapInMs = 200;
/** After a run has ended, the commands that follow it still read its result. */
const graceInMs = 2000;

interface Waiting {
  readonly signal: AbortSignal;
  /** The run that this command started itself, which it does not wait for. */
  readonly ownRunId: string | undefined;
  say(text: string): void;
}

/** Other commands that found the service may have started runs, which would end with it. */
export async function waitForOtherRuns(jobs: Client['jobs'], { signal, ownRunId, say }: Waiting): Promise<void> {
  // Those of schedules, and those that try again, are nobody's.
  const isOthers = (run: Run): boolean =>
    run.trigger === 'ONE_TIME' && run.original_attempt_run_id === run.run_id && run.run_id !== ownRunId;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const active = await readActive(jobs, { signal });
    if (!active.some(isOthers)) return isFirst ? undefined : delay(graceInMs, { signal });
    if (isFirst) say('Waiting for runs that other commands started here; Ctrl+C ends them.');
    await delay(gapInMs, { signal });
  }
}
