import * as z from 'zod';
import { decodeChecked, formatProblems } from '../../api/schema/problems.ts';
import { type Fields, isFields } from '../../shared/fields.ts';
import { parseJson } from '../../shared/json.ts';
import { excessOf } from '../../shared/jsonExtent.ts';
import { skipSpace } from '../../shared/jsonText.ts';
import { shortened } from '../../shared/text.ts';
import { ApiError, invalidParameter } from '../base/apiError.ts';
import { deepestNesting, nestedTooDeep, yieldIfLarge } from '../base/requestWithoutNulls.ts';

/**
 * Maximum number of values and names in a request. This limit is ours: 10 MB of the shortest ones would block all other requests for
 * seconds.
 */
const maxValues = 10_000;
/** No real number is longer, and parsing one takes more than linear time. */
const maxDigits = 100;

/** @throws ApiError 400 if the text is not a JSON object or has too many values; an empty text counts as `{}` */
export async function parseObject(text: string): Promise<Fields> {
  if (skipSpace(text, 0) === text.length) return {};
  checkParts(text);
  await yieldIfLarge(text);
  const value = parseBody(text);
  if (!isFields(value)) {
    throw new ApiError(400, 'MALFORMED_REQUEST', 'The request body is not a JSON object. Nothing was done.');
  }
  return value;
}

/** @throws ApiError 400 if the text is not JSON */
export function parseBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new ApiError(
      400,
      'MALFORMED_REQUEST',
      `The request body is not JSON: ${(error as Error).message}. Nothing was done.`,
      { cause: error },
    );
  }
}

/** @throws ApiError 400 if the request has too many values or levels */
function checkParts(text: string): void {
  // Skips the root: only nested values are counted.
  switch (excessOf(text, { maxValues: maxValues + 1, maxDepth: deepestNesting, maxDigits })) {
    case 'digits':
      throw invalidParameter(
        `The request contains a number of more than ${maxDigits} digits. Nothing was done. Send it as text.`,
      );
    case 'depth':
      throw nestedTooDeep();
    case 'values':
      throw invalidParameter(
        `The request contains more than ${maxValues.toLocaleString('en')} values. Nothing was done. Pass long lists through a file.`,
      );
    case undefined:
  }
}

/** Shortens a text of the request for a message. */
export function shortenedValue(text: string): string {
  return shortened(text, 100);
}

/** Returns the query parameters that have a value, as texts. */
export function queryFields(parameters: URLSearchParams): Record<string, unknown> {
  return Object.fromEntries([...parameters].filter(([name, text]) => text !== '' && name !== '__proto__'));
}

/**
 * Decodes the request with its route's schema.
 * @throws ApiError INVALID_PARAMETER_VALUE that names each broken rule, its place and what is allowed
 */
export function decodeRequest<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const checked = decodeChecked(schema, value);
  if (checked.ok) return checked.value;
  throw invalidParameter(`${formatProblems(checked.problems, 10)} Nothing was done.`);
}

/**
 * Returns the request with numbers and booleans where it has them as text, as some clients send them all; `undefined` if it has none. IDs
 * stay text.
 */
export function withTypedTexts(schema: z.ZodType, fields: Fields): Fields | undefined {
  const issues = z.safeDecode(schema, fields).error?.issues.filter((issue) => issue.code === 'invalid_type');
  if (!issues?.length) return undefined;
  const changed = structuredClone(fields);
  let isChanged = false;
  for (const { path, expected } of issues) {
    let parent: Record<PropertyKey, unknown> = changed;
    for (const key of path.slice(0, -1)) parent = parent[key] as typeof parent;
    const key = path.at(-1) ?? '';
    const value = typedText(parent[key], expected);
    if (value === undefined) continue;
    parent[key] = value;
    isChanged = true;
  }
  return isChanged ? changed : undefined;
}

function typedText(text: unknown, expected: string): number | boolean | undefined {
  if (typeof text !== 'string') return undefined;
  if (expected === 'boolean') return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined;
  return (expected === 'number' || expected === 'int') && /^[+-]?[0-9]{1,10}$/.test(text) ? Number(text) : undefined;
}
