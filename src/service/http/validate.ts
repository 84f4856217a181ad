import type * as z from 'zod';
import { decodeChecked, formatProblems } from '../../api/problems.ts';
import { parseJson } from '../../shared/json.ts';
import { ApiError, invalidParameter } from '../apiError.ts';

/** @throws ApiError 400 where the text is not a JSON object; an empty one counts as `{}` */
export function parseObject(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new ApiError(400, 'MALFORMED_REQUEST', `The request body is not JSON: ${(error as Error).message}. Nothing was done.`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError(400, 'MALFORMED_REQUEST', 'The request body is not a JSON object. Nothing was done.');
  }
  return value as Record<string, unknown>;
}

const wholeNumber = /^[+-]?[0-9]{1,9}$/;

/** Query parameters, where everything is text, as the values the schemas know. Ids stay text. */
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
 * The request as its route's schema decodes it.
 * @throws ApiError INVALID_PARAMETER_VALUE that names each broken rule, its place and what is allowed
 */
export function decodeRequest<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const checked = decodeChecked(schema, value);
  if (checked.ok) return checked.value;
  throw invalidParameter(`${formatProblems(checked.problems, 10)} Nothing was done.`);
}
