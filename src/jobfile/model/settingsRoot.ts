import { foreignTaskKinds, listedTaskKinds } from '../../api/schema/jobs/taskKinds.ts';
import { bundleKeys } from '../../shared/bundleKeys.ts';
import { entryOf } from '../yaml/document.ts';
import { resolved, type YamlNode, type YamlPath } from '../yaml/jobDocument.ts';
import { fieldOf } from '../yaml/nodeValue.ts';
import { settingsType } from './fieldTree.ts';

const wrappers = ['settings', 'new_settings'] as const;

/** Returns whether the file belongs to a bundle, which has its jobs deeper and is deployed by its own command line. */
export function isBundle(root: YamlNode | null): boolean {
  const map = resolved(root ?? undefined);
  if (map?.kind !== 'map') return false;
  // Anchors may have the names of any field.
  const isClear = entryOf(entryOf(map, 'bundle')?.value, 'name') !== undefined || jobsBelow(map, []).length > 0;
  return (isClear && entryOf(map, 'job_id') === undefined) || areBundleKeys(map.entries.map(({ key }) => key.name));
}

/** What only a job has at its top. Files of bundles also have other fields of a job there, for anchors that their jobs share. */
const ofJobAlone: readonly string[] = [...listedTaskKinds, ...foreignTaskKinds, ...wrappers, 'name', 'job_id', 'tasks'];

/** Returns whether these keys at the top of a file are of a bundle, and none is of a job alone. */
export function areBundleKeys(names: readonly string[]): boolean {
  return names.some((name) => bundleKeys.includes(name)) && !names.some((name) => ofJobAlone.includes(name));
}

/**
 * Returns the path of the settings: the whole file, or one field of it if the file holds a job as jobs/get returns it or the body of a
 * jobs/reset. Such files occur in public repositories and are read unchanged.
 */
export function settingsPath(root: YamlNode | null): YamlPath {
  const map = resolved(root ?? undefined);
  if (map?.kind !== 'map') return [];
  const wrapper = wrappers.find((name) => resolved(entryOf(map, name)?.value)?.kind === 'map');
  const isBare = map.entries.some(({ key }) => settingsType.fields.has(key.name));
  return wrapper !== undefined && !isBare ? [wrapper] : [];
}

/** Returns the paths of the settings of each job in the file: one, or those below `resources.jobs` of a bundle. */
export function jobPaths(root: YamlNode | null): readonly YamlPath[] {
  if (!isBundle(root)) return [settingsPath(root)];
  return jobsBelow(root, []);
}

/** Returns the paths of what the targets of a bundle change of its jobs. */
export function targetJobPaths(root: YamlNode | null): readonly YamlPath[] {
  const targets = isBundle(root) ? resolved(entryOf(root, 'targets')?.value) : undefined;
  if (targets?.kind !== 'map') return [];
  return targets.entries.flatMap(({ key, value }) => jobsBelow(value, ['targets', key.name]));
}

function jobsBelow(node: YamlNode | null, path: YamlPath): readonly YamlPath[] {
  const jobs = resolved(entryOf(entryOf(node, 'resources')?.value, 'jobs')?.value);
  if (jobs?.kind !== 'map') return [];
  return jobs.entries
    .filter(({ value }) => value.kind === 'map')
    .map(({ key }): YamlPath => [...path, 'resources', 'jobs', key.name]);
}

/**
 * Returns a path of the file relative to the settings of its job, or `undefined` outside jobs. In a bundle, a target can override the
 * settings of a job.
 */
export function withinJob(path: YamlPath): YamlPath | undefined {
  const [first] = path;
  if (wrappers.some((wrapper) => wrapper === first)) return path.slice(1);
  const [resources, jobs, ...rest] = first === 'targets' ? path.slice(2) : path;
  if (resources !== 'resources') return first === 'targets' ? undefined : path;
  return jobs === 'jobs' && rest.length > 0 ? rest.slice(1) : undefined;
}

/** Returns the settings themselves and each of their tasks, also those that a for-each task repeats: all can have the fields of a task. */
export function tasksIn(settings: YamlNode | undefined): readonly YamlNode[] {
  if (!settings) return [];
  const tasks = itemsOf(fieldOf(settings, 'tasks')?.value);
  const repeated = tasks.flatMap((task) => fieldOf(fieldOf(task, 'for_each_task')?.value, 'task')?.value ?? []);
  return [settings, ...tasks, ...repeated];
}

export function itemsOf(list: YamlNode | undefined): readonly YamlNode[] {
  const node = resolved(list);
  return node?.kind === 'seq' ? node.items : [];
}
