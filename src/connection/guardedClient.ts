import type { Client } from '../api/client/client.ts';
import { clusterRoutes } from '../api/schema/clusterRoutes.ts';
import { inferenceRoutes } from '../api/schema/inference/routes.ts';
import { jobsRoutes } from '../api/schema/jobs/routes.ts';
import { localServiceRoutes } from '../api/schema/localServiceRoutes.ts';
import type { Route } from '../api/schema/route.ts';
import { type AppError, isAppError } from '../shared/errors.ts';

export interface ClientGuard {
  /** The error of a mutation that the profile refuses; undefined if mutations are allowed. */
  refuse?(operation: string): AppError;
  /** Identifies the credential that a call signs in with. `recover` compares it with today's: another one was renewed since. */
  signInGeneration?(): unknown;
  /** Looks at a failure before the caller does. True: its cause is mended and the call is made once more. */
  recover(error: AppError, signInGeneration: unknown): Promise<boolean>;
  /** A failure in the words of this connection, if those of the service would mislead. */
  reword?(error: AppError): AppError;
  /** The service has answered a call, or begun to. */
  succeeded?(): void;
}

/** The operations behind the calls of a part of the client, by their methods' names: they say which calls change something. */
type RoutesOf<T> = { readonly [Method in keyof T]: Pick<Route, 'operation' | 'mutates'> };
const routesOfInference: RoutesOf<Client['inference']> = {
  ...inferenceRoutes,
  streamChat: inferenceRoutes.chat,
  streamCompletion: inferenceRoutes.complete,
};

/** The client behind a guard: refused mutations send nothing, and a failure may be mended once. */
export function guardClient(client: Client, guard: ClientGuard): Client {
  return {
    baseUrl: client.baseUrl,
    retryNow: client.retryNow,
    jobs: guardSection(client.jobs, jobsRoutes, guard),
    inference: guardSection(client.inference, routesOfInference, guard),
    clusters: guardSection(client.clusters, clusterRoutes, guard),
    localService: guardSection(client.localService, localServiceRoutes, guard),
  };
}

/** Made of the routes, not of the client: a method that no route speaks for, and so might change something, is not there. */
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

/** A stream is made anew only while nothing of it has been handed on; from then on the original iterator serves it. */
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
