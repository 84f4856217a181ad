import type { Job, JobSettings } from '../api/schema/jobs/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import { jobName } from '../runs/jobNames.ts';
import { isOneTime } from '../runs/runOrder.ts';
import { failedAtWork } from '../runs/runState.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { deployJobFile } from './deploy.ts';
import { replayedRun } from './replay/plan.ts';
import { connectToRun, resolveTask } from './resolve.ts';
import { chooseJobOrFile, onlyTask, parametersOfRun } from './runNow.ts';
import type { CommandServices, DebugLaunch } from './services.ts';
import type { Target } from './target.ts';

/** Runs a job under the debugger; the job of a job file is deployed first. */
export async function debugJob(services: CommandServices, target: Target): Promise<void> {
  const launch = await prepareDebug(services, target);
  if (launch) await services.debug(launch);
}

/** Returns what to debug: the chosen job, or a job file's job after deploying it. Returns `undefined` if the user canceled. */
export async function prepareDebug(services: CommandServices, target: Target): Promise<DebugLaunch | undefined> {
  requireLocal(services);
  const chosen = await chooseJobOrFile(services, target, l10n.t('Debug job'));
  if (!chosen) return undefined;
  const { connection } = chosen;
  const settings = 'job' in chosen ? chosen.job.settings : chosen.deployable.settings;
  const parameters = await chooseTask(services, settings, target);
  if (!parameters) return undefined;
  if ('job' in chosen) return launchOf(services, connection, chosen.job, parameters);
  const deployed = await deployJobFile(services, connection, chosen.deployable);
  return deployed && launchOf(services, connection, { job_id: deployed.jobId, settings }, parameters);
}

/** Returns the parameter that limits the run to one of several tasks, which the user picks, or `undefined` if the user canceled. */
async function chooseTask(
  { ui }: CommandServices,
  settings: Partial<JobSettings> | undefined,
  target: Target,
): Promise<DebugLaunch['parameters']> {
  const known = onlyTask(target);
  const tasks = settings?.tasks ?? [];
  if (known.only || tasks.length < 2) return known;
  const key = await ui.pick(
    l10n.t('Debug a task'),
    l10n.t('The run leaves out the other tasks'),
    tasks
      .filter((task) => task.notebook_task ?? task.spark_python_task)
      .map(({ task_key: label }) => ({ label, value: label })),
  );
  return key === undefined ? undefined : { only: [key] };
}

/** Reruns a failed run with the same parameters and pauses where it fails: the job of the run, or a copy of a one-time run. */
export async function debugFailure(services: CommandServices, target: Target): Promise<void> {
  requireLocal(services);
  const found = await connectToRun(services, target, l10n.t('Debug a failure'), failedAtWork);
  if (!found) return;
  const { connection, run } = found;
  const task = await resolveTask(services, connection, run, target);
  const name = task ? `${found.name} ${task.task_key}` : found.name;
  const { job_id: jobId } = run;
  const runId = task?.run_id ?? run.run_id;
  const isOfJob = jobId !== undefined && !isOneTime(run);
  const question = l10n.t('Run {0} again ({1})', name, isOfJob ? jobId : runId);
  if (!(await services.connections.confirmMutation(question, connection, { verb: l10n.t('Debug') }))) return;
  await services.debug({
    name: l10n.t('Debug the failure of {0}', name),
    ...(isOfJob
      ? { jobId, parameters: { ...parametersOfRun(run), ...(task ? { only: [task.task_key] } : {}) } }
      : // The lists may omit parts of a run.
        { submit: replayedRun(await connection.client.jobs.getRun(runId), name).request }),
    haltAtFailure: true,
  });
}

async function launchOf(
  services: CommandServices,
  connection: Connection,
  job: Job,
  parameters: DebugLaunch['parameters'] = {},
): Promise<DebugLaunch | undefined> {
  const name = jobName(job);
  const what = l10n.t('Debug job "{0}" ({1})', name, job.job_id);
  if (!(await services.connections.confirmMutation(what, connection, { verb: l10n.t('Debug') }))) return undefined;
  return {
    name: l10n.t('Debug {0} on {1}', name, connection.profile.name),
    jobId: job.job_id,
    parameters,
    haltAtFailure: false,
  };
}

/**
 * Checks that the profile's runs execute on this machine.
 * @throws AppError `invalid` if they do not
 */
function requireLocal({ connections }: CommandServices): void {
  const { current } = connections;
  if (current.kind === 'local') return;
  throw new AppError(
    'invalid',
    l10n.t(
      'Runs are debugged on the local service, but the current profile is "{0}". Nothing was deployed or started.',
      current.name,
    ),
    { remedy: l10n.t('Choose the profile "Local" (Millrace: Choose Profile…), then debug again.') },
  );
}
