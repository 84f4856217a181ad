import type { RunnerParameters, RunnerTask } from './runner.ts';

const reference = /\{\{\s*([A-Za-z_][\w.]*)\s*\}\}/g;

/**
 * A parameter with its dynamic value references (Jobs API 2.0, RunParameters) replaced, each once: a value that
 * looks like a reference itself stays. A name that is not known stays as it was written.
 */
export function substitute(text: string, values: Record<string, string>): string {
  return text.replace(
    reference,
    (written, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined) ?? written,
  );
}

/** The list that is used: the run-now one wherever it is given, even empty, else the task's. */
export function positionalParameters(
  ofTask: readonly string[] | null | undefined,
  ofRun: readonly string[] | null | undefined,
  values: Record<string, string>,
): string[] {
  return (ofRun ?? ofTask ?? []).map((each) => substitute(each, values));
}

/**
 * The notebook's parameters: base parameters with the run-now ones over them (Jobs API 2.0, NotebookTask). What
 * neither sets is left to the notebook's own default.
 */
export function notebookParameters(
  task: NonNullable<RunnerTask['notebook_task']>,
  parameters: RunnerParameters,
  values: Record<string, string>,
): Record<string, string> {
  const merged = { ...task.base_parameters, ...parameters.notebook_params };
  return Object.fromEntries(Object.entries(merged).map(([name, value]) => [name, substitute(value, values)]));
}
