import type { Run } from '../../api/schema/jobs/schemas.ts';
import { isNewer, isOneTime } from '../runOrder.ts';
import { samePage, type RunPage } from './knownRuns.ts';

/** A page with its runs. */
export interface LoadedRuns {
  readonly runs: Run[];
  readonly hasMore: boolean;
}

/** Whose runs a page has: those of a job, those without one, or all. */
export type PageOf = { readonly jobId: string } | 'oneTime' | 'all';

/** The pages of runs that views have asked for, each from the newest run on. */
export class RunLists {
  readonly #runs: ReadonlyMap<string, Run>;
  readonly #ofJobs = new Map<string, RunPage>();
  #oneTime: RunPage | undefined;
  #all: RunPage | undefined;

  /** @param runs that are known, by their ids */
  constructor(runs: ReadonlyMap<string, Run>) {
    this.#runs = runs;
  }

  /** Undefined if it was not asked for yet. */
  get(of: PageOf): LoadedRuns | undefined {
    const page = this.#page(of);
    if (!page) return undefined;
    const runs = page.runIds.map((id) => this.#runs.get(id)).filter((run) => run !== undefined);
    return { runs, hasMore: page.hasMore };
  }

  /**
   * A page as the service gave it. Runs that started since it was asked for stay at its top.
   * @param known ids of runs that may belong to it
   * @returns whether it is another one now
   */
  set(of: PageOf, runs: readonly Run[], hasMore: boolean, known: Iterable<string>): boolean {
    const [first] = runs;
    const given = new Set(runs.map((run) => run.run_id));
    const newer = [...known].filter((runId) => {
      const run = this.#runs.get(runId);
      return run !== undefined && !given.has(runId) && (first === undefined || isNewer(run, first));
    });
    return this.#put(of, { runIds: [...this.#sorted(newer), ...given], hasMore });
  }

  /** The runs that follow in the list of all. */
  append(runs: readonly Run[], hasMore: boolean): boolean {
    return this.#put('all', {
      runIds: [...new Set([...(this.#all?.runIds ?? []), ...runs.map((run) => run.run_id)])],
      hasMore,
    });
  }

  /** A run that was not known: each page that it belongs to takes it in. */
  add(run: Run): void {
    if (isOneTime(run)) this.#oneTime &&= this.#withRun(this.#oneTime, run);
    else if (run.job_id !== undefined) {
      const page = this.#ofJobs.get(run.job_id);
      if (page) this.#ofJobs.set(run.job_id, this.#withRun(page, run));
    }
    // Older ones than its last may have others between.
    const last = this.#runs.get(this.#all?.runIds.at(-1) ?? '');
    if (this.#all && (!this.#all.hasMore || !last || isNewer(run, last))) this.#all = this.#withRun(this.#all, run);
  }

  /** Ids of all runs in pages, more than once if they are in several. */
  *runIds(): Generator<string> {
    for (const page of [...this.#ofJobs.values(), this.#oneTime, this.#all]) if (page) yield* page.runIds;
  }

  /** The jobs whose pages are there. */
  get jobIds(): Iterable<string> {
    return this.#ofJobs.keys();
  }

  delete(jobId: string): void {
    this.#ofJobs.delete(jobId);
  }

  /** @returns whether there were any */
  clear(): boolean {
    const wasAny = this.#ofJobs.size > 0 || this.#oneTime !== undefined || this.#all !== undefined;
    this.#ofJobs.clear();
    this.#oneTime = undefined;
    this.#all = undefined;
    return wasAny;
  }

  #page(of: PageOf): RunPage | undefined {
    if (of === 'all') return this.#all;
    return of === 'oneTime' ? this.#oneTime : this.#ofJobs.get(of.jobId);
  }

  #put(of: PageOf, page: RunPage): boolean {
    const isOther = !samePage(this.#page(of), page);
    if (of === 'all') this.#all = page;
    else if (of === 'oneTime') this.#oneTime = page;
    else this.#ofJobs.set(of.jobId, page);
    return isOther;
  }

  #withRun(page: RunPage, run: Run): RunPage {
    if (page.runIds.includes(run.run_id)) return page;
    return { ...page, runIds: this.#sorted([...page.runIds, run.run_id]) };
  }

  #sorted(runIds: readonly string[]): string[] {
    return [...runIds].sort((leftId, rightId) => {
      const [left, right] = [this.#runs.get(leftId), this.#runs.get(rightId)];
      if (!left || !right) return 0;
      return isNewer(left, right) ? -1 : 1;
    });
  }
}
