import { isTerminal } from '../store/runRecord.ts';
import type { ActiveRun } from './activeRun.ts';
import { RunWaiters } from './runWaiters.ts';

/** The runs that are in the engine's care, from when they are stored until they are over, in the order of their start. */
export class ActiveRuns {
  readonly #runs = new Map<string, ActiveRun>();
  /** They are told when a run is over. */
  readonly waiters = new RunWaiters();

  get count(): number {
    return this.#runs.size;
  }

  /** As they are now: who goes through them may end some. */
  get all(): ActiveRun[] {
    return [...this.#runs.values()];
  }

  ofJob(jobId: string): ActiveRun[] {
    return this.all.filter(({ record }) => record.jobId === jobId);
  }

  find(runId: string): ActiveRun | undefined {
    return this.#runs.get(runId);
  }

  /** Takes a run that was stored into care; one that is SKIPPED is over already. */
  adopt(run: ActiveRun): void {
    this.#runs.set(run.record.runId, run);
    if (isTerminal(run.record)) this.release(run);
  }

  /** The run is over: who waits for it is told, unless another attempt follows. */
  release({ record }: ActiveRun): void {
    this.#runs.delete(record.runId);
    if (record.retryAt === undefined) this.waiters.tell(record.runId, record);
  }
}
