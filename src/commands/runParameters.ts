import type { JobSettings, JobTask, RunNowRequest, RunParameters } from '../api/schema/jobs/schemas.ts';
import { parameterKindOfTask, taskKindOf, type RunParameterKind } from '../api/schema/jobs/taskKinds.ts';
import type { FieldProblem } from '../api/schema/problems.ts';
import { l10n } from '../shared/l10n.ts';
import { splitWords } from '../shared/splitWords.ts';
import type { Ui, PickItem } from './ui.ts';

/** Parameters of one run: of the only kind that its task reads (Jobs API 2.0, RunParameters), or those of its job (version 2.1). */
export type EditedParameters = Pick<RunParameters, RunParameterKind> & Pick<RunNowRequest, 'job_parameters'>;

/** Returns the parameters of a run of the task, or of the job with parameters, without its own. */
export function defaultParameters(task: Partial<JobTask & JobSettings> | undefined): EditedParameters {
  if (task?.parameters?.length)
    return { job_parameters: Object.fromEntries(task.parameters.map(({ name, default: value }) => [name, value])) };
  const kind = taskKindOf(task);
  switch (kind) {
    case 'notebook_task':
      return { notebook_params: { ...task?.notebook_task?.base_parameters } };
    case 'spark_jar_task':
      return { jar_params: [...(task?.spark_jar_task?.parameters ?? [])] };
    case 'spark_python_task':
      return { python_params: [...(task?.spark_python_task?.parameters ?? [])] };
    case 'spark_submit_task':
      return { spark_submit_params: [...(task?.spark_submit_task?.parameters ?? [])] };
    default:
      return {};
  }
}

/**
 * Lets the user edit the parameters.
 * @returns the parameters, `{}` for a task without any, or `undefined` if the user canceled
 */
export async function editParameters(
  ui: Ui,
  title: string,
  settings: Partial<JobSettings> | undefined,
  start: EditedParameters,
): Promise<EditedParameters | undefined> {
  // Task parameters are refused beside those of the job.
  if (settings?.parameters?.length) {
    const edited = await editMap(ui, title, start.job_parameters ?? {}, { checkValue: () => undefined });
    return edited && { job_parameters: edited };
  }
  const taskKind = taskKindOf(settings);
  const kind = taskKind && parameterKindOfTask[taskKind];
  if (!kind) return {};
  const { runNowRequest } = await import('../api/schema/jobs/operations.ts');
  const { decodeChecked } = await import('../api/schema/problems.ts');
  const problemsOf = (parameters: EditedParameters): readonly FieldProblem[] => {
    const checked = decodeChecked(runNowRequest, { job_id: 1, ...parameters });
    return checked.ok ? [] : checked.problems;
  };
  if (kind === 'notebook_params') {
    const edited = await editMap(ui, title, start.notebook_params ?? {}, {
      mayAdd: true,
      checkValue: checkAscii,
      checkSize: (values) =>
        problemsOf({ notebook_params: values }).find(({ code }) => code === 'parametersTooLarge')?.message,
    });
    return edited && { notebook_params: edited };
  }
  const text = await ui.input({
    title,
    prompt: l10n.t('{0}, separated by spaces (quote values with a space), or a JSON list of texts', kind),
    value: joinWords(start[kind] ?? []),
    validate(value) {
      const read = readParameterList(value);
      return typeof read === 'string' ? read : problemsOf({ [kind]: read })[0]?.message;
    },
  });
  if (text === undefined) return undefined;
  const read = readParameterList(text);
  return typeof read === 'string' ? undefined : { [kind]: read };
}

/**
 * Parses the parameters in a line: words, or a JSON list of texts as in the document (Jobs API 2.0, RunParameters).
 * @returns an error message as a text
 */
export function readParameterList(line: string): string[] | string {
  if (!line.trimStart().startsWith('[')) {
    const { words, openQuote } = splitWords(line);
    return openQuote === undefined ? words : l10n.t('A quotation mark is not closed.');
  }
  let list: unknown;
  try {
    list = JSON.parse(line);
  } catch {
    return l10n.t('This begins like a JSON list but is not one. Quote a word that begins with "[".');
  }
  const isText = (item: unknown): item is string => typeof item === 'string';
  return Array.isArray(list) && list.every(isText)
    ? list
    : l10n.t('Parameters are texts. Put "1" and "true" in quotes.');
}

interface MapRules {
  /** Whether the user may add names. */
  readonly mayAdd?: boolean;
  /** Returns an error for a value, or `undefined`. */
  checkValue(value: string): string | undefined;
  /** Returns an error for the total size of all values; errors in other values do not block fixing this one. */
  checkSize?(values: Record<string, string>): string | undefined;
}

/** Shows one pick list: run, change a value, or add one. It stays open until the user runs or cancels. */
export async function editMap(
  ui: Ui,
  title: string,
  start: Readonly<Record<string, string>>,
  { mayAdd = false, checkValue, checkSize = () => undefined }: MapRules,
): Promise<Record<string, string> | undefined> {
  const values = new Map(Object.entries(start));
  for (;;) {
    const items: PickItem<{ action: 'run' | 'add' } | { action: 'edit'; name: string }>[] = [
      { label: `$(play) ${l10n.t('Run with these parameters')}`, value: { action: 'run' } },
      ...[...values].map(([name, value]) => ({
        label: name,
        description: value,
        value: { action: 'edit' as const, name },
      })),
      ...(mayAdd ? [{ label: `$(add) ${l10n.t('Add parameter…')}`, value: { action: 'add' as const } }] : []),
    ];
    const choice = await ui.pick(title, l10n.t('Choose a parameter to change its value'), items);
    if (!choice) return undefined;
    if (choice.action === 'run') return Object.fromEntries(values);
    const name =
      choice.action === 'edit'
        ? choice.name
        : await ui.input({ title, prompt: l10n.t('Name of the parameter'), validate: checkAscii });
    if (name === undefined || name === '') continue;
    const before = values.get(name) ?? '';
    const validate = (text: string): string | undefined => {
      // Values that were already too large can be shortened one by one.
      const isShorter = values.has(name) && text.length < before.length;
      return checkValue(text) ?? (isShorter ? undefined : checkSize(Object.fromEntries([...values, [name, text]])));
    };
    const value = await ui.input({ title, prompt: l10n.t('Value of {0}', name), value: before, validate });
    if (value !== undefined) values.set(name, value);
  }
}

function checkAscii(value: string): string | undefined {
  const other = [...value].find((character) => (character.codePointAt(0) ?? 0) > 127);
  return other === undefined
    ? undefined
    : l10n.t('Parameters can contain ASCII characters only; "{0}" is not one.', other);
}

/** Returns the line that `splitWords` splits into these words. */
function joinWords(words: readonly string[]): string {
  return words
    .map((word, index) =>
      // A line that starts with a bracket is a list.
      /^[^\s"'\\]+$/.test(word) && !(index === 0 && word.startsWith('['))
        ? word
        : `"${word.replace(/(["\\])/g, '\\$1')}"`,
    )
    .join(' ');
}
