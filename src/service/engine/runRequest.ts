import { withParamMaps } from '../../api/schema/jobs/paramPairs.ts';
import { parseJson } from '../../shared/json.ts';
import { requestWithoutNulls } from '../base/requestWithoutNulls.ts';
import type { RunnerClusterSpec, RunRequest } from '../runners/runner.ts';
import type { ActiveRun } from './activeRun.ts';
import type { EngineSettings } from './engineSettings.ts';
import { runFolder } from './runFolder.ts';

/** What a runner gets for this run. */
export function toRunRequest(run: ActiveRun, dataFolder: string): RunRequest {
  const { record, settings, plan } = run;
  return {
    runId: record.runId,
    jobId: record.jobId,
    runName: record.runName,
    attemptNumber: record.attemptNumber,
    task: withParamMaps({ ...settings }),
    clusterSpec: clusterSpecOf(settings),
    clusterId: record.clusterId ?? '',
    parameters: withParamMaps(requestWithoutNulls(parseJson(plan.parameters)) as Record<string, unknown>),
    dynamicValues: dynamicValues(run),
    folder: runFolder(dataFolder, record.runId),
    debug: run.debug !== undefined,
  };
}

/** Spark reads every setting as text, and clients write numbers and booleans too. */
function clusterSpecOf(settings: EngineSettings): RunnerClusterSpec {
  const cluster = settings.new_cluster;
  const conf = cluster?.spark_conf;
  return {
    existing_cluster_id: settings.existing_cluster_id,
    new_cluster:
      cluster && conf
        ? {
            ...cluster,
            spark_conf: Object.fromEntries(Object.entries(conf).map(([name, value]) => [name, String(value)])),
          }
        : cluster,
    libraries: settings.libraries,
  };
}

/** What `{{name}}` stands for in parameters (Jobs API 2.0, RunParameters: dynamic value references). */
function dynamicValues({ record, settings }: ActiveRun): Record<string, string> {
  const start = new Date(record.createdAt).toISOString();
  const values: Record<string, string> = {
    run_id: record.runId,
    parent_run_id: record.parentRunId ?? record.runId,
    start_date: start.slice(0, 10),
    start_time: String(record.createdAt),
    task_retry_count: String(record.attemptNumber),
    task_key: record.runName,
    'run.id': record.runId,
    'job.run_id': record.runId,
    'job.start_time.iso_date': start.slice(0, 10),
    'job.start_time.iso_datetime': start,
    'job.name': settings.name ?? record.runName,
  };
  const jobId = record.jobId ?? record.oneTimeJobId;
  if (jobId !== undefined) {
    values['job_id'] = jobId;
    values['job.id'] = jobId;
  }
  return values;
}
