import type * as z from 'zod';
import { AppError } from '../../shared/errors.ts';
import { type Fields, isAbsent } from '../../shared/fields.ts';
import { parseJson, wrongJsonAt } from '../../shared/json.ts';
import { findExcess } from '../../shared/jsonExtent.ts';
import { l10n } from '../../shared/l10n.ts';
import { decodeChecked, formatProblem, formatProblems, type Checked, type FieldProblem } from '../schema/problems.ts';
import type { Route } from '../schema/route.ts';
import { cleanText, reportedError } from './failure.ts';
import { notDone, notKnown } from './outcome.ts';

/** A body received with a success status. */
export interface ReceivedText {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** Secrets that must not appear in any message. */
  readonly secrets: readonly string[];
}

/** List entries that could not be read. */
export interface Skipped {
  readonly count: number;
  /** Number of entries received. */
  readonly total: number;
  /** The problem with the first unreadable entry. */
  readonly first: FieldProblem;
}

/** A response as the route's schema reads it, and the list entries that could not be read. */
export interface ReadResponse<T> {
  readonly value: T;
  readonly skipped?: Skipped;
}

/** Cause of the error for a success without a body: something happened, but the response does not say what. */
export class EmptyBody extends Error {}

/** Field names that accompany a list without saying what the list contains. */
const pagingFields = new Set(['has_more', 'next_page_token', 'prev_page_token']);

/**
 * Reads the text of a success response as the route's response. Anything that is not a response to this operation is an error that
 * describes what arrived: unrelated data must never turn into an empty list.
 * @throws AppError `protocol` or `cutOff`, or the server's error if it reports one with a success status
 */
export function readResponse<R extends z.ZodType>(
  route: Route<z.ZodType, R>,
  received: ReceivedText,
): ReadResponse<z.output<R>> {
  try {
    const value = parse(route, received);
    const checked = decodeChecked(route.response, value);
    if (checked.ok && problemOfWhole(route, value, checked.value) === undefined) return { value: checked.value };
    const reported = reportedError({ ...received, operation: route.operation, mutates: route.mutates }, value);
    if (reported) throw reported;
    const rest = checked.ok ? undefined : withoutUnreadable(route, value, checked.problems);
    if (rest) return rest;
    throw notThisApi(
      route,
      received,
      checked.ok ? (problemOfWhole(route, value, checked.value) ?? '') : formatProblems(checked.problems, 3),
    );
  } catch (error) {
    // The text is nested too deeply for the stack; neither the parser nor a schema can say more.
    if (error instanceof RangeError)
      throw notThisApi(route, received, l10n.t('It is nested too deeply to be read.'), error);
    throw error;
  }
}

/**
 * Refuses a response that would take too long to read. The number of values matters, not the number of characters.
 * @throws AppError `tooLarge`
 */
export function checkExtent(
  { operation, mutates }: Pick<Route, 'operation' | 'mutates'>,
  text: string,
  maxValues: number,
): void {
  const excess = findExcess(text, { maxValues, maxDepth: maxDepthOfModels });
  if (excess === undefined) return;
  throw new AppError(
    'tooLarge',
    l10n.t(
      '{0}: the response has {1}, which is too much to read. {2}',
      operation,
      excess,
      mutates ? notKnown(operation) : notDone(operation),
    ),
    { operation, remedy: l10n.t('Ask for fewer choices, tokens or log probabilities.') },
  );
}

/** Describes the skipped entries for a user who misses something in a list. */
export function skippedText(operation: string, { count, total, first }: Skipped): string {
  return l10n.t(
    '{0}: {1} of {2} entries could not be read and are left out. {3}',
    operation,
    count,
    total,
    cleanText(formatProblem(first)),
  );
}

function parse(route: Route, received: ReceivedText): unknown {
  const { text, secrets } = received;
  if (text.trim() === '') {
    if (route.bodiless === true) return {};
    throw notThisApi(route, received, l10n.t('It is empty.'), new EmptyBody());
  }
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw notJson(
      route,
      received,
      new SyntaxError(cleanText(error instanceof Error ? error.message : String(error), secrets)),
    );
  }
}

/** Returns why a value that its schema accepts is still not a response to this operation, or `undefined` if it is one. */
function problemOfWhole(route: Route, raw: unknown, decoded: unknown): string | undefined {
  const fields = decoded as Fields;
  if (route.bodiless === true) {
    // Any body counts as an empty response, except one that reports an error.
    const { error, error_code: code } = raw as Fields;
    return isAbsent(error) && isAbsent(code) ? undefined : l10n.t('It reports an error.');
  }
  const names = Object.keys(raw as Fields);
  if (route.list !== undefined && fields[route.list] === undefined) {
    const known = 'shape' in route.response ? Object.keys(route.response.shape as Fields) : [];
    const strange = names.filter((name) => !pagingFields.has(name) && !known.includes(name));
    return strange.length === 0
      ? undefined
      : l10n.t('It has no list "{0}"; its fields are {1}.', route.list, fieldsInWords(strange));
  }
  if (route.needs !== undefined && !route.needs.some((name) => fields[name] !== undefined)) {
    return l10n.t('It has no field "{0}"; its fields are {1}.', route.needs[0] ?? '', fieldsInWords(names));
  }
  return undefined;
}

