import type { Run, RunState } from '../../schema/jobs/schemas.ts';

type Stateful = Pick<Run, 'state' | 'status'>;
type Status = NonNullable<Run['status']>;

/** Returns the run, or task of a run, with its state, which services of version 2.2 may give in `status` only. */
export function withState<T extends Stateful & Pick<Run, 'tasks'>>(run: T): T {
  const tasks = run.tasks?.some(({ state, status }) => !state && status)
    ? { tasks: run.tasks.map((task) => (task.state || !task.status ? task : { ...task, state: stateOf(task.status) })) }
    : {};
  if (run.state || !run.status) return 'tasks' in tasks ? { ...run, ...tasks } : run;
  return { ...run, ...tasks, state: stateOf(run.status) };
}

/** Codes that are a result of their own; every other code is a failure. */
const results: Readonly<Record<string, string>> = {
  SUCCESS: 'SUCCESS',
  SUCCESS_WITH_FAILURES: 'SUCCESS_WITH_FAILURES',
  CANCELED: 'CANCELED',
  USER_CANCELED: 'CANCELED',
  TIMED_OUT: 'TIMEDOUT',
  TIMEDOUT: 'TIMEDOUT',
  UPSTREAM_FAILED: 'UPSTREAM_FAILED',
  UPSTREAM_CANCELED: 'UPSTREAM_CANCELED',
  EXCLUDED: 'EXCLUDED',
  DISABLED: 'DISABLED',
};

/** Codes of runs that did not begin because there was no room for them. */
const skipped: ReadonlySet<string> = new Set([
  'SKIPPED',
  'MAX_CONCURRENT_RUNS_EXCEEDED',
  'MAX_JOB_QUEUE_SIZE_EXCEEDED',
  'WORKSPACE_RUN_LIMIT_EXCEEDED',
]);

function stateOf({ state, termination_details: details }: Status): RunState {
  const message = details?.message === undefined ? {} : { state_message: details.message };
  const code = details?.code;
  if (state !== 'TERMINATED' || code === undefined) return { life_cycle_state: state, ...message };
  if (skipped.has(code)) return { life_cycle_state: 'SKIPPED', ...message };
  const result = (Object.hasOwn(results, code) ? results[code] : undefined) ?? 'FAILED';
  return {
    life_cycle_state: code === 'INTERNAL_ERROR' ? 'INTERNAL_ERROR' : 'TERMINATED',
    result_state: result,
    ...message,
  };
}
