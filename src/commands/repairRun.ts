import type { RepairRequest, Run } from '../api/schema/jobs/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import { failedPhases, notRunPhases, runStatus } from '../runs/runState.ts';
import { mayHaveTasks, type NamedTask, tasksOf, upstreamOf } from '../runs/runTasks.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { refreshAfter, storeOf } from './connectFor.ts';
import { connectToRun } from './resolve.ts';
import { parametersOfRun } from './runNow.ts';
import { editMap } from './runParameters.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

type Choice = Pick<RepairRequest, 'rerun_tasks' | 'rerun_all_failed_tasks' | 'rerun_dependent_tasks'>;

/** Runs tasks of an ended run again, within the same run (Jobs API 2.1, runs/repair). */
export async function repairRun(services: CommandServices, target: Target): Promise<void> {
  const { ui, connections, watch } = services;
  const found = await connectToRun(
    services,
    target,
    l10n.t('Repair run'),
    (run) => mayHaveTasks(run) && !runStatus(run).active,
  );
  if (!found) return;
  const { connection, name } = found;
  const { client, profile } = connection;
  const run = await ui.progress(l10n.t('Loading {0}', name), (signal) => readRepairable(connection, found.run, signal));
  // A run of known tasks may go on after its end.
  storeOf(services, connection)?.mergeRuns([run], Date.now());
  const title = l10n.t('Repair {0} on {1}', name, profile.name);
  const choice = await chooseTasks(services, title, tasksOf(run));
  const parameters = choice && (await chooseParameters(services, title, run));
  if (!choice || !parameters) return;
  if (!(await connections.confirmMutation(title, connection, { verb: l10n.t('Repair Run') }))) return;
  const latest = run.repair_history?.findLast(({ type, id }) => type === 'REPAIR' && id !== undefined)?.id;
  await ui.progress(l10n.t('Repairing {0} on {1}', name, profile.name), (signal) =>
    client.jobs.repairRun(
      { run_id: run.run_id, ...choice, ...parameters, ...(latest === undefined ? {} : { latest_repair_id: latest }) },
      { signal },
    ),
  );
  // The run goes on, which must be known before its end is awaited.
  await refreshAfter(services, connection);
  watch(profile.id, run.run_id);
}

/**
 * Reads the run with its tasks and repairs.
 * @throws AppError `invalid` if it cannot be repaired
 */
async function readRepairable({ client, profile }: Connection, seen: Run, signal: AbortSignal): Promise<Run> {
  const operation = 'jobs/runs/repair';
  if ((await client.jobs.version({ signal })) === '2.0')
    throw new AppError('invalid', l10n.t('{0} has no repairs (version 2.1 of the Jobs API).', profile.name), {
      operation,
      remedy: l10n.t('Run the whole run again.'),
    });
  const run = await client.jobs.getRun(seen.run_id, { signal, withRepairs: true });
  if (runStatus(run).active)
    throw new AppError('invalid', l10n.t('Only an ended run can be repaired.'), {
      operation,
      remedy: l10n.t('Wait for its end, or cancel it.'),
    });
  if (tasksOf(run).length < 2)
    throw new AppError('invalid', l10n.t('Only a run with several tasks can be repaired.'), {
      operation,
      remedy: l10n.t('Run it again.'),
    });
  return run;
}

/** Asks which tasks run again: those that did not succeed, or others with those that depend on them. */
async function chooseTasks(
  { ui }: CommandServices,
  title: string,
  tasks: readonly NamedTask[],
): Promise<Choice | undefined> {
  const unsuccessful = tasks.filter((task) => isUnsuccessful(task));
  const all: Choice = { rerun_all_failed_tasks: true };
  if (unsuccessful.length > 0) {
    const keys = unsuccessful.map(({ task_key: key }) => key);
    const choice = await ui.pick<Choice | 'choose'>(title, l10n.t('Which tasks run again?'), [
      { label: l10n.t('Failed tasks and those that they held back'), detail: keys.join(', '), value: all },
      { label: l10n.t('Choose tasks…'), value: 'choose' },
    ]);
    if (choice !== 'choose') return choice;
  }
  const chosen = await ui.pickMany(
    title,
    l10n.t('Tasks to run again'),
    tasks.map((task) => ({
      label: task.task_key,
      description: runStatus(task).label,
      value: task.task_key,
      picked: unsuccessful.includes(task),
    })),
  );
  if (!chosen?.length) return undefined;
  const below = belowOf(chosen, tasks);
  if (below.length === 0) return { rerun_tasks: chosen };
  return ui.pick<Choice>(title, l10n.t('Do the tasks that depend on them run again too?'), [
    {
      label: l10n.t('With the tasks that depend on them'),
      detail: below.join(', '),
      value: { rerun_tasks: chosen, rerun_dependent_tasks: true },
    },
    { label: l10n.t('Only the chosen tasks'), value: { rerun_tasks: chosen } },
  ]);
}

function isUnsuccessful(task: NamedTask): boolean {
  const { phase } = runStatus(task);
  return failedPhases.has(phase) || phase === 'cancelled' || (notRunPhases.has(phase) && phase !== 'excluded');
}

/** Returns the other tasks that depend on the chosen ones, directly or not. */
function belowOf(chosen: readonly string[], tasks: readonly NamedTask[]): string[] {
  const reached = new Set(chosen);
  // Each task comes after those that it depends on.
  for (const task of tasks) if (upstreamOf(task).some((key) => reached.has(key))) reached.add(task.task_key);
  return [...reached].filter((key) => !chosen.includes(key));
}

/** Lets the user change the job's parameters, if it has any, for the tasks that run again. */
async function chooseParameters(
  { ui }: CommandServices,
  title: string,
  run: Run,
): Promise<Pick<RepairRequest, 'job_parameters'> | undefined> {
  const { job_parameters: values } = parametersOfRun(run);
  if (!values) return {};
  const edited = await editMap(ui, title, values, { checkValue: () => undefined });
  return edited && { job_parameters: edited };
}