/** Maximum nesting depth of a model's response. */
const maxDepthOfModels = 200;

const maxNamesShown = 5;

function fieldsInWords(names: readonly string[]): string {
  if (names.length === 0) return l10n.t('nothing');
  const shown = names.slice(0, maxNamesShown).map((name) => `"${cleanText(name).slice(0, 40)}"`);
  return names.length > maxNamesShown
    ? l10n.t('{0} and {1} more', shown.join(', '), names.length - maxNamesShown)
    : shown.join(', ');
}

/** Returns the list without its unreadable entries, or `undefined` if anything else is wrong or no entry is left. */
function withoutUnreadable<R extends z.ZodType>(
  route: Route<z.ZodType, R>,
  value: unknown,
  problems: readonly FieldProblem[],
): ReadResponse<z.output<R>> | undefined {
  const { list } = route;
  const [first] = problems;
  if (
    list === undefined ||
    first === undefined ||
    !problems.every(({ path }) => path[0] === list && typeof path[1] === 'number')
  )
    return undefined;
  const entries = (value as Fields)[list] as readonly unknown[];
  const unreadable = new Set(problems.map(({ path }) => path[1]));
  if (unreadable.size === entries.length) return undefined;
  const rest: Checked<z.output<R>> = decodeChecked(route.response, {
    ...(value as Fields),
    [list]: entries.filter((_, index) => !unreadable.has(index)),
  });
  return rest.ok ? { value: rest.value, skipped: { count: unreadable.size, total: entries.length, first } } : undefined;
}

function notThisApi(route: Route, { status, secrets }: ReceivedText, why: string, cause?: unknown): AppError {
  const { operation } = route;
  return new AppError(
    'protocol',
    l10n.t(
      '{0}: the response is not valid for this API. {1} {2}',
      operation,
      cleanText(why, secrets),
      outcomeOf(route),
    ),
    {
      operation,
      status,
      cause,
      remedy:
        route.mutates && cause instanceof EmptyBody
          ? l10n.t('Check what the service has before you try again.')
          : l10n.t('Check that the base URL belongs to a service with this API.'),
    },
  );
}

function notJson(route: Route, { status, contentType, text, secrets }: ReceivedText, cause: unknown): AppError {
  const { operation } = route;
  const start = text.trimStart();
  if (/^[[{]/.test(start) && !/html/i.test(contentType)) return brokenJson(route, { text, secrets, status, cause });
  const title = /<title[^<>]*>([^<]*)/i.exec(start)?.[1]?.trim();
  const page = l10n.t('a web page{0}', title ? ` ("${cleanText(title, secrets)}")` : '');
  const what = start.startsWith('<')
    ? page
    : l10n.t('text that is not JSON ({0})', cleanText(start.slice(0, 100), secrets));
  return new AppError('protocol', l10n.t('{0}: the server answered with {1}. {2}', operation, what, outcomeOf(route)), {
    operation,
    status,
    cause,
    remedy: l10n.t('Check the base URL of the profile. A sign-in page or a proxy may answer instead of the service.'),
  });
}

/** Returns the error for a text that begins like JSON: it ended too early, which a retry may help, or it is wrong at a position. */
export function brokenJson(
  route: Pick<Route, 'operation' | 'mutates'>,
  { text, secrets, ...more }: Pick<ReceivedText, 'text' | 'secrets'> & { status?: number; cause?: unknown },
): AppError {
  const { operation } = route;
  const position = wrongJsonAt(text);
  if (position === undefined) {
    const message = l10n.t('{0}: the answer ended before it was complete. {1}', operation, outcomeOf(route));
    return new AppError('cutOff', message, { operation, ...more, retryable: true, remedy: l10n.t('Try again.') });
  }
  const found = cleanText(text.slice(position, position + maxSearched), secrets).slice(0, 30);
  return new AppError(
    'protocol',
    l10n.t(
      '{0}: the response is not valid JSON: character {1} is wrong ({2}). {3}',
      operation,
      position + 1,
      JSON.stringify(found === '' ? text.charAt(position) : found),
      outcomeOf(route),
    ),
    { operation, ...more, remedy: l10n.t('The server or a proxy in front of it is at fault.') },
  );
}

/** Maximum characters in which secrets are searched for; an excerpt is much shorter. */
const maxSearched = 2000;

function outcomeOf({ operation, mutates }: Pick<Route, 'operation' | 'mutates'>): string {
  return mutates ? notKnown(operation) : notDone(operation);
}
