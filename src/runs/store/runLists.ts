import type { Run } from '../../api/schema/jobs/schemas.ts';
import { isNewer, isOneTime } from '../runOrder.ts';

/** The lists in the store. */
export type StoredList = 'jobs' | 'runs';

/** What is known of a job's runs: the newest ones, and whether there are older ones. */
export interface RunPage {
  readonly runIds: readonly string[];
  readonly hasMore: boolean;
}

function samePage(before: RunPage | undefined, after: RunPage): boolean {
  return before !== undefined && before.hasMore === after.hasMore && before.runIds.join() === after.runIds.join();
}

/** A page with its runs. */
export interface LoadedRuns {
  readonly runs: Run[];
  readonly hasMore: boolean;
}

/** Which runs a page holds: those of a job, one-time runs, or all. */
export type PageOf = { readonly jobId: string } | 'oneTime' | 'all';

/** The pages of runs that views have requested, each starting at the newest run. */
export class RunLists {
  readonly #runs: ReadonlyMap<string, Run>;
  readonly #ofJobs = new Map<string, RunPage>();
  #oneTime: RunPage | undefined;
  #all: RunPage | undefined;

  /** @param runs known runs by ID */
  constructor(runs: ReadonlyMap<string, Run>) {
    this.#runs = runs;
  }

  /** Returns `undefined` if the page was never requested. */
  get(of: PageOf): LoadedRuns | undefined {
    const page = this.#page(of);
    if (!page) return undefined;
    const runs = page.runIds.map((id) => this.#runs.get(id)).filter((run) => run !== undefined);
    return { runs, hasMore: page.hasMore };
  }

  /**
   * Sets a page as the service returned it. Runs that started after the request stay at its top.
   * @param known IDs of runs that may belong to it
   * @returns whether it has changed
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

  /** Appends the following runs to the list of all runs. */
  append(runs: readonly Run[], hasMore: boolean): boolean {
    return this.#put('all', {
      runIds: [...new Set([...(this.#all?.runIds ?? []), ...runs.map((run) => run.run_id)])],
      hasMore,
    });
  }

  /** Adds a new run to every page that it belongs to. */
  add(run: Run): void {
    if (isOneTime(run)) this.#oneTime &&= this.#withRun(this.#oneTime, run);
    else if (run.job_id !== undefined) {
      const page = this.#ofJobs.get(run.job_id);
      if (page) this.#ofJobs.set(run.job_id, this.#withRun(page, run));
    }
    // Older runs than the page's last one may have others between.
    const last = this.#runs.get(this.#all?.runIds.at(-1) ?? '');
    if (this.#all && (!this.#all.hasMore || !last || isNewer(run, last))) this.#all = this.#withRun(this.#all, run);
  }

  /** Yields the IDs of all runs in pages, repeated if they are in several. */
  *runIds(): Generator<string> {
    for (const page of [...this.#ofJobs.values(), this.#oneTime, this.#all]) if (page) yield* page.runIds;
  }

  /** Jobs whose pages are loaded. */
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
