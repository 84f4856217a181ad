import { fieldsOf, type Fields } from '../../../shared/fields.ts';

/** Results of the tasks before it with which a task runs (Jobs API 2.1, RunIf). */
export const runConditions = [
  'ALL_SUCCESS',
  'ALL_DONE',
  'NONE_FAILED',
  'AT_LEAST_ONE_SUCCESS',
  'ALL_FAILED',
  'AT_LEAST_ONE_FAILED',
] as const;
export type RunCondition = (typeof runConditions)[number];

/** An entry of `tasks` as a node of the graph. */
export interface GraphTask {
  readonly key: string;
  /** Keys in `depends_on`. */
  readonly after: readonly string[];
  /** Index in `tasks`. */
  readonly index: number;
}

/** Returns the nodes of the graph of unchecked settings. Entries without a key are left out. */
export function graphOf(tasks: unknown): GraphTask[] {
  if (!Array.isArray(tasks)) return [];
  return tasks.flatMap((entry: unknown, index) => {
    const task = fieldsOf(entry);
    const key = task?.['task_key'];
    return typeof key === 'string' && key !== '' ? [{ key, after: dependenciesOf(task), index }] : [];
  });
}

function dependenciesOf(task: Fields | undefined): string[] {
  const list = task?.['depends_on'];
  if (!Array.isArray(list)) return [];
  return list.flatMap((each: unknown) => {
    const key = fieldsOf(each)?.['task_key'];
    return typeof key === 'string' ? [key] : [];
  });
}

/** Returns the keys of all tasks that the task waits for, directly or through others. In a circle, these include its own key. */
export function tasksBefore(graph: readonly GraphTask[], key: string): ReadonlySet<string> {
  const nodes = new Map(graph.map((task) => [task.key, task]));
  return reach(key, (at) => nodes.get(at)?.after ?? []);
}

/** Returns the keys of all tasks that wait for the task, directly or through others. */
export function tasksAfter(graph: readonly GraphTask[], key: string): ReadonlySet<string> {
  return reach(key, (at) => graph.filter(({ after }) => after.includes(at)).map((task) => task.key));
}

function reach(start: string, next: (key: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...next(start)];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (found.has(key)) continue;
    found.add(key);
    waiting.push(...next(key));
  }
  return found;
}

/** Returns the keys of tasks that wait for each other in a cycle, each before the task it waits for, or `undefined` if there is no cycle. */
export function findCircle(graph: readonly GraphTask[]): string[] | undefined {
  const nodes = new Map(graph.map((task) => [task.key, task]));
  const done = new Set<string>();
  for (const { key } of graph) {
    const circle = circleFrom(key, []);
    if (circle) return circle;
  }
  return undefined;

  function circleFrom(key: string, path: readonly string[]): string[] | undefined {
    if (path.includes(key)) return path.slice(path.indexOf(key));
    if (done.has(key)) return undefined;
    for (const before of nodes.get(key)?.after ?? []) {
      const circle = circleFrom(before, [...path, key]);
      if (circle) return circle;
    }
    done.add(key);
    return undefined;
  }
}

/** Returns the keys of the tasks that a text refers to, as `{{tasks.KEY.values.NAME}}` or `{{tasks.KEY.result_state}}`. */
export function referredTasks(text: string): string[] {
  return [...text.matchAll(/\{\{\s*tasks\.`?([\w-]+)`?\.(?:[\w.-]|`[^`{}]+`)+\s*\}\}/g)].map((match) => match[1] ?? '');
}

/** Returns the names of the job's parameters that a text refers to, as `{{job.parameters.NAME}}`. */
export function referredParameters(text: string): string[] {
  return [...text.matchAll(/\{\{\s*job\.parameters\.`?([\w.-]+)`?\s*\}\}/g)].map((match) => match[1] ?? '');
}
