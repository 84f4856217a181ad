import type { ConnectionService } from '../../connection/connection.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import { isRepairable } from '../runTasks.ts';
import type { RunStore } from '../store/runStore.ts';
import { nextPage } from './readRuns.ts';
import type { RunPoller } from './runPoller.ts';

export interface RunLoaderOptions {
  readonly connections: Pick<ConnectionService, 'connectIfUsed'>;
  readonly store: RunStore;
  /** Requests go through the poller, so that they count towards its limit. */
  readonly poller: Pick<RunPoller, 'ask'>;
}

const pageSize = 20;
/** Page size of the list of all runs. */
const allPageSize = 100;
/** Maximum number of runs that the service returns at once (Jobs API 2.0, runs/list). */
const maxPageSize = 999;

/**
 * Reads into the store what polls do not: the runs of one job, and older runs. A failure is reported at once: while rows load, the editor
 * draws nothing else in the tree.
 */
export class RunLoader implements Disposable {
  readonly #options: RunLoaderOptions;
  /** Aborts the requests of a profile that is no longer current. */
  #ofProfile = new AbortController();
  /** Token of the page after the loaded runs of all jobs, if the service has tokens. */
  #olderToken: string | undefined;
  /** Pages are filled one after another, however many are restored at once. */
  #filling: Promise<void> = Promise.resolve();

  constructor(options: RunLoaderOptions) {
    this.#options = options;
  }

  /**
   * Reads more runs of a job into the model.
   * @param jobId `undefined` for runs without a job
   */
  async load(jobId: string | undefined, limit = pageSize): Promise<void> {
    const { connections, store, poller } = this.#options;
    const { signal } = this.#ofProfile;
    const connection = await connections.connectIfUsed({ signal });
    if (!connection) return;
    const which = jobId === undefined ? { run_type: 'SUBMIT_RUN' as const } : { job_id: jobId };
    const { jobs } = connection.client;
    const { runs, has_more: hasMore } = await poller.ask(() =>
      jobs.listRuns({ ...which, limit }, { signal, retry: 'fail' }),
    );
    signal.throwIfAborted();
    if (jobId === undefined) store.setOneTimeRuns(runs, hasMore, Date.now());
    else store.setRunsOf(jobId, runs, hasMore, Date.now());
  }

  /**
   * Reads the tasks of a run into the model.
   * @returns whether the service has repairs, if the run has several tasks
   */
  async loadTasks(runId: string): Promise<boolean | undefined> {
    const { connections, store, poller } = this.#options;
    const { signal } = this.#ofProfile;
    const connection = await connections.connectIfUsed({ signal });
    if (!connection) return undefined;
    const { jobs } = connection.client;
    const run = await poller.ask(() => jobs.getRun(runId, { signal, retry: 'fail' }));
    signal.throwIfAborted();
    // A run without tasks is known to have none.
    store.mergeRuns([{ ...run, tasks: run.tasks ?? [] }], Date.now());
    return isRepairable(run)
      ? jobs.version({ signal }).then(
          (version) => version !== '2.0',
          () => undefined,
        )
      : undefined;
  }

  /** Reads older runs of a job. @param jobId `undefined` for one-time runs */
  loadMore(jobId: string | undefined): Promise<void> {
    const { store } = this.#options;
    const known = jobId === undefined ? store.oneTimeRuns : store.runsOf(jobId);
    return this.load(jobId, Math.min((known?.runs.length ?? 0) + 5 * pageSize, maxPageSize));
  }

  /** Reads the newest runs of all jobs, or those after the loaded ones. */
  async loadAll({ older }: { older: boolean }): Promise<void> {
    const { connections, store } = this.#options;
    const { signal } = this.#ofProfile;
    const connection = await connections.connectIfUsed({ signal });
    if (!connection) return;
    const known = older ? (store.allRuns?.runs.length ?? 0) : 0;
    const {
      runs,
      has_more: hasMore,
      next_page_token: token,
    } = await connection.client.jobs.listRuns(
      { limit: allPageSize, ...(known > 0 ? nextPage(this.#olderToken, known) : {}) },
      { signal, retry: 'fail' },
    );
    signal.throwIfAborted();
    this.#olderToken = token;
    store.setAllRuns(runs, hasMore, Date.now(), { older });
  }

  /** Like `load`, for a page: waits for the pages before it. */
  loadInTurn(jobId: string, limit: number): Promise<void> {
    const loaded = this.#filling.then(() => this.load(jobId, limit));
    this.#filling = loaded.catch(() => undefined);
    return loaded;
  }

  /** Rejects pending reads, because they belong to another profile now. */
  changeProfile(): void {
    this.#ofProfile.abort();
    this.#ofProfile = new AbortController();
  }

  dispose(): void {
    this.#ofProfile.abort();
  }
}
