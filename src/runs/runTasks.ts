import type { CallOptions, JobsClient } from '../api/client/client.ts';
import type { Run, RunOutput, RunTask } from '../api/schema/jobs/schemas.ts';
import { type AppError, isAbort, passingKinds, toAppError } from '../shared/errors.ts';
import { failedPhases, type StatefulRun, wordlessStatus } from './runState.ts';

/** A task of a run that has a name and a run of its own. */
export interface NamedTask extends RunTask {
  readonly task_key: string;
  readonly run_id: string;
}

/** Maximum number of task attempts that are read: services allow 1,000 tasks in a run. */
const maxAttempts = 5000;

/** Returns the latest attempt of each task of a run, each after the tasks that it depends on. A run of one unnamed task has none. */
export function tasksOf(run: Pick<Run, 'tasks'>): readonly NamedTask[] {
  const latest = new Map<string, NamedTask>();
  for (const task of (run.tasks ?? []).slice(0, maxAttempts)) {
    if (!isNamed(task)) continue;
    const known = latest.get(task.task_key);
    if (!known || (task.attempt_number ?? 0) >= (known.attempt_number ?? 0)) latest.set(task.task_key, task);
  }
  const depths = depthsOf([...latest.values()]);
  return [...latest.values()].toSorted((a, b) => (depths.get(a.task_key) ?? 0) - (depths.get(b.task_key) ?? 0));
}

/** Returns all attempts of the tasks of a run, in the order of `tasksOf`, the first attempt first; of a for-each task's run, those of its inputs. */
export function attemptsOfTasks({ tasks, iterations }: Pick<Run, 'tasks' | 'iterations'>): readonly NamedTask[] {
  const all = [...(tasks ?? []), ...(iterations ?? [])].slice(0, maxAttempts).filter(isNamed);
  const order = new Map(tasksOf({ tasks: all }).map(({ task_key: key }, place) => [key, place]));
  const placeOf = ({ task_key: key }: NamedTask): number => order.get(key) ?? 0;
  const numberOf = ({ attempt_number: number = 0 }: NamedTask): number => number;
  return all.toSorted((a, b) => placeOf(a) - placeOf(b) || numberOf(a) - numberOf(b));
}

const isNamed = (task: RunTask): task is NamedTask => task.task_key !== undefined && task.run_id !== undefined;

/**
 * Returns whether a run has several tasks, or may have them: lists of runs leave the tasks out. A run of a single task has `task` (Jobs API
 * 2.0, Run).
 */
export function mayHaveTasks(run: Pick<Run, 'tasks' | 'task'>): boolean {
  return run.tasks ? new Set(run.tasks.map(({ task_key: key }) => key)).size > 1 : run.task === undefined;
}

/** Returns whether a run has tasks that a repair runs again, as far as its tasks are known. */
export function isRepairable(run: StatefulRun & Pick<Run, 'tasks' | 'task'>): boolean {
  return run.tasks !== undefined && mayBeRepairable(run);
}

/** Returns whether a repair can be offered for a run: if its tasks are not known yet, they are read then. */
export function mayBeRepairable(run: StatefulRun & Pick<Run, 'tasks' | 'task'>): boolean {
  const { terminal, phase } = wordlessStatus(run);
  return terminal && phase !== 'succeeded' && phase !== 'skipped' && mayHaveTasks(run);
}

/** Returns the tasks of a run for a list: first those that failed, then in the order of their start. */
export function tasksByNeed(run: Pick<Run, 'tasks'>): readonly NamedTask[] {
  const failed = (task: NamedTask): number => (failedPhases.has(wordlessStatus(task).phase) ? 0 : 1);
  const startOf = (task: NamedTask): number => task.start_time || Number.MAX_SAFE_INTEGER;
  return tasksOf(run).toSorted((a, b) => failed(a) - failed(b) || startOf(a) - startOf(b));
}

