import { fieldsOf } from '../../../shared/fields.ts';
import { parseJson } from '../../../shared/json.ts';
import type { Parameters } from '../../conversationEvent.ts';

/** The JSON format requested for an answer (Inference API, response_format). */
export interface AskedJson {
  /** Name of the schema. */
  readonly name?: string;
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** Returns the JSON format requested by the answer's parameters, or `undefined` if no JSON was requested. */
export function askedJson(parameters: Parameters | undefined): AskedJson | undefined {
  const format = fieldsOf(parameters?.['response_format']);
  if (format?.['type'] === 'json_object') return {};
  if (format?.['type'] !== 'json_schema') return undefined;
  const given = fieldsOf(format['json_schema']);
  const [name, schema] = [given?.['name'], fieldsOf(given?.['schema'])];
  return { ...(typeof name === 'string' && { name }), ...(schema && { schema }) };
}

/** Matches the beginning of a text that is only JSON. */
const beginning = /^\s*(?:\{\s*"|\[\s*["[{])/;
const askedBeginning = /^\s*[[{]/;
const headLength = 200;

/** Returns whether to show a text as code while it arrives, because it looks like JSON. */
export function looksLikeJson(text: string, isAsked: boolean): boolean {
  return (isAsked ? askedBeginning : beginning).test(text.slice(0, headLength));
}

/** Some models put the JSON in a code block anyway. */
const fenced = /^```(?:json)?\n([^`]*)```$/;

/**
 * Parses the text as JSON with exact whole numbers if it is a single object or list.
 * @returns the text and its value, or `undefined` if it is anything else or nested too deeply
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
