import type { RunnerParameters, RunnerTask } from './runner.ts';

/** A part of a name with special characters stands between backticks. */
const reference = /\{\{\s*([A-Za-z_](?:[\w.-]|`[^`{}]+`)*)\s*\}\}/g;

/**
 * Replaces the dynamic value references of a parameter (Jobs API 2.0, RunParameters), each once: a value that looks like a reference stays.
 * An unknown name stays as written.
 */
export function substitute(text: string, values: Record<string, string>): string {
  return text.replace(reference, (written, quoted: string) => {
    const name = quoted.replaceAll('`', '');
    return (Object.hasOwn(values, name) ? values[name] : undefined) ?? written;
  });
}

/** Returns the list to use: the run-now list if given, even if empty, otherwise the task's. */
export function positionalParameters(
  ofTask: readonly string[] | null | undefined,
  ofRun: readonly string[] | null | undefined,
  values: Record<string, string>,
): string[] {
  return (ofRun ?? ofTask ?? []).map((each) => substitute(each, values));
}

/**
 * Returns the notebook's parameters: the base parameters with the run-now parameters over them (Jobs API 2.0, NotebookTask). Other
 * parameters keep the notebook's own default.
 */
export function notebookParameters(
  task: NonNullable<RunnerTask['notebook_task']>,
  parameters: RunnerParameters,
  values: Record<string, string>,
): Record<string, string> {
  const merged = { ...task.base_parameters, ...parameters.notebook_params };
  return Object.fromEntries(Object.entries(merged).map(([name, value]) => [name, substitute(value, values)]));
}
