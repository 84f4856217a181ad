/** The task kinds without their schemas, for code that only tells them apart and must load quickly. */

/** The task kinds in the document's order; a job has one of them (Jobs API 2.0, JobTask). */
export const taskKinds = [
  'notebook_task',
  'spark_jar_task',
  'spark_python_task',
  'spark_submit_task',
  'pipeline_task',
  'run_job_task',
] as const;
/** The kinds of an entry of `tasks` that the local service runs: those of 2.0 and three of version 2.1. */
export const listedTaskKinds = [...taskKinds, 'python_wheel_task', 'condition_task', 'for_each_task'] as const;
/** Task kinds of later versions. A job without `tasks` cannot have them. */
export const foreignTaskKinds = [
  'python_wheel_task',
  'sql_task',
  'dbt_task',
  'condition_task',
  'for_each_task',
  'dashboard_task',
  'clean_rooms_notebook_task',
  'power_bi_task',
  'gen_ai_compute_task',
  'shell_command_task',
] as const;
export type TaskKind = (typeof taskKinds)[number];
export type ListedTaskKind = (typeof listedTaskKinds)[number];

export const runParameterKinds = ['jar_params', 'notebook_params', 'python_params', 'spark_submit_params'] as const;
export type RunParameterKind = (typeof runParameterKinds)[number];

/** Run-now parameter kind of each task kind; the other task kinds take none. */
export const parameterKindOfTask: Readonly<Partial<Record<TaskKind, RunParameterKind>>> = {
  notebook_task: 'notebook_params',
  spark_jar_task: 'jar_params',
  spark_python_task: 'python_params',
  spark_submit_task: 'spark_submit_params',
};

/** Returns the task kind of a job or run, or `undefined` if this version knows none of its kinds. */
export function taskKindOf(task: Partial<Record<TaskKind, unknown>> | undefined): TaskKind | undefined {
  return taskKinds.find((kind) => task?.[kind] !== undefined && task[kind] !== null);
}
