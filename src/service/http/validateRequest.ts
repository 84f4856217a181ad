import type * as z from 'zod';
import { decodeChecked, formatProblems } from '../../api/schema/problems.ts';
import { type Fields, isFields } from '../../shared/fields.ts';
import { parseJson } from '../../shared/json.ts';
import { endOfString, skipSpace } from '../../shared/jsonText.ts';
import { shortened } from '../../shared/shortened.ts';
import { ApiError, invalidParameter } from '../base/apiError.ts';
import { deepestNesting, nestedTooDeep } from '../base/requestWithoutNulls.ts';
import { yieldIfLarge } from '../base/yieldIfLarge.ts';

/**
 * Values and names that a request may hold, a limit of ours: 10 MB of the shortest ones would keep all other requests
 * waiting for seconds.
 */
const maxValues = 10_000;
/** No real number is longer, and the time to parse one grows faster than its length. */
const maxDigits = 100;

/** Strings, and characters of numbers, names of values and colons, between which no commas stand. */
const maxWords = 20 * maxValues;

const [space, quote, comma, openBracket, closeBracket, openBrace, closeBrace] = [32, 34, 44, 91, 93, 123, 125];

/** @throws ApiError 400 if the text is not a JSON object, or one of too many parts; an empty one counts as `{}` */
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

/**
 * Looks only at what stands between strings, so it takes a few milliseconds for the longest request.
 * @throws ApiError 400 if the request has more parts, or more levels, than it may
 */
function checkParts(text: string): void {
  if (text.length <= deepestNesting) return;
  let parts = 0;
  let depth = 0;
  let words = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at) - 1;
      words += 1;
    } else if (code <= space) at = skipSpace(text, at) - 1;
    else if (code === comma) parts += 1;
    else if (code === openBracket || code === openBrace) {
      parts += 1;
      depth += 1;
    } else if (code === closeBracket || code === closeBrace) depth -= 1;
    else if (isDigit(code)) {
      const end = endOfDigits(text, at);
      if (end - at > maxDigits)
        throw invalidParameter(
          `The request holds a number of more than ${maxDigits.toLocaleString('en')} digits. Nothing was done. Send it as text.`,
        );
      at = end - 1;
    } else words += 1;
    if (depth > deepestNesting) throw nestedTooDeep();
    if (parts > maxValues)
      throw invalidParameter(
        `The request holds more than ${maxValues.toLocaleString('en')} values. Nothing was done. Pass long lists through a file.`,
      );
    // No JSON, as its parser finds out at once: too much stands between two commas, or more is closed than was opened.
    if (depth < 0 || words > maxWords) return;
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/** A text of the request, short enough for a message. */
export function shortenedValue(text: string): string {
  return shortened(text, 100);
}

const wholeNumber = /^[+-]?[0-9]{1,9}$/;

/** Query parameters, all of which are text, as the values the schemas know. Ids stay text. */
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
