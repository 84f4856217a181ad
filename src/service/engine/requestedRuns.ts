import { listedTaskKinds, parameterKindOfTask, runParameterKinds, taskKindOf } from '../../api/schema/jobs/schemas.ts';
import type { Clock } from '../../shared/clock.ts';
import { doesNotExist, invalidParameter } from '../base/apiError.ts';
import { yieldIfLarge } from '../base/requestWithoutNulls.ts';
import type { StoredJob } from '../store/jobStore.ts';
import { joinMembers } from '../store/rawJson.ts';
import type { RunRecord } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import { countCreation } from './creationLimit.ts';
import type { Engine } from './engineContract.ts';
import { isDebuggable, type ListedTask, parseSettings, type EngineSettings } from './engineSettings.ts';
import type { RunStart } from './runStart.ts';

/** Runs that a request starts: runs of a job and one-time runs. */
export interface RequestedRuns {
  /**
   * @param parameters values as JSON text
   * @returns the new run, or the run that was started with the same token (Endpoints rule 4)
   * @throws ApiError 400 if the job does not exist, the parameters do not fit its task, or the token's run was deleted
   */
  runNow(
    jobId: string,
    parameters: Map<string, string>,
    idempotencyToken?: string,
    options?: { debug?: boolean },
  ): Promise<RunRecord>;
  /**
   * Starts a one-time run, which counts as a creation.
   * @param settings validated JSON text
   * @returns and throws as `runNow`; ApiError 429 after too many creations within an hour (Limits)
   */
  submit(settings: string, idempotencyToken?: string, options?: { debug?: boolean }): Promise<RunRecord>;
}

export function createRequestedRuns(options: { store: Store; engine: Engine; clock: Clock }): RequestedRuns {
  const { store, engine } = options;

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

  /** Parsing may take a while, during which another request may arrive with the same token. */
  async function startOnce(
    token: string | undefined,
    settingsOf: () => string,
    check: (parsed: EngineSettings) => void,
    start: Pick<RunStart, 'jobId' | 'parameters' | 'debug'>,
    within?: () => void,
  ): Promise<RunRecord> {
    const known = runOfToken(token);
    if (known) return known;
    const settings = settingsOf();
    const parsed = await parseInTurn(settings);
    check(parsed);
    return (
      runOfToken(token) ??
      engine.start({ ...start, settings, parsed, trigger: 'ONE_TIME', idempotencyToken: token || undefined }, within)
    );
  }

  return {
    runNow(jobId, parameters, token, { debug } = {}) {
      const check = (parsed: EngineSettings): void => {
        const only = parameters.has('only') ? (JSON.parse(parameters.get('only') ?? '[]') as string[]) : [];
        checkParameters(parsed, [...parameters.keys()]);
        checkTasks(parsed, only);
        if (debug === true) checkDebuggable(parsed, only);
        if (!store.jobs.exists(jobId)) throw doesNotExist('Job', jobId);
      };
      const start = { jobId, parameters: joinMembers(parameters), debug };
      return startOnce(token, () => storedJob(store, jobId).settings, check, start);
    },
    submit: (settings, token, { debug } = {}) =>
      startOnce(
        token,
        () => settings,
        (parsed) => {
          checkTasks(parsed, []);
          if (debug === true) checkDebuggable(parsed, []);
        },
        { debug },
        () => countCreation(options, 'no run was started'),
      ),
  };
}

/** @throws ApiError 400 if the job does not exist */
export function storedJob(store: Store, jobId: string): StoredJob {
  const job = store.jobs.get(jobId);
  if (!job) throw doesNotExist('Job', jobId);
  return job;
}

/** Parses large settings in a separate turn of the event loop. State that was read before may have changed by then. */
async function parseInTurn(settings: string): Promise<EngineSettings> {
  await yieldIfLarge(settings);
  const parsed = parseSettings(settings);
  await yieldIfLarge(settings);
  return parsed;
}

/** @throws ApiError 400 if the task is neither a Python file nor a notebook, or if it is not one task */
function checkDebuggable(settings: EngineSettings, only: readonly string[]): void {
  const tasks = (settings.tasks ?? []).filter((task) => only.length === 0 || only.includes(task.task_key));
  if (tasks.length > 1)
    throw invalidParameter(
      `The job has ${tasks.length} tasks, and one is debugged at a time; no run was started. Name it in only.`,
    );
  const task = tasks[0] ?? settings;
  if (isDebuggable(task)) return;
  throw invalidParameter(
    `A ${taskKindOf(task) ?? 'job without a task'} cannot be debugged here; no run was started. ` +
      'Debug a job of a Python file (spark_python_task) or a notebook (notebook_task).',
  );
}

/** @throws ApiError 400 if a task to run does not exist, or is of a kind that is not run here */
function checkTasks(settings: EngineSettings, only: readonly string[]): void {
  const tasks = settings.tasks ?? [];
  const missing = only.find((key) => !tasks.some((task) => task.task_key === key));
  if (missing !== undefined)
    throw invalidParameter(`The job has no task ${missing}; no run was started. Correct only.`);
  for (const task of tasks) {
    if (only.length > 0 && !only.includes(task.task_key)) continue;
    const kind = kindOf(task);
    const isForEach = kind === 'for_each_task';
    const repeated = isForEach ? kindOf((task.for_each_task as { task: ListedTask }).task) : kind;
    if (isKnown(kind) && isKnown(repeated) && !(isForEach && repeated === kind)) continue;
    throw invalidParameter(
      `The task ${task.task_key} is a ${isKnown(kind) ? `${kind} of a ${repeated}` : kind}, which the local service cannot run; no run was started. ` +
        'Remove the task, or run the job on a service that knows it.',
    );
  }
}

const isKnown = (kind: string): boolean => listedTaskKinds.some((known) => known === kind);

function kindOf(task: ListedTask): string {
  return Object.keys(task).find((name) => name.endsWith('_task')) ?? 'task of no kind';
}

/** Jobs API 2.0, RunParameters: the kind goes with the job's task type. In a job with several tasks, each takes its own. */
function checkParameters(settings: EngineSettings, given: readonly string[]): void {
  if ((settings.tasks ?? []).length > 0) return;
  const ofTasks = given.find((name) => !runParameterKinds.some((kind) => kind === name));
  if (ofTasks !== undefined)
    throw invalidParameter(`${ofTasks} is for jobs with tasks, which this job does not have; no run was started.`);
  const task = taskKindOf(settings);
  const expected = task && parameterKindOfTask[task];
  const wrong = given.find((kind) => kind !== expected);
  if (wrong === undefined || task === undefined) return;
  const remedy = expected === undefined ? `A ${task} takes no parameters` : `A ${task} takes ${expected}`;
  throw invalidParameter(`${wrong} does not go with the job's ${task}; no run was started. ${remedy}.`);
}