/** Returns how many tasks lie before each task on the longest way to it. Dependencies in a circle, or on unknown tasks, count as none. */
export function depthsOf(tasks: readonly Pick<NamedTask, 'task_key' | 'depends_on'>[]): ReadonlyMap<string, number> {
  const byKey = new Map(tasks.map((task) => [task.task_key, task]));
  const depths = new Map<string, number>();
  const open = new Set<string>();
  const depthOf = (key: string): number => {
    const known = depths.get(key);
    if (known !== undefined) return known;
    const task = byKey.get(key);
    if (!task || open.has(key)) return -1;
    open.add(key);
    const depth = 1 + Math.max(-1, ...upstreamOf(task).map(depthOf));
    open.delete(key);
    depths.set(key, depth);
    return depth;
  };
  for (const key of byKey.keys()) depthOf(key);
  return depths;
}

/** Returns the keys of the tasks that a task depends on. */
export function upstreamOf({ depends_on: dependsOn }: Pick<RunTask, 'depends_on'>): readonly string[] {
  return (dependsOn ?? []).flatMap(({ task_key: key }) => key ?? []);
}

/** Returns the task of a run that explains it: the first that failed, otherwise the first active one, otherwise the last. */
export function mainTask(run: Pick<Run, 'tasks'>): NamedTask | undefined {
  const tasks = tasksOf(run);
  const endOf = (task: NamedTask): number => task.end_time || Number.MAX_SAFE_INTEGER;
  const failed = tasks
    .filter((task) => failedPhases.has(wordlessStatus(task).phase))
    .toSorted((a, b) => endOf(a) - endOf(b));
  return failed[0] ?? tasks.find((task) => wordlessStatus(task).active) ?? tasks.at(-1);
}

/** Returns the task with this key, or otherwise the one that explains the run. */
export function taskToShow(run: Pick<Run, 'tasks'>, key: string | undefined): NamedTask | undefined {
  return tasksOf(run).find((task) => task.task_key === key) ?? mainTask(run);
}

/**
 * Reads a run; one with several tasks with its repairs, if the service has them.
 * @param hasRepairs whether it is known to have them, which saves a request
 */
export async function readRunWithRepairs(
  jobs: Pick<JobsClient, 'getRun' | 'version'>,
  runId: string,
  hasRepairs: boolean,
  options: CallOptions,
): Promise<{ readonly run: Run; readonly hasRepairs: boolean }> {
  if (!hasRepairs) {
    const run = await jobs.getRun(runId, options);
    if (tasksOf(run).length < 2 || (await jobs.version(options)) === '2.0') return { run, hasRepairs };
  }
  try {
    return { run: await jobs.getRun(runId, { ...options, withRepairs: true }), hasRepairs: true };
  } catch (error) {
    if (isAbort(error) || passingKinds.has(toAppError(error).kind)) throw error;
    return { run: await jobs.getRun(runId, options), hasRepairs: false };
  }
}

/**
 * Reads the output of a run (Jobs API 2.0, runs/get-output). If the run has several tasks, whose common output services refuse, returns the
 * output of the task with this key, or of the one that explains the run.
 * @returns the output; its `metadata` is the run itself, never one of its tasks
 * @throws AppError if the output cannot be read
 */
export async function readRunOutput(
  jobs: Pick<JobsClient, 'getRun' | 'getRunOutput'>,
  runId: string,
  { taskKey, ...options }: CallOptions & { readonly taskKey?: string | undefined } = {},
): Promise<RunOutput> {
  let refusal: AppError | undefined;
  if (taskKey === undefined)
    try {
      return await jobs.getRunOutput(runId, options);
    } catch (error) {
      refusal = toAppError(error);
      if (refusal.kind !== 'rejected') throw refusal;
    }
  const run = await jobs.getRun(runId, options);
  const task = taskToShow(run, taskKey);
  if (!task && refusal) throw refusal;
  return { ...(await jobs.getRunOutput(task?.run_id ?? runId, options)), metadata: run };
}
