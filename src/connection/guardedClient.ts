import type { Client } from '../api/client/client.ts';
import { clusterRoutes } from '../api/schema/clusterRoutes.ts';
import { inferenceRoutes } from '../api/schema/inference/routes.ts';
import { jobsRoutes } from '../api/schema/jobs/routes.ts';
import { localServiceRoutes } from '../api/schema/localServiceRoutes.ts';
import type { Route } from '../api/schema/route.ts';
import { type AppError, isAppError } from '../shared/errors.ts';

export interface ClientGuard {
  /** Returns the error of a mutation that the profile refuses, or `undefined` if mutations are allowed. */
  refuse?(operation: string): AppError;
  /** Identifies the credential of a call. `recover` compares it with the current one: if they differ, it was renewed since. */
  signInGeneration?(): unknown;
  /** Handles a failure before the caller sees it. Returns true if the cause is fixed and the call must be repeated. */
  recover(error: AppError, signInGeneration: unknown): Promise<boolean>;
  /** Rewords an error for this connection if the service's message would mislead. */
  reword?(error: AppError): AppError;
  /** Called when the service has responded to a call, or has begun to. */
  succeeded?(): void;
}

/** The operations of a client section by method name, which define which calls are mutations. */
type RoutesOf<T> = { readonly [Method in keyof T]: Pick<Route, 'operation' | 'mutates'> };
const routesOfJobs: RoutesOf<Client['jobs']> = { ...jobsRoutes, version: jobsRoutes.list };
const routesOfInference: RoutesOf<Client['inference']> = {
  ...inferenceRoutes,
  streamChat: inferenceRoutes.chat,
  streamCompletion: inferenceRoutes.complete,
};

/** Wraps the client in a guard: refused mutations send nothing, and a failure may be fixed and retried once. */
export function guardClient(client: Client, guard: ClientGuard): Client {
  return {
    baseUrl: client.baseUrl,
    retryNow: client.retryNow,
    jobs: guardSection(client.jobs, routesOfJobs, guard),
    inference: guardSection(client.inference, routesOfInference, guard),
    clusters: guardSection(client.clusters, clusterRoutes, guard),
    localService: guardSection(client.localService, localServiceRoutes, guard),
  };
}

/** Built from the routes, not from the client: a method without a route, which might be a mutation, does not exist. */
function guardSection<T extends object>(section: T, routes: RoutesOf<T>, guard: ClientGuard): T {
  const names = Object.keys(routes) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, guardMethod(section, name, routes[name], guard)])) as T;
}

function guardMethod<T extends object>(section: T, name: keyof T, route: RoutesOf<T>[keyof T], guard: ClientGuard) {
  return (...args: unknown[]): unknown => {
    if (route.mutates && guard.refuse) return Promise.reject(guard.refuse(route.operation));
    const call = (): unknown => Reflect.apply(section[name] as () => unknown, section, args);
    const signInGeneration = guard.signInGeneration?.();
    const result = call();
    return isAsyncIterable(result)
      ? guardedStream(result, call as () => AsyncIterable<unknown>, guard, signInGeneration)
      : guardedPromise(result as Promise<unknown>, call as () => Promise<unknown>, guard, signInGeneration);
  };
}

async function guardedPromise<R>(
  result: Promise<R>,
  again: () => Promise<R>,
  guard: ClientGuard,
  signInGeneration: unknown,
): Promise<R> {
  try {
    const value = await result;
    guard.succeeded?.();
    return value;
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (!(await guard.recover(error, signInGeneration))) throw guard.reword?.(error) ?? error;
    const value = await again();
    guard.succeeded?.();
    return value;
  }
}

/** Guards a stream: it is restarted only while none of it has been passed on; from then on, the original iterator serves it. */
function guardedStream<C>(
  first: AsyncIterable<C>,
  again: () => AsyncIterable<C>,
  guard: ClientGuard,
  signInGeneration: unknown,
): AsyncIterable<C> {
  return {
    [Symbol.asyncIterator](): AsyncIterator<C> {
      let inner = first[Symbol.asyncIterator]();
      let started = false;
      const begin = async (): Promise<IteratorResult<C>> => {
        started = true;
        let head: IteratorResult<C>;
        try {
          head = await inner.next();
        } catch (error) {
          if (!isAppError(error)) throw error;
          if (!(await guard.recover(error, signInGeneration))) throw guard.reword?.(error) ?? error;
          inner = again()[Symbol.asyncIterator]();
          head = await inner.next();
        }
        guard.succeeded?.();
        return head;
      };
      return {
        next: () => (started ? inner.next() : begin()),
        return: async () => (inner.return ? inner.return() : { done: true, value: undefined }),
      };
    },
  };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
