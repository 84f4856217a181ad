import { isolated } from '../../shared/fields.ts';
import { localControlRoutes } from '../../shared/localControlRoutes.ts';
import { callLoopback } from './loopback.ts';

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
