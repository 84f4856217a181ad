import type { Job } from '../api/schema/jobs/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import { toAppError } from '../shared/errors.ts';

/** The job, or undefined where the service has none of this id. @throws AppError where that cannot be told */
export async function getIfThere(connection: Connection, jobId: string, signal: AbortSignal): Promise<Job | undefined> {
  try {
    return await connection.client.jobs.get(jobId, { signal });
  } catch (error) {
    const failure = toAppError(error);
    if (failure.kind === 'notFound' || failure.errorCode === 'RESOURCE_DOES_NOT_EXIST') return undefined;
    throw failure;
  }
}
