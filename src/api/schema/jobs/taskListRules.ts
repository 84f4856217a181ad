import { fieldsOf, type Fields } from '../../../shared/fields.ts';
import { parseJson } from '../../../shared/json.ts';
import { l10n } from '../../../shared/l10n.ts';
import { listed } from '../../../shared/text.ts';
import { has, type ReportProblem, type RulePath } from './rule.ts';
import { findCircle, type GraphTask, graphOf, referredParameters, referredTasks, tasksBefore } from './taskGraph.ts';
import { foreignTaskKinds, listedTaskKinds } from './taskKinds.ts';

/** Checks one task without its place in the graph. Its paths are relative to the task. */
type CheckTask = (task: Fields, report: ReportProblem) => void;

/** Maximum tasks per job (Jobs API 2.0, Limits). */
const maxTasks = 100;

/** Checks the rules between the entries of `tasks`, `job_clusters` and `environments` (Jobs API 2.1). */
export function checkTaskList(fields: Fields, report: ReportProblem, checkTask: CheckTask): void {
  const { tasks } = fields;
  if (!Array.isArray(tasks)) return;
  if (tasks.length > maxTasks) {
    report(
      ['tasks'],
      'tooManyTasks',
      l10n.t('{0} tasks are given, but a job has at most {1}. Move some to another job.', tasks.length, maxTasks),
    );
    return;
  }
  for (const [list, key] of keyedLists) checkKeys(fields[list], key, [list], report);
  const unused = ofOneTask.filter((name) => has(fields, name));
  for (const name of tasks.length > 0 ? unused : [])
    report([name], 'besideTasks', l10n.t('{0} has no effect beside tasks. Move it into the tasks.', name), 'warning');
  const graph = graphOf(tasks);
  tasks.forEach((entry: unknown, index) => {
    const task = fieldsOf(entry);
    if (!task) return;
    const atTask = below(report, ['tasks', index]);
    checkEntry(task, fields, atTask, checkTask);
    const repeated = fieldsOf(fieldsOf(task['for_each_task'])?.['task']);
    if (has(repeated, 'for_each_task')) {
      const message = l10n.t('A for_each_task cannot repeat another one. Give it a task of another kind.');
      atTask(['for_each_task', 'task', 'for_each_task'], 'nestedForEach', message);
    } else if (repeated) checkEntry(repeated, fields, below(atTask, ['for_each_task', 'task']), checkTask);
    checkPlace(task, { graph, tasks, parameters: fields['parameters'] }, atTask);
  });
  checkCircle(graph, report);
}

/** Fields of a job with one task of its own; those of a job with several have their own. */
const ofOneTask = ['existing_cluster_id', 'new_cluster', 'libraries', 'max_retries'] as const;

const keyedLists = [
  ['tasks', 'task_key'],
  ['job_clusters', 'job_cluster_key'],
  ['environments', 'environment_key'],
  ['parameters', 'name'],
] as const;

/** Other kinds of task that a server may know. */
const otherKinds = foreignTaskKinds.filter((kind) => !listedTaskKinds.some((known) => known === kind));
const allKinds: readonly string[] = [...listedTaskKinds, ...otherKinds];
const computes = ['existing_cluster_id', 'new_cluster', 'job_cluster_key', 'environment_key'] as const;

function below(report: ReportProblem, place: RulePath): ReportProblem {
  return (path, code, message, severity) => report([...place, ...path], code, message, severity);
}

/** Other tools write placeholders such as `${var.name}`, whose values are not known here. */
const isPlaceholder = (text: string): boolean => text.includes('${');

function checkKeys(list: unknown, name: string, place: RulePath, report: ReportProblem): void {
  if (!Array.isArray(list)) return;
  const seen = new Set<string>();
  list.forEach((entry: unknown, index) => {
    const key = fieldsOf(entry)?.[name];
    if (typeof key !== 'string' || isPlaceholder(key)) return;
    if (seen.has(key))
      report([...place, index, name], 'duplicateEntry', l10n.t('{0} {1} is given twice. Rename one.', name, key));
    seen.add(key);
  });
}

