import type { ServerResponse } from 'node:http';
import type * as z from 'zod';
import type { Route } from '../../api/route.ts';
import { withoutNulls } from '../withoutNulls.ts';
import { decodeRequest, parseObject, queryFields } from './validate.ts';

export interface Call {
  /** Parameters of the path, by name. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The body as it came. */
  readonly text: string;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** For answers that are no JSON. */
  readonly response: ServerResponse;
}

/** What a handler returns is sent as JSON; `undefined` says that it has answered by itself. */
export type Handler = (call: Call) => unknown;

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{name}` marks a path parameter. */
  readonly path: string;
  /** A page that carries its permission in its own path. */
  readonly isOpen?: boolean;
  readonly handle: Handler;
}

/**
 * An endpoint whose request is decoded by its route's schema. Fields are taken from the query and, since clients of
 * this API send bodies with GET too, from the body.
 *
 * @param handle gets the decoded request and the call
 */
export function endpoint<R extends Route>(route: R, handle: (request: z.output<R['request']>, call: Call) => unknown): Endpoint {
  return {
    method: route.method,
    path: route.path,
    handle(call) {
      const fields = { ...queryFields(call.query), ...parseObject(call.text) };
      return handle(decodeRequest(route.request, withoutNulls(fields)) as z.output<R['request']>, call);
    },
  };
}
