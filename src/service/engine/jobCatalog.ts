import { parameterKindOfTask, taskKindOf, type RunParameterKind } from '../../api/schema/jobs/schemas.ts';
import type { Clock } from '../../shared/clock.ts';
import { ApiError, doesNotExist, invalidParameter } from '../base/apiError.ts';
import { yieldIfLarge } from '../base/yieldIfLarge.ts';
import type { StoredJob } from '../store/jobStore.ts';
import { joinMembers, rawMembers } from '../store/rawJson.ts';
import type { RunRecord } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import type { Engine } from './engineContract.ts';
import { parseSettings, type EngineSettings } from './engineSettings.ts';
import type { Notifier } from './notifier.ts';
import type { Scheduler } from './scheduler.ts';
import { limits } from './workspaceLimits.ts';

/** Jobs and what starts their runs (Jobs API 2.0, Endpoints). Settings are JSON texts that were checked. */
export interface JobCatalog {
  /** @returns the new job's id @throws ApiError 400 if the workspace is full, 429 after too many creations within an hour (Limits) */
  create(settings: CheckedSettings): string;
  /** The jobs as they stand in jobs/list, the most recent first, in pieces of at least one. */
  list(): Generator<string[]>;
  /** @throws ApiError 400 if there is no such job */
  get(jobId: string): StoredJob;
  /**
   * Stores what `change` makes of the settings, which are JSON text. Changes of one job come one after the other.
   * @throws ApiError 400 if there is no such job; what `change` throws, and nothing is changed then
   */
  change(jobId: string, change: (current: string) => CheckedSettings | Promise<CheckedSettings>): Promise<void>;
  /** No action if the job does not exist. */
  delete(jobId: string): void;
  /**
   * @param parameters values as JSON text
   * @returns the new run, or the one that was started with the same token before (Endpoints rule 4)
   * @throws ApiError 400 if there is no such job, the parameters are not of its task's kind, or the token's run was deleted
   */
  runNow(
    jobId: string,
    parameters: Map<RunParameterKind, string>,
    idempotencyToken?: string,
    options?: { debug?: boolean },
  ): Promise<RunRecord>;
  /**
   * Starts a one-time run, which counts as a creation.
   * @param settings JSON text that was checked
   * @returns and throws as `runNow`; ApiError 429 after too many creations within an hour (Limits)
   */
  submit(settings: string, idempotencyToken?: string, options?: { debug?: boolean }): Promise<RunRecord>;
}

/** Settings as JSON text that was checked, and what they mean. */
interface CheckedSettings {
  readonly text: string;
  readonly settings: Pick<EngineSettings, 'name' | 'schedule' | 'timeout_seconds'>;
}

export interface JobCatalogOptions {
  store: Store;
  engine: Engine;
  scheduler: Scheduler;
  notifier: Notifier;
  clock: Clock;
  creator: string;
}

const hourInMs = 60 * 60 * 1000;

