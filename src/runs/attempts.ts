import type { Run } from '../api/schema/jobs/schemas.ts';

/** Attempts of one run together, the newest first; groups in the order of the runs given. */
export function groupAttempts(runs: readonly Run[]): (readonly [Run, ...Run[]])[] {
  const groups = new Map<string, [Run, ...Run[]]>();
  for (const run of runs) {
    const original = run.original_attempt_run_id ?? run.run_id;
    const group = groups.get(original);
    if (group) group.push(run);
    else groups.set(original, [run]);
  }
  for (const group of groups.values())
    group.sort((left, right) => (right.attempt_number ?? 0) - (left.attempt_number ?? 0));
  return [...groups.values()];
}
