import type * as z from 'zod';
import { dateTimeFormat } from '../../shared/dateTimeFormat.ts';
import { l10n } from '../../shared/l10n.ts';
import { listed } from '../../shared/listed.ts';
import { nextFireTimes } from '../../shared/quartz.ts';
import { firstNonAscii, isAscii, utf8Bytes } from '../field.ts';
import { libraryKinds } from './library.ts';
import { taskKinds } from './taskKinds.ts';

/**
 * The rules between fields of the Jobs API 2.0 document. They are written on unknown values, so that the same
 * functions judge what the client sends, what the local service gets and what stands in a half-written file.
 */

export type RulePath = readonly (string | number)[];
export type Report = (path: RulePath, code: string, message: string) => void;
type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function has(fields: Fields | undefined, key: string): boolean {
  return fields?.[key] !== undefined && fields[key] !== null;
}

/** Rules of JobSettings as a whole (Jobs API 2.0, JobSettings and the structures below it). */
export function checkJobSettings(settings: unknown, report: Report): void {
  const fields = fieldsOf(settings);
  if (!fields) return;
  checkTask(fields, report);
  checkCluster(fields, report);
  checkLibraries(fields, report);
  checkSchedule(fields, report);
}

/** Rules of a runs/submit body (Jobs API 2.0, Endpoints, runs/submit). */
export function checkSubmit(body: unknown, report: Report): void {
  const fields = fieldsOf(body);
  if (!fields) return;
  checkTask(fields, report);
  checkCluster(fields, report);
  checkLibraries(fields, report);
  const name = fields['run_name'];
  if (typeof name === 'string' && utf8Bytes(name) > 4096) {
    report(['run_name'], 'runNameTooLong', l10n.t('run_name has {0} bytes in UTF-8; at most 4096 are allowed. Shorten it.', utf8Bytes(name)));
  }
  checkToken(fields, report);
}

/** Rules of a run-now body (Jobs API 2.0, RunParameters and Endpoints rule 4). */
export function checkRunNow(body: unknown, report: Report): void {
  const fields = fieldsOf(body);
  if (!fields) return;
  const kinds = ['jar_params', 'notebook_params', 'python_params', 'spark_submit_params'].filter((kind) => has(fields, kind));
  if (kinds.length > 1) {
    report([kinds[1] ?? ''], 'oneParameterKind', l10n.t('{0} are given; a run takes only the one kind that its task reads. Remove the others.', listed(kinds)));
  }
  for (const kind of kinds) {
    const bytes = utf8Bytes(JSON.stringify(fields[kind]));
    if (bytes > 10_000) report([kind], 'parametersTooLarge', l10n.t('the JSON form of {0} has {1} bytes; at most 10,000 are allowed. Pass large values through a file.', kind, bytes));
  }
  checkToken(fields, report);
}

function checkToken(fields: Fields, report: Report): void {
  const token = fields['idempotency_token'];
  if (typeof token === 'string' && [...token].length > 64) {
    report(['idempotency_token'], 'tokenTooLong', l10n.t('idempotency_token has {0} characters; at most 64 are allowed.', [...token].length));
  }
}

/** Jobs API 2.0, Limits: tasks per job. */
const mostTasks = 100;

function checkTask(fields: Fields, report: Report): void {
  const kinds = taskKinds.filter((kind) => has(fields, kind));
  if (kinds.length > 1) {
    report([kinds[1] ?? ''], 'oneTask', l10n.t('{0} are given; a job has one task. Keep one of them.', listed(kinds)));
  }
  if (kinds.length === 0 && !has(fields, 'tasks')) {
    report([], 'noTask', l10n.t('no task is given. Add one of {0}.', listed(taskKinds)));
  }
  const tasks = fields['tasks'];
  if (Array.isArray(tasks) && tasks.length > mostTasks) {
    report(['tasks'], 'tooManyTasks', l10n.t('{0} tasks are given; a job has at most {1}. Move some to another job.', tasks.length, mostTasks));
  }
  if (has(fields, 'spark_submit_task')) checkSparkSubmit(fields, report);
}

const reservedSubmitFlags = ['--master', '--deploy-mode', '--executor-cores'];

