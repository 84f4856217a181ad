import type { Job, JobSettings, Run, RunNowRequest, RunNowResponse } from '../api/schema/jobs/schemas.ts';
import { taskKindOf } from '../api/schema/jobs/taskKinds.ts';
import type { Connection } from '../connection/connection.ts';
import { jobName, sortJobs } from '../runs/jobNames.ts';
import { isOneTime } from '../runs/runOrder.ts';
import { mayHaveTasks } from '../runs/runTasks.ts';
import { isolated } from '../shared/fields.ts';
import { l10n } from '../shared/l10n.ts';
import { readRunnable } from './bundleFile.ts';
import { connectFor, refreshAfter } from './connectFor.ts';
import { deployJobFile, taskName } from './deploy.ts';
import type { DeployableFile } from './deployableFile.ts';
import { requestOfRun, submit, withTaskParameters } from './oneTimeRun.ts';
import { connectToRun, resolveJob } from './resolve.ts';
import { defaultParameters, editParameters, type EditedParameters } from './runParameters.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';
import type { OpenFile } from './ui.ts';

/** Starts the job unchanged; a job file is deployed first, so that the run matches the file (jobs/run-now). */
export async function runNow(services: CommandServices, target: Target): Promise<RunNowResponse | undefined> {
  const chosen = await chooseJobOrFile(services, target, l10n.t('Run Now'));
  if (!chosen) return undefined;
  const { connection } = chosen;
  // A second click during the first one's work means the same run.
  const started = await ('job' in chosen
    ? services.singleFlight.once(JSON.stringify(['run', connection.profile.id, chosen.job.job_id]), () =>
        start(services, connection, chosen.job, {}),
      )
    : services.singleFlight.once(`${taskName('run', connection, chosen.deployable)} ${target.taskKey ?? ''}`, () =>
        deployAndStart(services, chosen, onlyTask(target)),
      ));
  // Outside of the joined work: a second click at this point means a new run.
  await refreshAfter(services, connection);
  return started;
}

/** Returns the parameter that limits a run to the task of a job file. */
export function onlyTask({ uri, taskKey }: Target): Pick<RunNowRequest, 'only'> {
  return uri === undefined || taskKey === undefined ? {} : { only: [taskKey] };
}

/** Starts the job with parameters that the user edits first. */
export async function runNowWithParameters(services: CommandServices, target: Target): Promise<void> {
  const chosen = await chooseJobOrFile(services, target, l10n.t('Run Now with Parameters'));
  if (!chosen) return;
  const { connection } = chosen;
  const settings = 'job' in chosen ? await wholeSettings(services, connection, chosen.job) : chosen.deployable.settings;
  const title = l10n.t('Run "{0}" on {1}', jobName({ job_id: '', settings }), connection.profile.name);
  // Asked before a file is deployed: a user who cancels here has changed nothing.
  const parameters = await editParameters(services.ui, title, settings, defaultParameters(settings));
  if (!parameters) return;
  if ('job' in chosen) await start(services, connection, chosen.job, parameters);
  else await deployAndStart(services, chosen, parameters);
  await refreshAfter(services, connection);
}

/** Returns the settings of a job; lists leave parts of jobs with several tasks out. */
async function wholeSettings({ ui }: CommandServices, { client }: Connection, job: Job): Promise<Job['settings']> {
  if (taskKindOf(job.settings) || job.settings?.parameters) return job.settings;
  const read = (signal: AbortSignal): Promise<Job> => client.jobs.get(job.job_id, { signal });
  return (await ui.progress(l10n.t('Loading {0}', jobName(job)), read)).settings;
}

/** Starts a run again unchanged: with its own parameters, or a one-time run with its original request. */
export async function repeatRun(services: CommandServices, target: Target): Promise<string | undefined> {
  return repeat(services, target, async (used) => used);
}

/** Starts a run again after the user has edited its parameters. */
export async function repeatRunWithChanges(services: CommandServices, target: Target): Promise<string | undefined> {
  return repeat(services, target, (used, { title, settings, defaults }) =>
    editParameters(services.ui, title, settings, { ...defaults, ...used }),
  );
}

interface RepeatedRun {
  readonly title: string;
  /** Settings of the job or of the one-time run. */
  readonly settings: Partial<JobSettings> | undefined;
  /** The parameters that the run would have without its own. */
  readonly defaults: EditedParameters;
}

/**
 * Repeats a run.
 * @returns the ID of the new run, or `undefined` if the user canceled
 * @param parametersOf returns the new run's parameters for the old one's own, or `undefined` if the user canceled
 */
