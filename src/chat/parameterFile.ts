import { AppError } from '../shared/errors.ts';
import { isFields } from '../shared/fields.ts';
import { l10n } from '../shared/l10n.ts';
import type { Parameters } from './conversationEvent.ts';

/** Parameters whose values are too long to type: they are loaded from a file. */
export const fileParameters = ['system', 'response_format', 'tools'] as const;
export type FileParameter = (typeof fileParameters)[number];

type Value = Parameters[string];

export interface TextFile {
  /** File name without its folder. */
  readonly name: string;
  readonly text: string;
}

/** A function that a model may call, as listed in a request. */
interface NamedFunction {
  readonly label: string;
  readonly detail: string;
  readonly definition: Value;
}

/** The questions of the editor that a parameter from a file needs. */
interface ParameterPicker {
  pickTextFile(title: string, kind: 'json' | 'md'): Promise<TextFile | undefined>;
  /** Returns the chosen functions, or `undefined` if the user leaves. */
  pickSeveral(title: string, items: readonly NamedFunction[]): Promise<readonly NamedFunction[] | undefined>;
}

/**
 * Returns a parameter from a file that the user chooses; for functions, the user also chooses which ones. Returns `undefined` if the user
 * chooses nothing.
 * @throws AppError if the file does not contain the parameter
 */
export async function pickParameter(name: FileParameter, editor: ParameterPicker): Promise<Value | undefined> {
  const titles = {
    system: l10n.t('File With Instructions'),
    response_format: l10n.t('JSON Schema of the Answer'),
    tools: l10n.t('File With Functions'),
  };
  const file = await editor.pickTextFile(titles[name], name === 'system' ? 'md' : 'json');
  if (!file) return undefined;
  if (name === 'system') return file.text;
  if (name === 'response_format') return responseFormatOf(file);
  const chosen = await editor.pickSeveral(l10n.t('Functions the Model May Call'), functionsOf(file));
  return chosen?.map(({ definition }) => definition);
}

/**
 * Returns the response format from a file that contains a JSON Schema or the format itself.
 * @throws AppError if the file contains neither
 */
export function responseFormatOf({ name, text }: TextFile): Value {
  const given = parsed({ name, text });
  if (!isFields(given)) throw wrong(l10n.t('{0} is not a JSON Schema, which is an object.', name));
  if (given['type'] === 'json_schema' || given['type'] === 'json_object') return given;
  if (typeof given['name'] === 'string' && isFields(given['schema']))
    return { type: 'json_schema', json_schema: given };
  const title = typeof given['title'] === 'string' ? given['title'] : name.replace(/(?:\.schema)?\.json$/i, '');
  return { type: 'json_schema', json_schema: { name: formatName(title), schema: given } };
}

/** Returns a valid format name: services accept only these characters, at most 64. */
function formatName(title: string): string {
  return title.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'answer';
}

/**
 * Returns the functions that a file defines: a list as in a request, with or without the wrapper around each function.
 * @throws AppError if there are none
 */
function functionsOf(file: TextFile): NamedFunction[] {
  const given = parsed(file);
  const list = isFields(given) ? given['tools'] : given;
  const functions = (Array.isArray(list) ? list : []).flatMap((entry) => {
    const definition = isFields(entry) && isFields(entry['function']) ? entry['function'] : entry;
    if (!isFields(definition) || typeof definition['name'] !== 'string') return [];
    const { name: label, description } = definition;
    const detail = typeof description === 'string' ? description : '';
    // A request needs a description, which other tools leave out.
    return [{ label, detail, definition: { type: 'function', function: { description: label, ...definition } } }];
  });
  if (functions.length === 0)
    throw wrong(l10n.t('{0} defines no functions: it must be a list of objects with a name.', file.name));
  return functions;
}

function parsed({ name, text }: TextFile): Value {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as Value;
  } catch (error) {
    throw wrong(l10n.t('{0} is not JSON: {1}', name, error instanceof Error ? error.message : ''));
  }
}

function wrong(message: string): AppError {
  return new AppError('invalid', message, { remedy: l10n.t('Nothing was changed.') });
}
