import type { Clock } from '../../shared/clock.ts';
import { ApiError, doesNotExist } from '../base/apiError.ts';
import { yieldIfLarge } from '../base/requestWithoutNulls.ts';
import type { StoredJob } from '../store/jobStore.ts';
import { joinMembers, rawMembers } from '../store/rawJson.ts';
import type { Store } from '../store/store.ts';
import type { Notifier } from './activeRun.ts';
import { limits } from './admission.ts';
import { countCreation } from './creationLimit.ts';
import type { Engine } from './engineContract.ts';
import { type EngineSettings, parseSettings } from './engineSettings.ts';
import { createRequestedRuns, type RequestedRuns, storedJob } from './requestedRuns.ts';
import type { Scheduler } from './scheduler.ts';

/** Jobs and what starts their runs (Jobs API 2.0, Endpoints). Settings are JSON texts that were checked. */
export interface JobCatalog extends RequestedRuns {
  /** @returns the new job's id @throws ApiError 400 if the workspace is full, 429 after too many creations within an hour (Limits) */
  create(settings: CheckedSettings): string;
  /** The jobs as they stand in jobs/list, the most recent first, in pieces of at least one. */
  list(): Generator<Uint8Array>;
  /** @throws ApiError 400 if there is no such job */
  get(jobId: string): StoredJob;
  /**
   * Stores what `change` makes of the settings, which are JSON text. Changes of one job come one after the other.
   * @throws ApiError 400 if there is no such job; what `change` throws, and nothing is changed then
   */
  change(jobId: string, change: (current: string) => CheckedSettings | Promise<CheckedSettings>): Promise<void>;
  /** No action if the job does not exist. */
  delete(jobId: string): void;
}

/** Settings as JSON text that was checked, and what they mean. */
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

/** The jobs of one store. */
export function createJobCatalog(options: JobCatalogOptions): JobCatalog {
  const { store, engine, scheduler, notifier, clock } = options;
  const changes = new TurnsByJob();

  return {
    ...createRequestedRuns(options),
    get: (jobId) => storedJob(store, jobId),
    list: () => store.jobs.list(),
    create(checked) {
      const settings = withName(checked);
      const jobId = store.transaction(() => {
        if (store.jobs.count() >= limits.savedJobs) {
          throw new ApiError(
            400,
            'QUOTA_EXCEEDED',
            `The workspace holds ${limits.savedJobs.toLocaleString('en')} jobs, as many as it can; the job was ` +
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
          // It may have been deleted in between.
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

/** Jobs API 2.0, JobSettings: the name's default. */
function withName({ text, settings }: CheckedSettings): string {
  if (settings.name !== undefined) return text;
  const members = rawMembers(text);
  members.delete('name');
  return joinMembers([['name', '"Untitled"'], ...members]);
}

/** A change of large settings takes several turns of the event loop: what others change of the same job meanwhile would be lost. */
class TurnsByJob {
  readonly #last = new Map<bigint, Promise<void>>();

  /** Makes the change after the earlier ones of the job, however they ended. */
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
