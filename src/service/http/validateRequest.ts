import type * as z from 'zod';
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

const wholeNumber = /^[+-]?[0-9]{1,9}$/;

/** Converts query parameters, which are texts, to the values that the schemas expect. IDs stay text. */
export function queryFields(parameters: URLSearchParams): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, text] of parameters) {
    if (text === '' || name === '__proto__') continue;
    if (/^(true|false)$/i.test(text)) fields[name] = text.toLowerCase() === 'true';
    else if ((name === 'limit' || name === 'offset') && wholeNumber.test(text)) fields[name] = Number(text);
    else fields[name] = text;
  }
  return fields;
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