/** Checks a task by itself, and what it uses of the job. */
function checkEntry(task: Fields, job: Fields, report: ReportProblem, checkTask: CheckTask): void {
  const kinds = allKinds.filter((kind) => has(task, kind));
  if (kinds.length > 1)
    report(
      [kinds[1] ?? ''],
      'oneTask',
      l10n.t('{0} are given, but a task has one kind. Keep one of them.', listed(kinds)),
    );
  else if (kinds.length === 0 && !Object.keys(task).some((name) => name.endsWith('_task')))
    report([], 'noTask', l10n.t('The task has nothing to run. Add one of {0}.', listed(listedTaskKinds)));
  const foreign = otherKinds.find((kind) => has(task, kind));
  if (foreign !== undefined)
    report([foreign], 'foreignTask', l10n.t('The local service cannot run a {0}.', foreign), 'warning');
  const given = computes.filter((name) => has(task, name));
  if (given.length > 1)
    report(
      [given[1] ?? ''],
      'oneCluster',
      l10n.t('{0} are given, but a task uses one of them. Keep one.', listed(given)),
    );
  checkUse(task, 'job_cluster_key', job['job_clusters'], 'job_clusters', report);
  checkUse(task, 'environment_key', job['environments'], 'environments', report);
  const wheel = fieldsOf(task['python_wheel_task']);
  if (has(wheel, 'parameters') && has(wheel, 'named_parameters'))
    report(
      ['python_wheel_task', 'named_parameters'],
      'oneParameterKind',
      l10n.t('parameters and named_parameters are given, but a task takes one of them. Remove one.'),
      'warning',
    );
  const inputs = fieldsOf(task['for_each_task'])?.['inputs'];
  if (typeof inputs === 'string' && inputs !== '' && !/\{\{|\$\{/.test(inputs) && !isJsonList(inputs))
    report(
      ['for_each_task', 'inputs'],
      'noInputs',
      l10n.t('inputs is not a JSON array, such as ["a", "b"], and no reference to one. Every run fails.'),
      'warning',
    );
  checkTask(task, report);
}

function isJsonList(text: string): boolean {
  try {
    return Array.isArray(parseJson(text));
  } catch {
    return false;
  }
}

function checkUse(task: Fields, name: string, list: unknown, listName: string, report: ReportProblem): void {
  const key = task[name];
  if (typeof key !== 'string' || key === '' || isPlaceholder(key)) return;
  const keys = (Array.isArray(list) ? list : []).map((entry: unknown) => fieldsOf(entry)?.[name]);
  if (!keys.includes(key))
    report([name], 'unknownKey', l10n.t('{0} is not in {1}. Add it there, or correct the key.', key, listName));
}

interface Place {
  readonly graph: readonly GraphTask[];
  readonly tasks: readonly unknown[];
  /** Parameters of the job, right or wrong. */
  readonly parameters: unknown;
}

/** Checks what a task waits for and refers to. */
function checkPlace(task: Fields, { graph, tasks, parameters }: Place, report: ReportProblem): void {
  const own = String(task['task_key']);
  const isKnown = (key: string): boolean => isPlaceholder(key) || graph.some((other) => other.key === key);
  checkDependencies(task, { graph, tasks }, report);
  const before = tasksBefore(graph, own);
  const declared = (Array.isArray(parameters) ? parameters : []).map((entry: unknown) =>
    String(fieldsOf(entry)?.['name']),
  );
  const areDeclared =
    !has({ parameters }, 'parameters') || (Array.isArray(parameters) && !declared.some(isPlaceholder));
  for (const { path, text } of textsOf(task, [])) {
    for (const key of referredTasks(text)) {
      if (before.has(key)) continue;
      const message = isKnown(key)
        ? l10n.t('The task {0} does not end before this one starts. Add it to depends_on.', key)
        : l10n.t('No task of the job has the key {0}.', key);
      report(path, 'taskNotBefore', message);
    }
    const missing = referredParameters(text).find((name) => areDeclared && !declared.includes(name));
    if (missing !== undefined) {
      const message = l10n.t('The job has no parameter {0}. Add it to its parameters.', missing);
      report(path, 'unknownParameter', message, 'warning');
    }
    if (
      !(path[0] === 'for_each_task' && path[1] === 'task') &&
      /\{\{\s*input(?:\.(?:[\w.-]|`[^`{}]+`)+)?\s*\}\}/.test(text)
    ) {
      const message = l10n.t('Only the task of a for_each_task has an input, so this is not replaced.');
      report(path, 'noInput', message, 'warning');
    }
  }
}

function checkDependencies(
  task: Fields,
  { graph, tasks }: Pick<Place, 'graph' | 'tasks'>,
  report: ReportProblem,
): void {
  const dependencies: unknown[] = Array.isArray(task['depends_on']) ? task['depends_on'] : [];
  const seen = new Set<string>();
  for (const [index, each] of dependencies.entries()) {
    const key = fieldsOf(each)?.['task_key'];
    if (typeof key !== 'string' || key === '' || isPlaceholder(key)) continue;
    const place: RulePath = ['depends_on', index];
    const other = graph.find((one) => one.key === key);
    if (!other) report([...place, 'task_key'], 'unknownKey', l10n.t('No task of the job has the key {0}.', key));
    else if (has(fieldsOf(each), 'outcome') && isNoCondition(fieldsOf(tasks[other.index])))
      report(
        [...place, 'outcome'],
        'noOutcome',
        l10n.t('The task {0} has no outcome, because it is no condition_task. Remove outcome.', key),
        'warning',
      );
    // A condition can be waited for with each of its outcomes.
    const both = `${key} ${String(fieldsOf(each)?.['outcome'])}`;
    if (seen.has(both))
      report(
        [...place, 'task_key'],
        'duplicateEntry',
        l10n.t('{0} is in depends_on twice. Remove one.', key),
        'warning',
      );
    seen.add(both);
  }
}

function isNoCondition(task: Fields | undefined): boolean {
  return !has(task, 'condition_task') && allKinds.some((kind) => has(task, kind));
}

function* textsOf(value: unknown, path: RulePath): Generator<{ path: RulePath; text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  else if (Array.isArray(value)) for (const [index, each] of value.entries()) yield* textsOf(each, [...path, index]);
  else for (const [name, each] of Object.entries(fieldsOf(value) ?? {})) yield* textsOf(each, [...path, name]);
}

function checkCircle(graph: readonly GraphTask[], report: ReportProblem): void {
  const circle = findCircle(graph);
  const task = graph.find(({ key }) => key === circle?.[0]);
  if (!circle || !task) return;
  report(
    ['tasks', task.index, 'depends_on'],
    'circle',
    circle.length === 1
      ? l10n.t('The task {0} depends on itself. Remove it from depends_on.', task.key)
      : l10n.t('The tasks {0} wait for each other. Remove one of their dependencies.', listed(circle)),
  );
}