/** The jobs of one store. */
export function createJobCatalog(options: JobCatalogOptions): JobCatalog {
  const { store, engine, scheduler, notifier, clock } = options;
  const changes = new Map<bigint, Promise<void>>();

  function get(jobId: string): StoredJob {
    const job = store.jobs.get(jobId);
    if (!job) throw doesNotExist('Job', jobId);
    return job;
  }

  /** Jobs API 2.0, Limits: creations within an hour, submitted runs among them. */
  function countCreation(what: string): void {
    const now = clock.now();
    if (store.creations.countSince(now - hourInMs) >= limits.creationsPerHour) {
      const oldest = store.creations.oldestSince(now - hourInMs) ?? now;
      throw new ApiError(
        429,
        'REQUEST_LIMIT_EXCEEDED',
        `${limits.creationsPerHour.toLocaleString('en')} jobs were created within an hour, submitted runs among them; ${what}. Repeat the request later.`,
        {
          retryAfterInSeconds: Math.max(1, Math.ceil((oldest + hourInMs - now) / 1000)),
        },
      );
    }
    store.creations.insert(now);
  }

  /** @throws ApiError if the token's run was deleted (Jobs API 2.0, Endpoints rule 4) */
  function runOfToken(token: string | undefined): RunRecord | undefined {
    const runId = token === undefined || token === '' ? undefined : store.tokens.runOf(token);
    if (runId === undefined) return undefined;
    const run = engine.get(runId);
    if (run) return run;
    throw invalidParameter(
      `The run ${runId} of this idempotency_token was deleted; no run was started. Use a new token to start another one.`,
    );
  }

  /** A change of large settings takes several turns of the event loop: what others change of the same job meanwhile would be lost. */
  async function afterEarlierChanges(jobId: string, change: () => Promise<void>): Promise<void> {
    const id = BigInt(jobId);
    const earlier = changes.get(id);
    const own = earlier ? earlier.then(change, change) : change();
    changes.set(id, own);
    try {
      await own;
    } finally {
      if (changes.get(id) === own) changes.delete(id);
    }
  }

  return {
    get,
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
        countCreation('the job was not created');
        return store.jobs.insert(
          { settings, creator: options.creator, createdAt: clock.now() },
          scheduler.nextFire(checked.settings),
        );
      });
      scheduler.check();
      return jobId;
    },
    change: (jobId, change) =>
      afterEarlierChanges(jobId, async () => {
        const { settings: before } = get(jobId);
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
    async runNow(jobId, parameters, token, { debug } = {}) {
      const known = runOfToken(token);
      if (known) return known;
      const { settings } = get(jobId);
      const parsed = await parseInTurn(settings);
      checkParameterKind(parsed, [...parameters.keys()]);
      if (debug === true) checkDebuggable(parsed);
      if (!store.jobs.exists(jobId)) throw doesNotExist('Job', jobId);
      return (
        runOfToken(token) ??
        engine.start({
          jobId,
          settings,
          parsed,
          parameters: joinMembers(parameters),
          trigger: 'ONE_TIME',
          idempotencyToken: token || undefined,
          debug,
        })
      );
    },
    async submit(settings, token, { debug } = {}) {
      const known = runOfToken(token);
      if (known) return known;
      const parsed = await parseInTurn(settings);
      if (debug === true) checkDebuggable(parsed);
      return (
        runOfToken(token) ??
        engine.start({ settings, parsed, trigger: 'ONE_TIME', idempotencyToken: token || undefined, debug }, () =>
          countCreation('no run was started'),
        )
      );
    },
  };
}

/** In a turn of the event loop of its own if that takes a while; what was looked up before may have changed by then. */
async function parseInTurn(settings: string): Promise<EngineSettings> {
  await yieldIfLarge(settings);
  const parsed = parseSettings(settings);
  await yieldIfLarge(settings);
  return parsed;
}

/** Jobs API 2.0, JobSettings: the name's default. */
function withName({ text, settings }: CheckedSettings): string {
  if (settings.name !== undefined) return text;
  const members = rawMembers(text);
  members.delete('name');
  return joinMembers([['name', '"Untitled"'], ...members]);
}

/** @throws ApiError 400 if the task is neither a Python file nor a notebook */
function checkDebuggable(settings: EngineSettings): void {
  if (settings.spark_python_task || settings.notebook_task) return;
  throw invalidParameter(
    `A ${taskKindOf(settings) ?? 'job without a task'} cannot be debugged here; no run was started. ` +
      'Debug a job of a Python file (spark_python_task) or a notebook (notebook_task).',
  );
}

/** Jobs API 2.0, RunParameters: the kind goes with the job's task type. */
function checkParameterKind(settings: EngineSettings, given: readonly RunParameterKind[]): void {
  const task = taskKindOf(settings);
  const expected = task && parameterKindOfTask[task];
  const wrong = given.find((kind) => kind !== expected);
  if (wrong === undefined || task === undefined) return;
  const remedy = expected === undefined ? `A ${task} takes no parameters` : `A ${task} takes ${expected}`;
  throw invalidParameter(`${wrong} does not go with the job's ${task}; no run was started. ${remedy}.`);
}
