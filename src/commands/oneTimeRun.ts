import type { JobSettings, JobTask, Run, SubmitRequest } from '../api/schema/jobs/schemas.ts';
import { submitFields } from '../api/schema/jobs/settings.ts';
import { taskSettingsNames } from '../api/schema/jobs/taskList.ts';
import type { Connection } from '../connection/connection.ts';
import { tasksOf } from '../runs/runTasks.ts';
import { l10n } from '../shared/l10n.ts';
import { refreshAfter } from './connectFor.ts';
import { readDeployable } from './deployableFile.ts';
import type { EditedParameters } from './runParameters.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/** Runs a job file once, without creating or changing a job (jobs/runs/submit). */
export async function submitJobFile(services: CommandServices, target: Target): Promise<void> {
  const deployable = await readDeployable(services, target);
  if (!deployable) return;
  const connection = await services.connections.connect();
  await submit(services, connection, requestOfSettings(deployable.settings));
}

/** Returns the settings that a one-time run supports; it has no schedule, retries and the like. */
export function requestOfSettings(settings: JobSettings): SubmitRequest {
  const names = Object.keys(submitFields);
  const shared = Object.entries(settings).filter(([name]) => names.includes(name));
  return { ...Object.fromEntries(shared), ...(settings.name === undefined ? {} : { run_name: settings.name }) };
}

/** Returns a one-time run's request, as far as the service returns it: its task or tasks, clusters and name. */
export function requestOfRun(run: Run): SubmitRequest {
  const { run_name: name, cluster_spec: cluster, task } = run;
  return { ...cluster, ...task, ...listsOf(run), ...(name === undefined ? {} : { run_name: name }) };
}

/** Returns the lists of a run with several tasks, without what its runs added. */
function listsOf(run: Run): Partial<SubmitRequest> {
  const tasks = tasksOf(run).map((task) =>
    Object.fromEntries(Object.entries(task).filter(([name]) => taskSettingsNames.includes(name))),
  );
  if (tasks.length === 0 || run.task) return {};
  const shared = Object.entries(run).filter(([name]) => ['job_clusters', 'environments'].includes(name));
  const parameters = (run.job_parameters ?? []).map(({ name, value, default: usual }) => ({
    name,
    default: value ?? usual ?? '',
  }));
  return {
    ...Object.fromEntries(shared),
    tasks,
    ...(parameters.length > 0 ? { parameters } : {}),
  } as Partial<SubmitRequest>;
}

/** Returns the request with other task parameters, the only parameters of a one-time run. */
export function withTaskParameters(request: SubmitRequest, parameters: EditedParameters): SubmitRequest {
  const { notebook_params: map, jar_params: jar, python_params: python, spark_submit_params: spark } = parameters;
  const changed: Partial<JobTask> = {
    ...(request.notebook_task && map ? { notebook_task: { ...request.notebook_task, base_parameters: map } } : {}),
    ...(request.spark_jar_task && jar ? { spark_jar_task: { ...request.spark_jar_task, parameters: jar } } : {}),
    ...(request.spark_python_task && python
      ? { spark_python_task: { ...request.spark_python_task, parameters: python } }
      : {}),
    ...(request.spark_submit_task && spark
      ? { spark_submit_task: { ...request.spark_submit_task, parameters: spark } }
      : {}),
  };
  return { ...request, ...changed };
}

/**
 * Sends the request after the user has confirmed profile and name.
 * @returns the ID of the run, or `undefined` if the user declined
 */
export async function submit(
  services: CommandServices,
  connection: Connection,
  request: SubmitRequest,
): Promise<string | undefined> {
  const name = request.run_name ?? l10n.t('Untitled');
  const what = l10n.t('Run "{0}" once', name);
  if (!(await services.connections.confirmMutation(what, connection, { verb: l10n.t('Run') }))) return undefined;
  const started = await services.ui.progress(l10n.t('Starting {0} on {1}', name, connection.profile.name), (signal) =>
    connection.client.jobs.submit(request, { signal }),
  );
  services.watch(connection.profile.id, started.run_id, name);
  await refreshAfter(services, connection);
  return started.run_id;
}
