import type { Job, JobSettings, JobTask } from '../api/jobs/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import { isOneTime } from '../runs/runStore.ts';
import { jobName } from '../runs/treeModel.ts';
import { l10n } from '../shared/l10n.ts';
import { deployJobFile, readJobFile } from './deploy.ts';
import { offer } from './offer.ts';
import { defaultParameters, editParameters, type EditedParameters } from './parameters.ts';
import type { CommandServices } from './services.ts';
import { resolveJob, resolveRun, runName, type Target } from './target.ts';

/** Starts the job as it is; the job of a job file is deployed first, so that what runs is what is seen (jobs/run-now). */
export async function runNow(services: CommandServices, target: Target): Promise<void> {
  const found = await jobToRun(services, target, l10n.t('Run now'));
  if (found) await start(services, found.connection, found.job, {});
}

/** Starts the job with parameters that the user edits first. */
export async function runNowWithParameters(services: CommandServices, target: Target): Promise<void> {
  const chosen = await chooseTarget(services, target, l10n.t('Run now with parameters'));
  if (!chosen) return;
  const edit = async (settings: Partial<JobSettings> | undefined): Promise<EditedParameters | undefined> => {
    const title = l10n.t('Run "{0}" on {1}', jobName({ job_id: '', settings }), services.connections.current.name);
    return editParameters(services.ui, title, settings, defaultParameters(settings));
  };
  if (chosen.uri === undefined) {
    const found = await jobToRun(services, chosen, l10n.t('Run now with parameters'));
    const parameters = found && (await edit(found.job.settings));
    if (parameters) await start(services, found.connection, found.job, parameters);
    return;
  }
  // Asked before the file is deployed: who gives up here has changed nothing.
  const deployable = await readJobFile(services, chosen);
  const parameters = deployable && (await edit(deployable.settings));
  const found = parameters && (await jobToRun(services, chosen, l10n.t('Run now with parameters')));
  if (found) await start(services, found.connection, found.job, parameters);
}

/** Starts a run again with its own parameters, edited first. */
export async function repeatRun(services: CommandServices, target: Target): Promise<void> {
  const connection = await services.connections.connect();
  const run = await resolveRun(services, connection, target, l10n.t('Run again'), (candidate) => !isOneTime(candidate));
  if (!run?.job_id) return;
  const jobId = run.job_id;
  const job = await services.ui.progress(l10n.t('Loading the job of {0}', runName(services, run)), (signal) => connection.client.jobs.get(jobId, { signal }));
  const used: EditedParameters = { ...defaultParameters(run.task as Partial<JobTask> | undefined), ...(run.overriding_parameters as EditedParameters | undefined) };
  const parameters = await editParameters(services.ui, l10n.t('Run {0} again on {1}', runName(services, run), connection.profile.name), job.settings, used);
  if (parameters) await start(services, connection, job, parameters);
}

async function jobToRun(services: CommandServices, target: Target, title: string): Promise<{ connection: Connection; job: Job } | undefined> {
  const chosen = await chooseTarget(services, target, title);
  if (!chosen) return undefined;
  const jobId = chosen.uri === undefined ? chosen.jobId : await deployedJobId(services, chosen);
  if (jobId === undefined) return undefined;
  const connection = await services.connections.connect();
  const job = await resolveJob(services, connection, { jobId }, title);
  return job && { connection, job };
}

async function chooseTarget(services: CommandServices, target: Target, title: string): Promise<Target | undefined> {
  return target.uri === undefined && target.jobId === undefined ? chooseFileOrJob(services, title) : target;
}

/** From the palette: the job file in front of the user comes first, then the jobs that are there. */
async function chooseFileOrJob(services: CommandServices, title: string): Promise<Target | undefined> {
  const connection = await services.connections.connect();
  const active = await services.ui.file();
  if (!active?.isJobFile) {
    const job = await resolveJob(services, connection, {}, title);
    return job && { jobId: job.job_id };
  }
  const jobs = await services.ui.progress(l10n.t('Loading the jobs of {0}', connection.profile.name), (signal) => connection.client.jobs.list({ signal }));
  return services.ui.pick<Target>(title, l10n.t('On {0}', connection.profile.name), [
    { label: active.name, description: l10n.t('deploy this file and run it'), value: { uri: active.uri } },
    ...jobs.map((job) => ({ label: jobName(job), description: job.job_id, value: { jobId: job.job_id } })),
  ]);
}

async function deployedJobId(services: CommandServices, target: Target): Promise<string | undefined> {
  return (await deployJobFile(services, target))?.jobId;
}

async function start(services: CommandServices, connection: Connection, job: Job, parameters: EditedParameters): Promise<void> {
  const name = jobName(job);
  if (!(await services.connections.confirmMutation(l10n.t('Run job "{0}" ({1})', name, job.job_id), connection))) return;
  const started = await services.ui.progress(l10n.t('Starting {0} on {1}', name, connection.profile.name), (signal) =>
    connection.client.jobs.runNow({ job_id: job.job_id, ...parameters }, { signal }));
  services.watch(started.run_id);
  await services.refresh();
  const number = started.number_in_job === undefined ? started.run_id : `#${started.number_in_job}`;
  offer(services.ui, l10n.t('Started {0} {1} on {2}.', name, number, connection.profile.name), l10n.t('Show Output'), () => services.ui.showRunOutput(connection.profile.id, started.run_id));
}
