import { abortable } from '../../../shared/abortable.ts';
import { type ErrorKind, toAppError } from '../../../shared/errors.ts';
import { isFields } from '../../../shared/fields.ts';
import { jobsRoutes } from '../../schema/jobs/routes.ts';
import type { Route } from '../../schema/route.ts';
import type { Caller } from '../caller.ts';
import type { ApiVersion } from '../client.ts';

/** Failures that mean that the service does not have the version, rather than that it did not work. */
const refusals: ReadonlySet<ErrorKind> = new Set(['notFound', 'rejected', 'forbidden', 'protocol']);
/** How long version 2.0 is used after a failure that does not tell whether there is a newer one. */
const pauseInMs = 300_000;

/** Finds out the newest version that a service has, with one small request for each, and remembers it. */
export class VersionFinder {
  readonly #caller: Caller;
  #found: ApiVersion | undefined;
  #asking: Promise<ApiVersion> | undefined;
  #askAgainAtMs = 0;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Returns the newest version, or 2.0 while the service answers that it cannot say now.
   * @throws AppError if the service does not answer or rejects the sign-in, and `aborted` by the signal
   */
  async find(signal?: AbortSignal): Promise<ApiVersion> {
    if (this.#found) return this.#found;
    if (this.#caller.clock.now() < this.#askAgainAtMs) return '2.0';
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return abortable(this.#asking, signal);
  }

  async #ask(): Promise<ApiVersion> {
    for (const version of ['2.2', '2.1'] as const)
      try {
        await this.#caller.call(atVersion(jobsRoutes.list, version), { limit: 1 }, { retry: 'fail' });
        return (this.#found = version);
      } catch (error) {
        const { kind, status } = toAppError(error);
        if (refusals.has(kind)) continue;
        if (status === undefined || kind === 'unauthenticated') throw error;
        this.#askAgainAtMs = this.#caller.clock.now() + pauseInMs;
        return '2.0';
      }
    return (this.#found = '2.0');
  }
}

/** Returns the operation in a version. */
export function atVersion<R extends Route>(route: R, version: ApiVersion): R {
  return { ...route, path: route.path.replace(/\/2\.\d\//, `/${version}/`) };
}

/** Request fields that version 2.0 does not have. */
const newerFields = ['tasks', 'job_clusters', 'environments', 'parameters', 'job_parameters', 'only'];

/** Returns whether a request needs a newer version than 2.0. */
export function needsNewerVersion(request: unknown): boolean {
  if (!isFields(request)) return false;
  const { new_settings: settings } = request;
  return newerFields.some((name) => request[name] !== undefined) || needsNewerVersion(settings);
}
