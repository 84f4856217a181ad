import { type GraphTask, graphOf } from '../../api/schema/jobs/taskGraph.ts';
import { isBundle, itemsOf, jobPaths } from '../model/settingsRoot.ts';
import { findPath, type JobDocument } from '../yaml/document.ts';
import type { YamlNode, YamlPath } from '../yaml/jobDocument.ts';
import { fieldOf, nodeValue } from '../yaml/nodeValue.ts';
import type { TextRange } from '../yaml/textRange.ts';

/** The lists of a job whose entries the rest of the job refers to, each with the field that holds the name (Jobs API 2.1). */
const lists = {
  tasks: 'task_key',
  job_clusters: 'job_cluster_key',
  environments: 'environment_key',
  parameters: 'name',
} as const;

/** A place in a file with the name of a task, a shared cluster, an environment or a parameter. */
export interface NamePlace extends TextRange {
  readonly list: keyof typeof lists;
  readonly name: string;
  /** Whether the entry itself has its name here; elsewhere the name refers to it. */
  readonly isEntry: boolean;
}

/** Returns the places of all names in the job at an offset, in document order; of none if there is no job. */
export function namesAt({ root, text }: JobDocument, offset: number): readonly NamePlace[] {
  const places: NamePlace[] = [];
  visit(jobAt(root, offset), []);
  return places;

  function visit(node: YamlNode | undefined, path: YamlPath): void {
    if (node?.kind === 'map') for (const { key, value } of node.entries) visit(value, [...path, key.name]);
    if (node?.kind === 'seq') for (const [index, item] of node.items.entries()) visit(item, [...path, index]);
    if (node?.kind !== 'scalar' || typeof node.value !== 'string') return;
    const list = listNamed(path);
    const start = text.indexOf(node.value, node.start);
    if (list !== undefined && start >= 0 && start < node.end)
      places.push({ list, name: node.value, start, end: start + node.value.length, isEntry: isEntry(path, list) });
    for (const { 0: whole, 1: task, 2: parameter, index } of text.slice(node.start, node.end).matchAll(reference)) {
      const name = task ?? parameter ?? '';
      const at = node.start + index + whole.lastIndexOf(name);
      places.push({
        list: task === undefined ? 'parameters' : 'tasks',
        name,
        start: at,
        end: at + name.length,
        isEntry: false,
      });
    }
  }
}

/** Returns the settings of the job at an offset; the first job of the file lasts from its start. */
function jobAt(root: YamlNode | null, offset: number): YamlNode | undefined {
  return jobPaths(root)
    .flatMap((path) => findPath(root, path)?.node ?? [])
    .findLast((node, index) => index === 0 || node.start <= offset);
}

/** The tasks of a job as a graph. */
export interface JobGraph {
  readonly tasks: readonly GraphTask[];
  /** Key of the task at the cursor. */
  readonly shown?: string;
}

/** Returns the graph of the job at an offset; it has no tasks if the job has no list of them. */
export function graphAt({ root }: JobDocument, offset: number): JobGraph {
  const list = fieldOf(jobAt(root, offset), 'tasks')?.value;
  const tasks = graphOf(nodeValue(list ?? null).value);
  const index = list && offset <= list.end ? itemsOf(list).findLastIndex(({ start }) => start <= offset) : -1;
  return { tasks, shown: tasks.find((task) => task.index === index)?.key };
}

/** The start of a reference to a task or to a parameter of the job, up to the end of the name. */
const reference =
  /\{\{\s{0,9}(?:tasks\.`?([\w-]{1,100})(?=`?\.)|job\.parameters\.(?:`(?=[^`]{0,200}`))?([\w.-]{1,200})(?=`|\s*\}\}|$))/g;

function isEntry(path: YamlPath, list: keyof typeof lists): boolean {
  return path.length === 3 && path[0] === list && path[2] === lists[list];
}

/** Returns the list whose names a field holds. */
function listNamed(path: YamlPath): keyof typeof lists | undefined {
  const field = path.at(-1);
  const found = (Object.keys(lists) as (keyof typeof lists)[]).find((list) => lists[list] === field);
  if (found === undefined || isEntry(path, found)) return found;
  if (path[0] !== 'tasks' || found === 'parameters') return undefined;
  return found !== 'tasks' || path.at(-3) === 'depends_on' ? found : undefined;
}

interface TaskPlace extends NamePlace {
  /** Whether the task is of a kind that the local service can debug. */
  readonly isDebuggable: boolean;
}

/** The list of tasks of one job in the file. */
export interface TaskList {
  /** The key `tasks`. */
  readonly key: TextRange;
  /** The places of the tasks' keys. */
  readonly tasks: readonly TaskPlace[];
  /** The key of the job in a bundle's file. */
  readonly jobKey?: string;
}

/** Returns the list of each job that has several tasks. */
export function taskLists(document: JobDocument): readonly TaskList[] {
  return jobPaths(document.root).flatMap((path) => {
    const { key, node } = findPath(document.root, [...path, 'tasks']) ?? {};
    const names = key ? namesAt(document, key.start) : [];
    const tasks = names
      .filter(({ list, isEntry: isTask }) => list === 'tasks' && isTask)
      .map((place): TaskPlace => {
        const task = itemsOf(node).findLast(({ start }) => start <= place.start);
        return { ...place, isDebuggable: ['notebook_task', 'spark_python_task'].some((kind) => fieldOf(task, kind)) };
      });
    if (!key || tasks.length < 2) return [];
    return [{ key, tasks, ...(isBundle(document.root) ? { jobKey: String(path.at(-1)) } : {}) }];
  });
}

/** Returns the places of the name at an offset, its entry first. */
export function placesOf(document: JobDocument, offset: number): readonly NamePlace[] {
  const all = namesAt(document, offset);
  const at = all.find(({ start, end }) => offset >= start && offset <= end);
  const same = all.filter(({ list, name }) => list === at?.list && name === at.name);
  return same.toSorted((one, other) => Number(other.isEntry) - Number(one.isEntry));
}
