import { fieldsOf } from '../../../shared/fields.ts';
import { parseJson } from '../../../shared/json.ts';
import type { Parameters } from '../../conversationEvent.ts';

/** The JSON that an answer was asked to be (Inference API, response_format). */
export interface AskedJson {
  /** Of its schema. */
  readonly name?: string;
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** What an answer was asked to be, by the parameters that it was asked with; undefined if no JSON was asked for. */
export function askedJson(parameters: Parameters | undefined): AskedJson | undefined {
  const format = fieldsOf(parameters?.['response_format']);
  if (format?.['type'] === 'json_object') return {};
  if (format?.['type'] !== 'json_schema') return undefined;
  const given = fieldsOf(format['json_schema']);
  const [name, schema] = [given?.['name'], fieldsOf(given?.['schema'])];
  return { ...(typeof name === 'string' && { name }), ...(schema && { schema }) };
}

/** How a text begins that is JSON and nothing else. */
const beginning = /^\s*(?:\{\s*"|\[\s*["[{])/;
const askedBeginning = /^\s*[[{]/;
const headLength = 200;

/** Whether a text is drawn as code while it arrives, since it looks like JSON. */
export function looksLikeJson(text: string, isAsked: boolean): boolean {
  return (isAsked ? askedBeginning : beginning).test(text.slice(0, headLength));
}

/** Some models put it between marks of code all the same. */
const fenced = /^```(?:json)?\n([^`]*)```$/;

/**
 * The text as JSON, its whole numbers exact, if it is one object or one list and nothing else.
 * @returns undefined if it is not, also if it is nested too deep
 */
export function jsonOf(text: string): { text: string; value: object } | undefined {
  const trimmed = text.trim();
  const json = fenced.exec(trimmed)?.[1] ?? trimmed;
  if (!looksLikeJson(json, true)) return undefined;
  try {
    const value = parseJson(json);
    return typeof value === 'object' && value !== null ? { text: json, value } : undefined;
  } catch {
    return undefined;
  }
}
