import { type Fields, isFields } from '../../shared/fields.ts';
import { joinPath } from '../../shared/slashPath.ts';
import type { FieldType, LeafType } from '../model/fieldTree.ts';

/** Settings of jobs and tasks that are for the workspace to which a bundle is deployed, such as when a job runs and whom it notifies. */
const ofWorkspace: ReadonlySet<string> = new Set([
  'schedule',
  'trigger',
  'continuous',
  'permissions',
  'run_as',
  'email_notifications',
  'webhook_notifications',
  'notification_settings',
  'health',
  'deployment',
  'edit_mode',
  'queue',
  'git_source',
  'tags',
]);

/** Returns a job with a function applied to itself and to each of its tasks, which can have the same fields. */
function inTasks(job: Fields, change: (task: Fields) => Fields): Fields {
  const { tasks, for_each_task: forEach } = job;
  return change({
    ...job,
    ...(Array.isArray(tasks)
      ? { tasks: tasks.map((task: unknown) => (isFields(task) ? inTasks(task, change) : task)) }
      : {}),
    ...(isFields(forEach) && isFields(forEach['task'])
      ? { for_each_task: { ...forEach, task: inTasks(forEach['task'], change) } }
      : {}),
  });
}

/** Returns the job without what belongs to another workspace. */
export function withoutWorkspace(job: Fields): Fields {
  return inTasks(job, (task) => Object.fromEntries(Object.entries(task).filter(([name]) => !ofWorkspace.has(name))));
}

/**
 * Returns the job with its relative paths made absolute.
 * @param folder workspace path of the folder of the file that has them
 */
export function withPaths(job: Fields, folder: string): Fields {
  const { environments } = job;
  const ofTasks = inTasks(job, (task) => ({
    ...task,
    ...withFile(task, 'notebook_task', 'notebook_path', folder),
    ...withFile(task, 'spark_python_task', 'python_file', folder),
    ...(Array.isArray(task['libraries'])
      ? { libraries: task['libraries'].map((each: unknown) => withLibrary(each, folder)) }
      : {}),
  }));
  if (!Array.isArray(environments)) return ofTasks;
  return { ...ofTasks, environments: environments.map((each: unknown) => withDependencies(each, folder)) };
}

/** Returns the task's part with an absolute path; empty if it has no such part. */
function withFile(task: Fields, name: string, file: string, folder: string): Fields {
  const part = task[name];
  if (!isFields(part)) return {};
  const { source, ...rest } = part;
  // The repository is this workspace, so that its files are here.
  return {
    [name]: { ...rest, ...(file in rest ? { [file]: absolute(rest[file], source === 'GIT' ? '/' : folder) } : {}) },
  };
}

const libraryFiles = ['whl', 'jar', 'egg', 'requirements'] as const;

function withLibrary(library: unknown, folder: string): unknown {
  if (!isFields(library)) return library;
  const files = libraryFiles.filter((kind) => kind in library).map((kind) => [kind, absolute(library[kind], folder)]);
  return { ...library, ...Object.fromEntries(files) };
}

function withDependencies(environment: unknown, folder: string): unknown {
  const spec = isFields(environment) ? environment['spec'] : undefined;
  if (!isFields(environment) || !isFields(spec) || !Array.isArray(spec['dependencies'])) return environment;
  // Other lines are names of packages.
  const dependencies = spec['dependencies'].map((line: unknown) =>
    typeof line === 'string' && /^(?:\.{1,2}\/|[^@]*\.whl$)/.test(line) ? absolute(line, folder) : line,
  );
  return { ...environment, spec: { ...spec, dependencies } };
}

/** Returns a path of the workspace; URIs, absolute paths and references stay. */
function absolute(path: unknown, folder: string): unknown {
  if (typeof path !== 'string' || path === '' || /^(?:\/|\$\{|\{\{|[a-z][a-z0-9+.-]*:)/i.test(path)) return path;
  return joinPath(folder, path);
}

/** The lists of a job whose entries have a key. */
const keys: Readonly<Record<string, string>> = {
  tasks: 'task_key',
  job_clusters: 'job_cluster_key',
  environments: 'environment_key',
  parameters: 'name',
};

/** Returns a job with the settings of its target: mappings and keyed entries are merged, other lists joined, as the command line does. */
export function withTarget(job: Fields, target: Fields): Fields {
  return merged(job, target, (name, one, other) => {
    const key = keys[name];
    return key === undefined ? [...one, ...other] : mergedByKey(one, other, key);
  });
}

type MergeLists = (name: string, one: readonly unknown[], other: readonly unknown[]) => readonly unknown[];

const joined: MergeLists = (_, one, other) => [...one, ...other];

function merged(one: Fields, other: Fields, lists: MergeLists): Fields {
  const changed = Object.entries(other).map(([name, value]) => {
    const before = one[name];
    if (isFields(before) && isFields(value)) return [name, merged(before, value, joined)];
    if (Array.isArray(before) && Array.isArray(value)) return [name, lists(name, before, value)];
    return [name, value ?? before];
  });
  return { ...one, ...Object.fromEntries(changed) };
}

function mergedByKey(one: readonly unknown[], other: readonly unknown[], key: string): readonly unknown[] {
  const result = [...one];
  for (const entry of other) {
    const index = result.findIndex((before) => isFields(before) && isFields(entry) && before[key] === entry[key]);
    const before = result[index];
    if (isFields(before) && isFields(entry)) result[index] = merged(before, entry, joined);
    else result.push(entry);
  }
  return result;
}

/** Returns a value with numbers, booleans and texts as the type needs them; what cannot be converted stays. */
export function converted(value: unknown, type: FieldType): unknown {
  if (type.kind === 'leaf') return convertedLeaf(value, type);
  if (Array.isArray(value)) return type.kind === 'list' ? value.map((item) => converted(item, type.element)) : value;
  if (!isFields(value) || type.kind === 'list') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const inside = type.kind === 'map' ? type.value : type.fields.get(name)?.type;
      return [name, inside ? converted(inner, inside) : inner];
    }),
  );
}

function convertedLeaf(value: unknown, { type }: LeafType): unknown {
  if (typeof value === 'string') {
    if (type === 'integer' && /^[-+]?[0-9]{1,15}$/.test(value)) return Number(value);
    if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  }
  const isText = type === 'text' || type === 'choice';
  return isText && ['number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : value;
}