async function repeat(
  services: CommandServices,
  target: Target,
  parametersOf: (used: EditedParameters, run: RepeatedRun) => Promise<EditedParameters | undefined>,
): Promise<string | undefined> {
  const found = await connectToRun(services, target, l10n.t('Run again'));
  if (!found) return undefined;
  const { connection, run, name } = found;
  const title = l10n.t('Run {0} again on {1}', name, connection.profile.name);
  const defaults = defaultParameters(run.task);
  if (isOneTime(run) || run.job_id === undefined) {
    // The lists may omit parts of a run.
    const whole = await services.ui.progress(l10n.t('Loading {0}', name), (signal) =>
      connection.client.jobs.getRun(run.run_id, { signal }),
    );
    const request = requestOfRun(whole);
    const parameters = await parametersOf(parametersOfRun(whole), { title, settings: request, defaults });
    return parameters && submit(services, connection, withTaskParameters(request, parameters));
  }
  const jobId = run.job_id;
  const job = await services.ui.progress(l10n.t('Loading the job of {0}', name), (signal) =>
    connection.client.jobs.get(jobId, { signal }),
  );
  // The lists may omit the parameters of a run with several tasks.
  const whole = mayHaveTasks(run) ? await connection.client.jobs.getRun(run.run_id) : run;
  const parameters = await parametersOf(parametersOfRun(whole), { title, settings: job.settings, defaults });
  if (!parameters) return undefined;
  const started = await start(services, connection, job, parameters);
  await refreshAfter(services, connection);
  return started?.run_id;
}

/** Returns the parameters that a run was started with: those of its job, or those of its task. */
export function parametersOfRun({ job_parameters: all = [], overriding_parameters: ofTask }: Run): EditedParameters {
  if (all.length === 0) return ofTask ?? {};
  const values = all.map(({ name = '', value, default: usual = '' }) => [name, value ?? usual]);
  return { job_parameters: Object.fromEntries(values) as Record<string, string> };
}

/** The job or file to run, and the connection on which it was chosen and runs. */
type Chosen = ChosenJob | ChosenFile;

interface ChosenJob {
  readonly connection: Connection;
  readonly job: Job;
}

interface ChosenFile {
  readonly connection: Connection;
  readonly deployable: DeployableFile;
}

/** Returns the job or the job file of the target, or one that the user picks, or `undefined` if the user canceled. */
export async function chooseJobOrFile(
  services: CommandServices,
  target: Target,
  title: string,
): Promise<Chosen | undefined> {
  if (target.uri !== undefined) {
    const deployable = await readRunnable(services, target);
    return deployable && { deployable, connection: await services.connections.connect() };
  }
  const connection = await connectFor(services, target);
  if (target.jobId === undefined) {
    const active = await services.ui.file();
    const files = active?.isJobFile ? [active] : (await services.ui.jobFiles()).slice(0, maxFiles);
    if (files.length > 0) return chooseFileOrJob(services, connection, files, title);
  }
  const job = await resolveJob(services, connection, target, title);
  return job && { connection, job };
}

/** Maximum job files of the workspace that are offered. */
const maxFiles = 50;

/** Lets the user choose from the palette: job files come first, then the existing jobs. */
async function chooseFileOrJob(
  services: CommandServices,
  connection: Connection,
  files: readonly Pick<OpenFile, 'uri' | 'name'>[],
  title: string,
): Promise<Chosen | undefined> {
  const jobs = await services.ui.progress(l10n.t('Loading the jobs of {0}', connection.profile.name), (signal) =>
    connection.client.jobs.list({ signal }),
  );
  const choice = await services.ui.pick<{ job: Job } | { uri: string }>(
    title,
    l10n.t('On {0}', connection.profile.name),
    [
      ...files.map(({ uri, name }) => ({
        label: name,
        description: l10n.t('deploy this file and run it'),
        value: { uri },
      })),
      ...sortJobs(jobs).map((job) => ({ label: jobName(job), description: job.job_id, value: { job } })),
    ],
  );
  if (!choice) return undefined;
  if ('job' in choice) return { connection, job: choice.job };
  const deployable = await readRunnable(services, { uri: choice.uri });
  return deployable && { connection, deployable };
}

type StartParameters = EditedParameters & Pick<RunNowRequest, 'only'>;

async function deployAndStart(
  services: CommandServices,
  { connection, deployable }: ChosenFile,
  parameters: StartParameters,
): Promise<RunNowResponse | undefined> {
  const deployed = await deployJobFile(services, connection, deployable, { isToRun: true });
  if (!deployed) return undefined;
  const job = { job_id: deployed.jobId, settings: deployable.settings };
  // This may have joined a deploy that was confirmed without a run.
  return start(services, connection, job, parameters, deployed.isToRun);
}

async function start(
  services: CommandServices,
  connection: Connection,
  job: Job,
  parameters: StartParameters,
  isSure = false,
): Promise<RunNowResponse | undefined> {
  const name = jobName(job);
  const what = l10n.t('Run job "{0}" ({1})', name, job.job_id);
  if (!isSure && !(await services.connections.confirmMutation(what, connection, { verb: l10n.t('Run') })))
    return undefined;
  const started = await services.ui.progress(l10n.t('Starting {0} on {1}', name, connection.profile.name), (signal) =>
    connection.client.jobs.runNow({ job_id: job.job_id, ...parameters }, { signal }),
  );
  const number = started.number_in_job === undefined ? started.run_id : `#${started.number_in_job}`;
  services.watch(connection.profile.id, started.run_id, `${isolated(name)} ${number}`);
  return started;
}