function checkSparkSubmit(fields: Fields, report: Report): void {
  if (has(fields, 'existing_cluster_id')) {
    report(['existing_cluster_id'], 'submitNeedsNewCluster', l10n.t('a spark_submit_task runs only on a new cluster. Replace existing_cluster_id by new_cluster.'));
  }
  const libraries = fields['libraries'];
  if (Array.isArray(libraries) && libraries.length > 0) {
    report(['libraries'], 'submitLibraries', l10n.t('libraries are not supported with a spark_submit_task. Use --jars and --py-files in its parameters.'));
  }
  const cluster = fieldsOf(fields['new_cluster']);
  if (has(cluster, 'spark_conf')) {
    report(['new_cluster', 'spark_conf'], 'submitSparkConf', l10n.t('spark_conf is not supported with a spark_submit_task. Use --conf in its parameters.'));
  }
  const parameters = fieldsOf(fields['spark_submit_task'])?.['parameters'];
  if (!Array.isArray(parameters)) return;
  parameters.forEach((parameter: unknown, index) => {
    if (typeof parameter !== 'string') return;
    const flag = reservedSubmitFlags.find((name) => parameter === name || parameter.startsWith(`${name}=`));
    if (flag) report(['spark_submit_task', 'parameters', index], 'submitReservedFlag', l10n.t('{0} is set automatically and must not be given. Remove it and its value.', flag));
  });
}

function checkCluster(fields: Fields, report: Report): void {
  const existing = has(fields, 'existing_cluster_id');
  const created = has(fields, 'new_cluster');
  if (existing && created) {
    report(['existing_cluster_id'], 'oneCluster', l10n.t('existing_cluster_id and new_cluster are both given; a job uses one of them. Remove one.'));
  }
  const needsNone = has(fields, 'pipeline_task') || has(fields, 'run_job_task') || has(fields, 'tasks');
  if (!existing && !created && !needsNone && taskKinds.some((kind) => has(fields, kind))) {
    report([], 'noCluster', l10n.t('no cluster is given. Add existing_cluster_id or new_cluster; only a pipeline task or a run-job task can do without.'));
  }
  const cluster = fieldsOf(fields['new_cluster']);
  if (cluster) checkNewCluster(cluster, ['new_cluster'], report);
}

function checkNewCluster(cluster: Fields, path: RulePath, report: Report): void {
  const hasSize = has(cluster, 'num_workers');
  const hasAutoscale = has(cluster, 'autoscale');
  if (hasSize && hasAutoscale) report([...path, 'autoscale'], 'oneSize', l10n.t('num_workers and autoscale are both given; a cluster has one of them. Remove one.'));
  // A single-node cluster, as real job files describe it, has a driver and no workers.
  const isSingleNode = fieldsOf(cluster['spark_conf'])?.['spark.databricks.cluster.profile'] === 'singleNode' || cluster['is_single_node'] === true;
  if (!hasSize && !hasAutoscale && !isSingleNode && !has(cluster, 'policy_id')) report(path, 'noSize', l10n.t('no size is given. Add num_workers or autoscale.'));
  const scale = fieldsOf(cluster['autoscale']);
  const [least, most] = [scale?.['min_workers'], scale?.['max_workers']];
  if (typeof least === 'number' && typeof most === 'number' && most <= least) {
    report([...path, 'autoscale', 'max_workers'], 'autoscaleOrder', l10n.t('max_workers is {0} and must be greater than min_workers, which is {1}.', most, least));
  }
  if (!has(cluster, 'node_type_id') && !has(cluster, 'instance_pool_id') && !has(cluster, 'policy_id')) {
    report(path, 'noNodeType', l10n.t('no node type is given. Add node_type_id or instance_pool_id.'));
  }
  if (has(cluster, 'driver_instance_pool_id') && !has(cluster, 'instance_pool_id')) {
    report([...path, 'driver_instance_pool_id'], 'driverPoolNeedsPool', l10n.t('driver_instance_pool_id needs instance_pool_id. Add it.'));
  }
  checkStorage(cluster, path, report);
  checkEnvironment(cluster, path, report);
  checkVolumes(fieldsOf(cluster['cloud_attributes']), [...path, 'cloud_attributes'], report);
}

function checkStorage(cluster: Fields, path: RulePath, report: Report): void {
  const logs = fieldsOf(cluster['cluster_log_conf']);
  if (logs) {
    exactlyOne(logs, [...path, 'cluster_log_conf'], 'logDestination', ['dfs', 'objstore'], report);
    checkObjstore(fieldsOf(logs['objstore']), [...path, 'cluster_log_conf', 'objstore'], report);
  }
  const scripts = cluster['init_scripts'];
  if (!Array.isArray(scripts)) return;
  scripts.forEach((script: unknown, index) => {
    const info = fieldsOf(script);
    if (!info) return;
    const place = [...path, 'init_scripts', index];
    exactlyOne(info, place, 'initScriptPlace', ['workspace', 'dfs', 'objstore', 'file'], report);
    checkObjstore(fieldsOf(info['objstore']), [...place, 'objstore'], report);
  });
}

