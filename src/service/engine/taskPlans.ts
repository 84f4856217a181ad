import { joinMembers, rawElements, rawMembers } from '../store/rawJson.ts';
import type { RunPlan } from '../store/runRecord.ts';

/** What a task's run is started with. */
export interface TaskPlan extends RunPlan {
  readonly key: string;
}

type Members = Map<string, string>;

/** Members of an object; none if the text is absent or null. */
const membersOf = (text: string | undefined): Members => (text?.startsWith('{') ? rawMembers(text) : new Map());
const elementsOf = (text: string | undefined): string[] => (text?.startsWith('[') ? rawElements(text) : []);
const textOf = (text: string | undefined): string => String(JSON.parse(text ?? '""'));

/**
 * Returns the plans of the runs of a job's tasks: their own settings, with the clusters and environments of the job that they name.
 * @param plan of the run of the job
 */
export function plansOfTasks(plan: RunPlan): TaskPlan[] {
  const job = rawMembers(plan.settings);
  const given = rawMembers(plan.parameters);
  const only = elementsOf(given.get('only')).map(textOf);
  const parameters = parametersOfTasks(job, given);
  return [...writtenTasks(plan.settings)]
    .filter(([key]) => only.length === 0 || only.includes(key))
    .map(([key, text]) => ({ key, settings: settingsOf(text, job), parameters }));
}

/** Returns the plans of the runs of a for-each task, one for each input, a JSON text. The task's settings hold its job's clusters already. */
export function plansOfInputs(plan: RunPlan, inputs: readonly string[]): TaskPlan[] {
  const nested = membersOf(membersOf(rawMembers(plan.settings).get('for_each_task')).get('task'));
  const given = rawMembers(plan.parameters);
  const [key, settings] = [textOf(nested.get('task_key')), withoutPlace(nested)];
  return inputs.map((input, index) => ({
    key: `${key}_${index}`,
    settings,
    parameters: joinMembers([...given, ['input', input]]),
  }));
}

/** Returns the texts of the entries of `tasks` by their keys. */
export function writtenTasks(settings: string): Map<string, string> {
  return new Map(
    elementsOf(rawMembers(settings).get('tasks')).map((text) => [textOf(rawMembers(text).get('task_key')), text]),
  );
}

/** Fields of a task that concern only its place in the graph. */
const placeFields = ['task_key', 'description', 'depends_on', 'run_if'];

function withoutPlace(members: Members): string {
  return joinMembers([...members].filter(([name]) => !placeFields.includes(name)));
}

function settingsOf(task: string, job: Members): string {
  const members = withJobParts(rawMembers(task), job);
  const forEach = membersOf(members.get('for_each_task'));
  if (forEach.size > 0) {
    forEach.set('task', joinMembers(withJobParts(membersOf(forEach.get('task')), job)));
    members.set('for_each_task', joinMembers(forEach));
  }
  return withoutPlace(members);
}

/** Puts what the task names by a key in its place. */
function withJobParts(task: Members, job: Members): Members {
  const cluster = partOf(task, 'job_cluster_key', job.get('job_clusters'))?.get('new_cluster');
  if (cluster !== undefined) task.set('new_cluster', cluster);
  const spec = membersOf(partOf(task, 'environment_key', job.get('environments'))?.get('spec'));
  const libraries = elementsOf(spec.get('dependencies')).map(libraryOfLine);
  if (libraries.length > 0)
    task.set('libraries', `[${[...elementsOf(task.get('libraries')), ...libraries].join(',')}]`);
  return task;
}

function partOf(task: Members, key: string, list: string | undefined): Members | undefined {
  const wanted = task.get(key);
  return elementsOf(list)
    .map(rawMembers)
    .find((entry) => wanted !== undefined && entry.get(key) === wanted);
}

/** Returns a line of a pip requirements file as a library: a wheel by its path, or what pip finds in its index. */
function libraryOfLine(line: string): string {
  const text = textOf(line).trim();
  return JSON.stringify(/^[^@]*\.whl$/.test(text) ? { whl: text } : { pypi: { package: text } });
}

/** Returns the parameters of the run with the values of all parameters of its job. */
function parametersOfTasks(job: Members, given: Members): string {
  const values: Members = new Map();
  for (const entry of elementsOf(job.get('parameters')).map(rawMembers))
    values.set(textOf(entry.get('name')), entry.get('default') ?? '""');
  for (const [name, value] of membersOf(given.get('job_parameters'))) if (value !== 'null') values.set(name, value);
  const rest = [...given].filter(([name]) => name !== 'only' && name !== 'job_parameters');
  return joinMembers(values.size === 0 ? rest : [...rest, ['job_parameters', joinMembers(values)]]);
}
