import { AppError } from '../../shared/errors.ts';
import type { RunOutcome } from '../runners/runner.ts';
import type { RunRecord } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import type { RunStart } from './runStart.ts';

/** A job that runs itself, over others or not, would go on for ever. */
const deepestChain = 10;

/** What a run-job task needs of the engine. */
export interface ChildRunStarter {
  start(start: RunStart): RunRecord;
  cancel(runId: string): void;
  get(runId: string): RunRecord | undefined;
  whenOver(runId: string): Promise<RunRecord | undefined>;
}

export interface RunJobContext {
  readonly engine: ChildRunStarter;
  readonly store: Store;
  readonly onStarted: () => void;
  readonly signal: AbortSignal;
}

/**
 * Runs another job and takes over how it ended, its retries included (Jobs API 2.0, RunJobTask). A cancellation is
 * passed on.
 * @throws AppError if the job does not exist or the chain is too long
 */
export async function runJobTask(
  target: string | number | bigint,
  run: RunRecord,
  context: RunJobContext,
): Promise<RunOutcome> {
  const { engine, store, signal } = context;
  const jobId = String(target);
  if (depthOf(run, engine) >= deepestChain) {
    throw new AppError(
      'invalid',
      `Jobs run each other more than ${deepestChain} levels deep; job ${jobId} was not run.`,
      { remedy: 'Remove the circle from their run_job_task fields.' },
    );
  }
  const job = store.jobs.get(jobId);
  if (!job)
    throw new AppError('notFound', `Job ${jobId} does not exist; nothing was run.`, {
      remedy: 'Correct job_id in run_job_task.',
    });
  context.onStarted();
  const child = engine.start({ jobId, settings: job.settings, trigger: 'ONE_TIME', parentRunId: run.runId });
  // The latest attempt carries the same parent, so that cancelling finds it too.
  const onAbort = (): void => {
    for (const each of store.runs.active()) if (each.parentRunId === run.runId) engine.cancel(each.runId);
    if (engine.get(child.runId)) engine.cancel(child.runId);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    const end = await engine.whenOver(child.runId);
    if (signal.aborted) return { resultState: 'CANCELED' };
    if (!end) {
      const error = `Run ${child.runId} of job ${jobId} was deleted before it was over.`;
      return { resultState: 'FAILED', stateMessage: error, error };
    }
    const name = `Run ${end.runId} of job ${jobId}`;
    if (end.result === 'SUCCESS') return { resultState: 'SUCCESS', stateMessage: `${name} succeeded.` };
    const error = `${name} ended ${end.lifeCycle}${end.result ? ` ${end.result}` : ''}. ${end.message}`.trim();
    return { resultState: 'FAILED', stateMessage: error, error };
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function depthOf(run: RunRecord, engine: Pick<ChildRunStarter, 'get'>): number {
  let depth = 0;
  for (
    let at: RunRecord | undefined = run;
    at?.parentRunId !== undefined && depth < deepestChain;
    at = engine.get(at.parentRunId)
  )
    depth += 1;
  return depth;
}
