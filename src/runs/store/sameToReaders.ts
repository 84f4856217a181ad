import type { Job, Run, RunTask } from '../../api/schema/jobs/schemas.ts';
import { taskKindOf } from '../../api/schema/jobs/taskKinds.ts';

/** Returns whether two versions of a job look the same in every view. */
export function sameJobToReaders(before: Job | undefined, after: Job): boolean {
  const [left, right] = [before?.settings, after.settings];
  return (
    before !== undefined &&
    left?.name === right?.name &&
    taskKindOf(left) === taskKindOf(right) &&
    left?.schedule?.quartz_cron_expression === right?.schedule?.quartz_cron_expression &&
    left?.schedule?.timezone_id === right?.schedule?.timezone_id &&
    left?.schedule?.pause_status === right?.schedule?.pause_status &&
    before.creator_user_name === after.creator_user_name
  );
}

/** Returns whether two versions of a run look the same in every view. */
export function sameToReaders(before: Run, after: Run): boolean {
  return (
    before.state?.life_cycle_state === after.state?.life_cycle_state &&
    before.state?.result_state === after.state?.result_state &&
    before.state?.state_message === after.state?.state_message &&
    before.start_time === after.start_time &&
    before.end_time === after.end_time &&
    before.attempt_number === after.attempt_number &&
    sameTasks(before.tasks, after.tasks)
  );
}

function sameTasks(before: Run['tasks'], after: Run['tasks']): boolean {
  if (before === after) return true;
  const stateOf = ({ run_id: id, state, end_time: end }: RunTask): string =>
    [id, state?.life_cycle_state, state?.result_state, end].join(' ');
  return (
    before?.length === after?.length && !before?.some((task, index) => stateOf(task) !== stateOf(after?.[index] ?? {}))
  );
}

/** Returns the run with its tasks as last read, which lists of runs leave out. */
export function withKnownTasks(run: Run, before: Run | undefined): Run {
  if (run.tasks !== undefined || before?.tasks === undefined || before.start_time !== run.start_time) return run;
  return { ...run, tasks: before.tasks };
}
