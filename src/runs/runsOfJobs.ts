import type { Run } from '../api/schema/jobs/schemas.ts';
import { isNewer } from './runOrder.ts';
import { wordlessStatus } from './runState.ts';

/** Which of the runs that are known are of which job, those of jobs that are not known included. */
export class RunsOfJobs {
  readonly #runs: ReadonlyMap<string, Run>;
  readonly #runIds = new Map<string, Set<string>>();
  /** The newest of each job, as far as somebody has asked since its runs changed: views ask for thousands at each change. */
  readonly #latest = new Map<string, Run>();

  /** @param runs that are known, by their ids */
  constructor(runs: ReadonlyMap<string, Run>) {
    this.#runs = runs;
  }

  get jobIds(): Iterable<string> {
    return this.#runIds.keys();
  }

  runIds(jobId: string): Iterable<string> {
    return this.#runIds.get(jobId) ?? [];
  }

  /** The run is known, or is another one now. */
  add(jobId: string, runId: string): void {
    this.#latest.delete(jobId);
    const known = this.#runIds.get(jobId);
    if (known) known.add(runId);
    else this.#runIds.set(jobId, new Set([runId]));
  }

  remove(jobId: string, runId: string): void {
    this.#latest.delete(jobId);
    this.#runIds.get(jobId)?.delete(runId);
  }

  /** The newest one; one that goes on comes before a newer one that was skipped. */
  latest(jobId: string): Run | undefined {
    const known = this.#latest.get(jobId);
    if (known) return known;
    let latest: Run | undefined;
    let active: Run | undefined;
    for (const runId of this.runIds(jobId)) {
      const run = this.#runs.get(runId);
      if (!run) continue;
      if (!latest || isNewer(run, latest)) latest = run;
      if (wordlessStatus(run).active && (!active || isNewer(run, active))) active = run;
    }
    if (latest && active && wordlessStatus(latest).phase === 'skipped') latest = active;
    if (latest) this.#latest.set(jobId, latest);
    return latest;
  }

  clear(): void {
    this.#runIds.clear();
    this.#latest.clear();
  }
}
