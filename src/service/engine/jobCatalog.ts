import type { Clock } from '../../shared/clock.ts';
import { ApiError, doesNotExist } from '../base/apiError.ts';
import { yieldIfLarge } from '../base/requestWithoutNulls.ts';
import type { JobPage, StoredJob } from '../store/jobStore.ts';
import { joinMembers, rawMembers } from '../store/rawJson.ts';
import type { Store } from '../store/store.ts';
import type { Notifier } from './activeRuns.ts';
import { limits } from './admission.ts';
import { countCreation } from './creationLimit.ts';
import type { Engine } from './engineContract.ts';
import { type EngineSettings, parseSettings } from './engineSettings.ts';
import { createRequestedRuns, type RequestedRuns, storedJob } from './requestedRuns.ts';
import type { Scheduler } from './scheduler.ts';

/** Jobs and the requests that start their runs (Jobs API 2.0, Endpoints). Settings are validated JSON texts. */
export interface JobCatalog extends RequestedRuns {
  /**
   * Creates a job.
   * @returns the new job's ID
   * @throws ApiError 400 if the workspace is full, 429 after too many creations within an hour (Limits)
   */
  create(settings: CheckedSettings): string;
  /** Returns the jobs in the order of jobs/list, newest first, in chunks of at least one. */
  list(): Generator<Uint8Array>;
  /** Returns some jobs, newest first. */
  page(page: JobPage): StoredJob[];
  /** @throws ApiError 400 if the job does not exist */
  get(jobId: string): StoredJob;
  /**
   * Stores the settings that `change` returns for the current ones, as JSON text. Changes of one job run one after another.
   * @throws ApiError 400 if the job does not exist; what `change` throws, without a change
   */
  change(jobId: string, change: (current: string) => CheckedSettings | Promise<CheckedSettings>): Promise<void>;
  /** Does nothing if the job does not exist. */
  delete(jobId: string): void;
}

/** Settings as validated JSON text, and their parsed form. */
interface CheckedSettings {
  readonly text: string;
  readonly settings: Pick<EngineSettings, 'name' | 'schedule' | 'timeout_seconds'>;
}

export interface JobCatalogOptions {
  readonly store: Store;
  readonly engine: Engine;
  readonly scheduler: Scheduler;
  readonly notifier: Notifier;
  readonly clock: Clock;
  readonly creator: string;
}

/** Creates the catalog of one store's jobs. */
export function createJobCatalog(options: JobCatalogOptions): JobCatalog {
  const { store, engine, scheduler, notifier, clock } = options;
  const changes = new TurnsByJob();

  return {
    ...createRequestedRuns(options),
    get: (jobId) => storedJob(store, jobId),
    list: () => store.jobs.list(),
    page: (page) => store.jobs.page(page),
    create(checked) {
      const settings = withName(checked);
      const jobId = store.transaction(() => {
        if (store.jobs.count() >= limits.savedJobs) {
          throw new ApiError(
            400,
            'QUOTA_EXCEEDED',
            `The workspace holds ${limits.savedJobs.toLocaleString('en')} jobs, which is the maximum; the job was ` +
              'not created. Delete jobs that are no longer needed.',
          );
        }
        countCreation(options, 'the job was not created');
        return store.jobs.insert(
          { settings, creator: options.creator, createdAt: clock.now() },
          scheduler.nextFire(checked.settings),
        );
      });
      scheduler.check();
      return jobId;
    },
    change: (jobId, change) =>
      changes.take(jobId, async () => {
        const { settings: before } = storedJob(store, jobId);
        const timeoutBefore = Number(rawMembers(before).get('timeout_seconds') ?? 0);
        await yieldIfLarge(before);
        const after = await change(before);
        const text = withName(after);
        await yieldIfLarge(text);
        const timeoutInSeconds = after.settings.timeout_seconds ?? 0;
        store.transaction(() => {
          // The job may have been deleted in the meantime.
          if (!store.jobs.exists(jobId)) throw doesNotExist('Job', jobId);
          store.jobs.replaceSettings(jobId, text, scheduler.nextFire(after.settings));
          if (timeoutBefore !== timeoutInSeconds) engine.timeoutChanged(jobId, timeoutInSeconds);
        });
        scheduler.check();
      }),
    delete(jobId) {
      const deletedRunIds = store.transaction(() => {
        const job = store.jobs.get(jobId);
        if (!job) return undefined;
        notifier.jobDeleted(jobId, parseSettings(job.settings));
        store.jobs.delete(jobId);
        return store.runs.deleteOfJob(jobId);
      });
      if (!deletedRunIds) return;
      engine.jobDeleted(jobId, deletedRunIds);
      scheduler.check();
      notifier.wake();
    },
  };
}

/** Fills in the default name (Jobs API 2.0, JobSettings). */
function withName({ text, settings }: CheckedSettings): string {
  if (settings.name !== undefined) return text;
  const members = rawMembers(text);
  members.delete('name');
  return joinMembers([['name', '"Untitled"'], ...members]);
}

/**
 * Serializes changes per job: a change of large settings takes several turns of the event loop, in which other changes of the same job
 * would be lost.
 */
class TurnsByJob {
  readonly #last = new Map<bigint, Promise<void>>();

  /** Makes the change after the job's earlier changes, even if they failed. */
  async take(jobId: string, change: () => Promise<void>): Promise<void> {
    const id = BigInt(jobId);
    const earlier = this.#last.get(id);
    const own = earlier ? earlier.then(change, change) : change();
    this.#last.set(id, own);
    try {
      await own;
    } finally {
      if (this.#last.get(id) === own) this.#last.delete(id);
    }
  }
}
