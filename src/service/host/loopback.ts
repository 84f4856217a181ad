import { request } from 'node:http';
import { AppError } from '../../shared/errors.ts';
import { isolated } from '../../shared/fields.ts';
import { localControlRoutes } from '../../shared/localControlRoutes.ts';

/**
 * Sends a small request to a service on this machine. `fetch` is not used because the editor routes it through the user's proxy.
 * @throws AppError `network`, `timeout`, `aborted`, or `rejected` if the status is not 200
 */
export function callLoopback(
  service: { url: string; token: string },
  { method, path }: { method: 'GET' | 'POST'; path: string },
  body?: object,
  options: { signal?: AbortSignal; timeoutInMs?: number } = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const call = request(
      new URL(path, service.url),
      {
        method,
        agent: false,
        signal: options.signal,
        headers: { authorization: `Bearer ${service.token}`, 'content-length': Buffer.byteLength(text) },
      },
      (response) => {
        let answer = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          if (answer.length < 1_000_000) answer += chunk;
        });
        response.on('error', fail);
        response.on('end', () => {
          clearTimeout(timer);
          if (response.statusCode !== 200) {
            reject(
              new AppError('rejected', messageIn(answer) ?? `The local service answered ${response.statusCode}.`, {
                status: response.statusCode,
              }),
            );
            return;
          }
          try {
            resolve(JSON.parse(answer));
          } catch (error) {
            reject(
              new AppError('protocol', 'The local service answered something that is not JSON.', { cause: error }),
            );
          }
        });
      },
    );
    const timer = setTimeout(
      () => call.destroy(new AppError('timeout', 'The local service did not answer in time.')),
      options.timeoutInMs ?? 2000,
    );
    function fail(error: Error): void {
      clearTimeout(timer);
      if (options.signal?.aborted) reject(new AppError('aborted', 'Stopped.', { cause: error }));
      else
        reject(
          error instanceof AppError
            ? error
            : new AppError('network', 'The local service cannot be reached.', { cause: error }),
        );
    }
    call.on('error', fail);
    call.end(text);
  });
}

/** Returns the service's reason for a refusal, if it gives one. */
function messageIn(answer: string): string | undefined {
  try {
    const { message } = JSON.parse(answer) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Runs that are going on a service. */
export interface GoingRuns {
  readonly count: number;
  /** Of the newest ones, such as "nightly #3". */
  readonly names: readonly string[];
}

/** More runs are counted, not named. */
const maxNames = 5;

interface RunNames {
  readonly runs?: { run_name: string; number_in_job: number; run_type: string }[];
}

/** @throws AppError if the service does not answer */
export async function readGoingRuns(service: { url: string; token: string }): Promise<GoingRuns> {
  const { active_runs: count = 0 } = (await callLoopback(service, localControlRoutes.health)) as {
    active_runs?: number;
  };
  if (count === 0) return { count, names: [] };
  // Only names and numbers are read: ids would lose digits here.
  const { runs = [] } = (await callLoopback(service, {
    method: 'GET',
    path: `/api/2.0/jobs/runs/list?active_only=true&limit=${maxNames}`,
  })) as RunNames;
  const nameOf = ({
    run_name: name,
    number_in_job: number,
    run_type: type,
  }: NonNullable<RunNames['runs']>[number]): string =>
    type === 'SUBMIT_RUN' ? isolated(name) : `${isolated(name)} #${number}`;
  return { count, names: runs.map(nameOf) };
}
