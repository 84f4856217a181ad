import type { Run } from '../../api/schema/jobs/schemas.ts';
import { isNewer, type KnownLastRun, type LastRun } from '../runOrder.ts';
import { isSkipped, wordlessStatus } from '../runState.ts';

/** Older changes are forgotten: before them, anything may have changed. */
const maxKept = 1000;

/** Records which items changed, so that readers need not check all of them. */
export class ChangeLog {
  #ids: string[] = [];
  #start = 0;

  /** Changes with each change. */
  get mark(): number {
    return this.#start + this.#ids.length;
  }

  add(id: string): void {
    this.#ids.push(id);
    if (this.#ids.length < 2 * maxKept) return;
    this.#ids = this.#ids.slice(maxKept);
    this.#start += maxKept;
  }

  /** Marks everything as possibly changed. */
  reset(): void {
    this.#start = this.mark + 1;
    this.#ids = [];
  }

  /** @returns IDs, possibly repeated, or `undefined` if anything may have changed since the mark */
  since(mark: number): readonly string[] | undefined {
    return mark < this.#start ? undefined : this.#ids.slice(mark - this.#start);
  }
}

/** Knows which runs belong to which job, including jobs that are unknown. */
export class RunsOfJobs {
  readonly #runs: ReadonlyMap<string, Run>;
  readonly #runIds = new Map<string, Set<string>>();
  /** Cached last run of each job since its runs changed: views ask for thousands at each change. */
  readonly #last = new Map<string, KnownLastRun>();

  /** Jobs that have no run, according to the service. */
  readonly #without = new Set<string>();
  /** Jobs whose last run may have changed. */
  readonly changes = new ChangeLog();

  /** @param runs known runs by ID */
  constructor(runs: ReadonlyMap<string, Run>) {
    this.#runs = runs;
  }

  get jobIds(): Iterable<string> {
    return this.#runIds.keys();
  }

  runIds(jobId: string): Iterable<string> {
    return this.#runIds.get(jobId) ?? [];
  }

  /** Adds or replaces a run. */
  add(jobId: string, runId: string): void {
    this.#without.delete(jobId);
    this.#touch(jobId);
    const known = this.#runIds.get(jobId);
    if (known) known.add(runId);
    else this.#runIds.set(jobId, new Set([runId]));
  }

  remove(jobId: string, runId: string): void {
    this.#touch(jobId);
    this.#runIds.get(jobId)?.delete(runId);
  }

  #touch(jobId: string): void {
    this.#last.delete(jobId);
    this.changes.add(jobId);
  }

  /** Records that the job has no run, unless one is known. @returns whether anything changed */
  settle(jobId: string): boolean {
    if (this.#without.has(jobId) || this.latest(jobId)) return false;
    this.#without.add(jobId);
    this.changes.add(jobId);
    return true;
  }

  /** Forgets that jobs have no run. @returns whether any was recorded */
  unsettle(): boolean {
    const isNews = this.#without.size > 0;
    this.#without.clear();
    this.changes.reset();
    return isNews;
  }

  /** Forgets that other jobs have no run. */
  keepOnly(jobs: ReadonlyMap<string, unknown>): void {
    for (const jobId of this.#without) if (!jobs.has(jobId)) this.#without.delete(jobId);
  }

  /** Returns the job's last run, as far as it is known. */
  last(jobId: string): LastRun {
    return this.#known(jobId) ?? { kind: this.#without.has(jobId) ? 'none' : 'unknown' };
  }

  /**
   * Returns the newest run. If it was skipped, an active one or the newest that was not skipped comes first. If it waits, one that executes
   * comes first.
   */
  latest(jobId: string): Run | undefined {
    return this.#known(jobId)?.run;
  }

  #known(jobId: string): KnownLastRun | undefined {
    const known = this.#last.get(jobId);
    if (known) return known;
    let newest: Run | undefined;
    let begun: Run | undefined;
    let active: Run | undefined;
    let executing: Run | undefined;
    for (const runId of this.runIds(jobId)) {
      const run = this.#runs.get(runId);
      if (!run) continue;
      if (!newest || isNewer(run, newest)) newest = run;
      if (isSkipped(run)) continue;
      if (!begun || isNewer(run, begun)) begun = run;
      const { active: isActive, phase } = wordlessStatus(run);
      if (!isActive) continue;
      if (!active || isNewer(run, active)) active = run;
      if (phase !== 'queued' && phase !== 'pending' && (!executing || isNewer(run, executing))) executing = run;
    }
    if (!newest) return undefined;
    const isNewestActive = begun === newest && begun === active;
    const shown = isNewestActive ? executing : begun === newest ? undefined : (executing ?? active ?? begun);
    const run = shown ?? newest;
    const isSkippedSince = run !== newest && isSkipped(newest);
    const last: KnownLastRun = { kind: 'run', run, ...(isSkippedSince ? { isSkippedSince } : {}) };
    this.#last.set(jobId, last);
    return last;
  }

  clear(): void {
    this.#runIds.clear();
    this.#last.clear();
    this.#without.clear();
    this.changes.reset();
  }
}
