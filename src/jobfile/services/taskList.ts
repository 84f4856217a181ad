import { foreignTaskKinds, taskKinds } from '../../api/schema/jobs/taskKinds.ts';
import { fieldsOf } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { sameJson } from '../../shared/sameJson.ts';
import { listed } from '../../shared/text.ts';

/** A job with a list of tasks, as in version 2.1 of the API. */
export type ListedSettings = Readonly<Record<string, unknown>>;

/** A single-task job that does the same as a task of a list, or the reason why there is none. */
export type SingleTask =
  | {
      readonly settings: ListedSettings;
      /** The fields of the task that move to the job. */
      readonly moved: readonly string[];
      /** Index of the task's shared cluster in `job_clusters`. */
      readonly sharedCluster?: number;
    }
  | { readonly why: string };

/** Fields of a job that exist only for its list of tasks. */
export const listFields: readonly string[] = ['tasks', 'job_clusters', 'format'];

/** Fields of a task that have a meaning only in a list. */
const taskFields = new Set(['task_key', 'depends_on', 'run_if', 'job_cluster_key']);

export function tasksOf(settings: ListedSettings): readonly unknown[] {
  const tasks = settings['tasks'];
  return Array.isArray(tasks) ? tasks : [];
}

/** Returns whether a task of the list depends on another: jobs of version 2.0 cannot express that. */
export function isOrdered(settings: ListedSettings): boolean {
  return tasksOf(settings).some((task) => isFilled(fieldsOf(task)?.['depends_on']));
}

/** Returns one task of the list as a job of its own, with all settings of the whole job. */
export function singleTask(settings: ListedSettings, index: number): SingleTask {
  const task = fieldsOf(tasksOf(settings)[index]);
  if (!task) return { why: l10n.t('the task is not a mapping of fields') };
  const key = taskKey(settings, index);
  const foreign = foreignTaskKinds.find((kind) => isGiven(task[kind]));
  if (foreign !== undefined)
    return { why: l10n.t('the task {0} is a {1}, which version 2.0 does not have', key, foreign) };
  if (!taskKinds.some((kind) => isGiven(task[kind]))) return { why: l10n.t('the task {0} has nothing to run', key) };
  const own = taskKinds.filter((kind) => isGiven(settings[kind]));
  if (own.length > 0) return { why: l10n.t('the job has {0} in addition to the list', listed(own)) };
  if (isFilled(task['depends_on'])) return { why: l10n.t('the task {0} waits for another task', key) };
  const fields = Object.entries(task).filter(([name, value]) => !taskFields.has(name) && isGiven(value));
  const twice = fields.filter(([name, value]) => isGiven(settings[name]) && !sameJson(settings[name], value));
  if (twice.length > 0)
    return {
      why: l10n.t(
        '{0} is given for the job and, differently, for the task {1}',
        listed(twice.map(([name]) => name)),
        key,
      ),
    };
  const shared = sharedClusterOf(settings, task);
  if (shared?.index === -1)
    return { why: l10n.t('the cluster {0} of the task {1} is not in job_clusters', shared.key, key) };
  const moved = fields.map(([name]) => name).filter((name) => !isGiven(settings[name]));
  const kept = Object.entries(settings).filter(([name]) => !listFields.includes(name));
  return {
    settings: { ...Object.fromEntries(kept), ...Object.fromEntries(fields), ...shared?.fields },
    moved,
    ...(shared ? { sharedCluster: shared.index } : {}),
  };
}

/** Returns the name of a task, for display and for files. */
export function taskKey(settings: ListedSettings, index: number): string {
  const key = fieldsOf(tasksOf(settings)[index])?.['task_key'];
  return typeof key === 'string' && key !== '' ? key : String(index + 1);
}

function sharedClusterOf(
  settings: ListedSettings,
  task: ListedSettings,
): { key: string; index: number; fields: ListedSettings } | undefined {
  const key = task['job_cluster_key'];
  if (typeof key !== 'string') return undefined;
  const clusters = Array.isArray(settings['job_clusters']) ? settings['job_clusters'] : [];
  const index = clusters.findIndex((cluster) => fieldsOf(cluster)?.['job_cluster_key'] === key);
  const found = fieldsOf(fieldsOf(clusters[index])?.['new_cluster']);
  return { key, index: found ? index : -1, fields: { new_cluster: found } };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isFilled(value: unknown): boolean {
  return isGiven(value) && !(Array.isArray(value) && value.length === 0);
}

/** Explains what happens to a list of tasks, and what to do about it. */
export function taskListText(settings: ListedSettings): string {
  const fails = l10n.t('Version 2.0 of the API stores a list of tasks but does not run it: a run of this job fails.');
  const count = tasksOf(settings).length;
  if (count === 1) {
    const single = singleTask(settings, 0);
    return 'why' in single
      ? `${fails} ${l10n.t('Write the single task at the top of the file. There is no quick fix here: {0}.', single.why)}`
      : `${fails} ${l10n.t('Move the single task to the top of the file, as the quick fix does.')}`;
  }
  if (isOrdered(settings))
    return `${fails} ${l10n.t(
      'Make each task a job of its own. There is no quick fix, because their order would be lost: a job has one task, and a run-job task only starts another job.',
    )}`;
  const why = Array.from({ length: count }, (_, index) => singleTask(settings, index)).find((task) => 'why' in task);
  return why && 'why' in why
    ? `${fails} ${l10n.t('Make each task a job of its own. There is no quick fix here: {0}.', why.why)}`
    : `${fails} ${l10n.t('Make each task a job of its own, as the quick fix does. The new jobs do not wait for each other.')}`;
}