/** Exactly one of the known keys; a key that this version does not know counts as one too, since servers have more kinds. */
function exactlyOne(fields: Fields, path: RulePath, code: string, known: readonly string[], report: Report): void {
  const given = Object.keys(fields).filter((key) => has(fields, key));
  const chosen = given.filter((key) => known.includes(key));
  if (chosen.length > 1) report([...path, chosen[1] ?? ''], code, l10n.t('{0} are given; exactly one is allowed. Keep one of them.', listed(chosen)));
  else if (given.length === 0) report(path, code, l10n.t('one of {0} is required. Add it.', listed(known)));
}

function checkObjstore(storage: Fields | undefined, path: RulePath, report: Report): void {
  if (storage && !has(storage, 'region') && !has(storage, 'warehouse')) {
    report(path, 'objstoreRegion', l10n.t('region or warehouse is required. Add one; warehouse wins where both are given.'));
  }
}

function checkEnvironment(cluster: Fields, path: RulePath, report: Report): void {
  const variables = fieldsOf(cluster['spark_env_vars']);
  for (const [name, value] of Object.entries(variables ?? {})) {
    for (const text of [name, value]) {
      if (typeof text === 'string' && !isAscii(text)) {
        report([...path, 'spark_env_vars', name], 'asciiOnly', l10n.t('spark_env_vars holds ASCII characters only; {0} is not one.', firstNonAscii(text)));
      }
    }
  }
}

function checkVolumes(cloud: Fields | undefined, path: RulePath, report: Report): void {
  const size = cloud?.['block_volume_size'];
  if (typeof size !== 'number') return;
  const disk = cloud?.['block_volume_type'] === 'THROUGHPUT_OPTIMIZED_HDD';
  const least = disk ? 500 : 100;
  if (size < least || size > 4096) {
    report([...path, 'block_volume_size'], 'volumeSize', disk
      ? l10n.t('block_volume_size is {0} GiB; a throughput optimized HDD has {1} to 4096.', size, least)
      : l10n.t('block_volume_size is {0} GiB; a general purpose SSD has {1} to 4096.', size, least));
  }
}

function checkLibraries(fields: Fields, report: Report): void {
  const libraries = fields['libraries'];
  if (!Array.isArray(libraries)) return;
  libraries.forEach((entry: unknown, index) => {
    const info = fieldsOf(entry);
    if (info) exactlyOne(info, ['libraries', index], 'oneLibraryKind', libraryKinds, report);
    const wheel = info?.['whl'];
    if (typeof wheel === 'string' && !/\.whl$|\.wheelhouse\.zip$/.test(wheel)) {
      report(['libraries', index, 'whl'], 'wheelName', l10n.t('a wheel ends in .whl and zipped wheels in .wheelhouse.zip.'));
    }
  });
}

function checkSchedule(fields: Fields, report: Report): void {
  const schedule = fieldsOf(fields['schedule']);
  const [expression, zone] = [schedule?.['quartz_cron_expression'], schedule?.['timezone_id']];
  if (typeof expression !== 'string' || typeof zone !== 'string') return;
  if (!isTimeZone(zone)) {
    report(['schedule', 'timezone_id'], 'unknownTimezone', l10n.t('"{0}" is not a time zone that is known here. Use an identifier such as Europe/Berlin or UTC.', zone));
    return;
  }
  try {
    nextFireTimes(expression, zone, 0, 1);
  } catch (error) {
    report(['schedule', 'quartz_cron_expression'], 'cron', error instanceof Error ? error.message : String(error));
  }
}

/** Whether this machine knows the time zone (Jobs API 2.0, CronSchedule). */
export function isTimeZone(id: string): boolean {
  try {
    return Boolean(dateTimeFormat('en', { timeZone: id }));
  } catch {
    // The platform tells an unknown identifier only by throwing.
    return false;
  }
}

/** A rule function as a zod refinement: each report becomes an issue that keeps its code. */
function refinement(check: (value: unknown, report: Report) => void) {
  return (value: unknown, context: z.core.$RefinementCtx): void => {
    check(value, (path, code, message) => {
      context.addIssue({ code: 'custom', path: [...path], message, params: { rule: code } });
    });
  };
}

/** The rules above, for the schemas of the bodies that they judge. */
export const refineJobSettings = refinement(checkJobSettings);
export const refineSubmit = refinement(checkSubmit);
export const refineRunNow = refinement(checkRunNow);
