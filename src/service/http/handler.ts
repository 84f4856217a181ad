import type { ServerResponse } from 'node:http';
import type * as z from 'zod';
import { withParamMaps } from '../../api/schema/jobs/paramPairs.ts';
import type { Route } from '../../api/schema/route.ts';
import type { Fields } from '../../shared/fields.ts';
import { stringifyJson } from '../../shared/json.ts';
import { similarNames } from '../../shared/similarNames.ts';
import { invalidParameter } from '../base/apiError.ts';
import { requestWithoutNulls, yieldIfLarge } from '../base/requestWithoutNulls.ts';
import { joinMembers, rawMembers, withoutRepeatedMembers } from '../store/rawJson.ts';
import type { JsonPieces, RawJson } from './reply.ts';
import { decodeRequest, parseObject, queryFields, shortenedValue, withTypedTexts } from './validateRequest.ts';

/** Versions of the Jobs API. */
const versions = ['2.0', '2.1', '2.2'] as const;
type ApiVersion = (typeof versions)[number];

export interface HttpCall {
  /** Path parameters by name. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The body as received. */
  readonly text: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** For responses that are not JSON. */
  readonly response: ServerResponse;
  /** Of the Jobs API. */
  readonly version?: ApiVersion;
}

/** A JSON value, or JSON text; `undefined` means that the handler has sent the response itself. */
type Reply<Body> = Body | RawJson | JsonPieces | undefined;

type HttpHandler = (call: HttpCall) => Reply<object> | Promise<Reply<object>>;

export interface RouteHandler {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{name}` marks a path parameter. */
  readonly path: string;
  /** Whether the page carries its permission in its own path. */
  readonly isOpen?: boolean;
  readonly handle: HttpHandler;
}

/** Returns the handlers for the paths of each version, which take and return the same. */
export function inEachVersion(handlers: readonly RouteHandler[]): RouteHandler[] {
  return versions.flatMap((version) =>
    handlers.map((handler) => ({
      ...handler,
      handle: (call) => handler.handle({ ...call, version }),
      path: handler.path.replace(/^\/api\/2\.\d\//, `/api/${version}/`),
    })),
  );
}

/** The parts of a route that its handler needs. If a route has no response schema, the handler's own type says what it returns. */
type HandledRoute = Pick<Route, 'method' | 'path' | 'request'> & { readonly response?: z.ZodType };

/** A response as the route's schema defines it. JSON with IDs, whose digits no JavaScript number can hold, is written by the handler. */
type RouteReply<R extends HandledRoute> = Reply<R extends { response: z.ZodType } ? z.input<R['response']> : object>;

/**
 * Creates a route's handler, whose request is decoded by the route's schema. Fields come from the query and from the body, because clients
 * of this API send bodies with GET too.
 *
 * @param handle gets the decoded request, and the call with the whole request as JSON text
 */
export function routeHandler<R extends HandledRoute>(
  route: R,
  handle: (request: z.output<R['request']>, call: HttpCall) => RouteReply<R> | Promise<RouteReply<R>>,
): RouteHandler {
  return {
    method: route.method,
    path: route.path,
    async handle(call) {
      const body = await parseObject(call.text);
      await yieldIfLarge(call.text);
      const query = queryFields(call.query);
      if (route.method === 'GET') checkSpelling(Object.keys(query), route.request);
      else checkAgreement(query, body);
      const { request, typed } = decodeFields<R['request']>(route.request, { ...query, ...body });
      await yieldIfLarge(call.text);
      const text = route.method === 'GET' ? call.text : textOf(query, typed ? stringifyJson(typed) : call.text);
      await yieldIfLarge(call.text);
      return handle(request, { ...call, text });
    },
  };
}

/**
 * Decodes the fields of a request.
 * @returns also the fields with numbers and booleans, if they had some as text
 * @throws ApiError INVALID_PARAMETER_VALUE
 */
function decodeFields<S extends z.ZodType>(schema: S, given: Fields): { request: z.output<S>; typed?: Fields } {
  const decode = (fields: Fields): z.output<S> => decodeRequest(schema, withParamMaps(requestWithoutNulls(fields)));
  try {
    return { request: decode(given) };
  } catch (error) {
    const typed = withTypedTexts(schema, given);
    if (typed === undefined) throw error;
    return { request: decode(typed), typed };
  }
}

/** Returns the request as JSON text, including the query. */
function textOf(query: Record<string, unknown>, text: string): string {
  const body = text.trim() === '' ? '{}' : withoutRepeatedMembers(text);
  const added = Object.entries(query);
  if (added.length === 0) return body;
  return joinMembers(
    new Map([...added.map(([name, value]) => [name, stringifyJson(value)] as const), ...rawMembers(body)]),
  );
}

/** @throws ApiError 400 if the query contradicts the body */
function checkAgreement(query: Record<string, unknown>, body: Record<string, unknown>): void {
  const name = Object.keys(query).find(
    (each) => Object.hasOwn(body, each) && String(body[each]) !== String(query[each]),
  );
  if (name !== undefined)
    throw invalidParameter(
      `${shortenedValue(name)} has one value in the address and another in the body. Nothing was done. Send it only once.`,
    );
}

/** Rejects misspelled field names: a misspelled filter would match everything. Fields of later versions are allowed and have no effect. */
function checkSpelling(names: readonly string[], schema: z.ZodType): void {
  const known = Object.keys((schema as { shape?: object }).shape ?? {});
  for (const name of names) {
    if (known.includes(name) || name.length > 100) continue;
    const [meant] = similarNames(
      name,
      known.filter((other) => !names.includes(other)),
    );
    if (meant !== undefined)
      throw invalidParameter(`${name} is not a field of this request. Did you mean ${meant}? Nothing was done.`);
  }
}
