import type { Client } from '../api/client/index.ts';
import { type AppError, isAbort, toAppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { connectionProblem, type ConnectionProblem } from './connectionProblem.ts';

export type ConnectionCheck =
  | {
      readonly ok: true;
      readonly listsEndpoints: boolean;
      readonly hasJobs: boolean;
      readonly notes: readonly string[];
    }
  | ({ readonly ok: false; readonly error: AppError } & ConnectionProblem);

/**
 * Checks with a few requests whether the service is reachable, has this API, and accepts the sign-in. Changes nothing there.
 * @throws AppError `aborted` only
 */
export async function checkConnection(
  client: Client,
  options: { signal?: AbortSignal; retry?: 'fail' } = {},
): Promise<ConnectionCheck> {
  const jobs = await attempt(() => client.jobs.listRuns({ limit: 1 }, options));
  if (jobs.error && !isSomethingMissing(jobs.error)) return refuse(jobs.error, client.baseUrl);
  // A response without runs may come from a server that answers `{}` or any other JSON to everything.
  if (jobs.value && jobs.value.runs.length === 0) {
    const stranger = await attempt(() => client.jobs.getRun('1', options));
    if (stranger.error?.kind === 'protocol') return refuse(stranger.error, client.baseUrl);
  }
  const endpoints = await attempt(() => client.inference.listEndpoints(options));
  if (jobs.error && endpoints.error) return refuse(jobs.error, client.baseUrl);
  return {
    ok: true,
    hasJobs: !jobs.error,
    listsEndpoints: !endpoints.error,
    notes: [
      ...(jobs.error
        ? [
            jobs.error.kind === 'forbidden'
              ? l10n.t('The user of this sign-in is not allowed to read jobs.')
              : l10n.t('This service has no Jobs API.'),
          ]
        : []),
      ...(endpoints.error
        ? [l10n.t('This service does not list its endpoints. Name the ones that you use in the profile.')]
        : []),
    ],
  };
}

/**
 * Checks an address before any secret is sent there. A response that requires a sign-in is a success too.
 * @throws AppError `aborted` only
 */
export async function checkAddress(
  client: Client,
  options: { signal?: AbortSignal } = {},
): Promise<Extract<ConnectionCheck, { ok: false }> | undefined> {
  const { error } = await attempt(() => client.jobs.listRuns({ limit: 1 }, options));
  if (
    !error ||
    error.kind === 'unauthenticated' ||
    error.kind === 'forbidden' ||
    error.kind === 'rateLimited' ||
    isSomethingMissing(error)
  )
    return undefined;
  return refuse(error, client.baseUrl);
}

async function attempt<T>(call: () => Promise<T>): Promise<{ value?: T; error?: AppError }> {
  try {
    return { value: await call() };
  } catch (error) {
    if (isAbort(error)) throw toAppError(error);
    return { error: toAppError(error) };
  }
}

/** Returns whether only part of the API is missing: the rest may still be useful. */
function isSomethingMissing(error: AppError): boolean {
  return error.kind === 'notFound' || error.kind === 'forbidden';
}

function refuse(error: AppError, baseUrl: string): Extract<ConnectionCheck, { ok: false }> {
  return { ok: false, error, ...connectionProblem(error, baseUrl) };
}
