import type { JobTask, Run, SubmitRequest } from '../../api/schema/jobs/schemas.ts';
import { taskKinds } from '../../api/schema/jobs/taskKinds.ts';
import type { NamedTask } from '../../runs/runTasks.ts';
import { AppError } from '../../shared/errors.ts';
import { fieldsOf } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { requestOfRun, withTaskParameters } from '../oneTimeRun.ts';
import type { EditedParameters } from '../runParameters.ts';

/** The parts of a run that a copy needs. */
export interface ReplayedRun {
  readonly request: SubmitRequest;
  /** Path of the Python file or notebook on the service, or `undefined` if the task has none. */
  readonly codePath: string | undefined;
  readonly isNotebook: boolean;
}

/** The copy of a run for the local service, and sentences about what it lacks. */
export interface ReplayPlan {
  readonly request: SubmitRequest;
  readonly missing: readonly string[];
}

/**
 * Returns the run's task with its original parameters.
 * @throws AppError `invalid` if this machine cannot run any part of its task
 */
export function replayedRun(run: Run, name: string): ReplayedRun {
  const request = requestOfRun(run);
  const {
    notebook_task: notebook,
    spark_python_task: python,
    spark_jar_task: jar,
    spark_submit_task: submit,
  } = request;
  if (!notebook && !python && !jar && !submit)
    throw new AppError(
      'invalid',
      l10n.t(
        '{0} cannot be replayed here: it is not a run of a notebook, Python file, JAR or spark-submit. Nothing was started.',
        name,
      ),
      { remedy: l10n.t('Replay the runs that it started, one by one.') },
    );
  const used = run.overriding_parameters ?? {};
  const parameters: EditedParameters =
    notebook && used.notebook_params
      ? {
          ...used,
          notebook_params: {
            ...notebook.base_parameters,
            ...used.notebook_params,
          },
        }
      : used;
  return {
    request: withTaskParameters(request, parameters),
    codePath: notebook?.notebook_path ?? python?.python_file,
    isNotebook: Boolean(notebook),
  };
}

/** Returns the run of one task of a run, as runs/get shows a run of a single task. */
export function runOfTask(run: Run, task: NamedTask): Run {
  const { tasks: _tasks, ...rest } = run;
  const pick = (names: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(names.flatMap((name) => (task[name] === undefined ? [] : [[name, task[name]]])));
  const { run_id, state, start_time, end_time, execution_duration } = task;
  const own = { run_id, state, start_time, end_time, execution_duration };
  return {
    ...rest,
    ...own,
    task: pick(taskKinds),
    cluster_spec: pick(['existing_cluster_id', 'new_cluster', 'libraries']),
  };
}

/** Spark settings that only work on the service's own clusters, or that name its data locations. */
const foreignConf = /^spark\.(?:master$|databricks\.|hadoop\.|sql\.warehouse\.dir$|sql\.catalog\.)/;
const secretReference = /\{\{\s*secrets\//;

/**
 * Plans the copy. Anything that exists only on the service is left out and listed; nothing replaces it.
 * @param code its workspace path and text
 */
export function planReplay(replayed: ReplayedRun, code: { path: string; text: string } | undefined): ReplayPlan {
  const { request } = replayed;
  const missing: string[] = [];
  const { existing_cluster_id: clusterId, new_cluster: cluster } = request;
  if (clusterId && clusterId !== 'local')
    missing.push(l10n.t('The cluster {0}: the copy runs on this machine.', clusterId));
  const kept = cluster ? keptCluster(cluster, missing) : undefined;
  for (const library of request.libraries ?? [])
    for (const kind of ['jar', 'egg', 'whl'] as const) {
      const path = library[kind];
      if (path) missing.push(l10n.t('The library {0}: the local service looks for it in its own files.', path));
    }
  const { existing_cluster_id: _cluster, new_cluster: _new, ...rest } = request;
  const copy: SubmitRequest = {
    ...rest,
    ...(kept ? { new_cluster: kept } : { existing_cluster_id: 'local' }),
    ...(code ? withPath(request, code.path) : {}),
  };
  missing.push(...namedInCode(JSON.stringify(parametersOfTask(copy) ?? ''), code?.text ?? ''));
  return { request: copy, missing };
}

function withPath(request: SubmitRequest, path: string): Partial<JobTask> {
  const { notebook_task: notebook, spark_python_task: python } = request;
  if (notebook) {
    // The local service keeps no revisions: it runs the workspace's code.
    const { revision_timestamp: _revision, ...task } = notebook;
    return { notebook_task: { ...task, notebook_path: path } };
  }
  return python ? { spark_python_task: { ...python, python_file: path } } : {};
}

/** Returns the parameters of the task, whatever its type. */
export function parametersOfTask(request: Partial<JobTask>): unknown {
  return (
    request.notebook_task?.base_parameters ??
    request.spark_python_task?.parameters ??
    request.spark_jar_task?.parameters ??
    request.spark_submit_task?.parameters
  );
}

type NewCluster = NonNullable<SubmitRequest['new_cluster']>;

/** Returns the cluster settings that have the same meaning on one machine and lists the rest. Returns `undefined` if there are none. */
function keptCluster(cluster: NewCluster, missing: string[]): NewCluster | undefined {
  const { spark_version: version, node_type_id: node } = cluster;
  missing.push(
    l10n.t(
      'Its cluster ({0}): the copy runs on this machine.',
      [version, node].filter((each) => typeof each === 'string').join(', '),
    ),
  );
  const scripts = Array.isArray(cluster['init_scripts']) ? cluster['init_scripts'].length : 0;
  if (scripts > 0) missing.push(l10n.t('Init scripts ({0}) do not run here.', scripts));
  for (const attributes of ['cloud_attributes', 'aws_attributes']) {
    const profile = fieldsOf(cluster[attributes])?.['instance_profile_arn'];
    if (typeof profile === 'string')
      missing.push(l10n.t('The instance profile {0}, and what it gives access to.', profile));
  }
  if (cluster['docker_image']) missing.push(l10n.t("The container image: the copy runs in this machine's Python."));
  const conf = keptEntries(cluster['spark_conf'], (name) => foreignConf.test(name));
  if (conf.left.length > 0) missing.push(l10n.t('Settings of Spark: {0}.', conf.left.join(', ')));
  const variables = keptEntries(cluster['spark_env_vars'], () => false);
  if (variables.left.length > 0)
    missing.push(l10n.t('Environment variables from secrets: {0}.', variables.left.join(', ')));
  if (Object.keys({ ...conf.kept, ...variables.kept }).length === 0) return undefined;
  return {
    spark_version: version,
    ...(node === undefined ? {} : { node_type_id: node }),
    num_workers: 0,
    spark_conf: conf.kept,
    spark_env_vars: variables.kept,
  };
}

function keptEntries<V>(
  entries: Readonly<Record<string, V>> | undefined,
  isForeign: (name: string) => boolean,
): { kept: Record<string, V>; left: string[] } {
  const all = Object.entries(entries ?? {});
  const isLeft = ([name, value]: [string, V]): boolean => isForeign(name) || secretReference.test(String(value));
  return {
    kept: Object.fromEntries(all.filter((each) => !isLeft(each))),
    left: all.filter(isLeft).map(([name]) => name),
  };
}

const remotePath = /\b(?:dbfs|dfs|objstore|s3|s3a|s3n|gs|abfss|abfs|wasbs|wasb|adl):\/[^\s"'`,;)\]}\\]{1,300}/g;
const mountedPath = /["'`=](\/(?:dbfs|mnt|Volumes)\/[^\s"'`,;)\]}\\]{1,300})/g;
const secret =
  /dbutils\.secrets\.get(?:Bytes)?\(\s{0,20}(?:scope\s{0,5}=\s{0,5})?["']([^"']{1,200})["']\s{0,20},\s{0,20}(?:key\s{0,5}=\s{0,5})?["']([^"']{1,200})["']/g;
const table = /(?:\.table|\.saveAsTable|\.insertInto)\(\s{0,20}["']([^"']{1,300})["']/g;
const sql = /(?:\bspark|\bsqlContext)\.sql\(|^(?:# MAGIC )?%sql\b/m;
/** Maximum names per kind; the rest is counted. */
const maxNamed = 8;

/**
 * Describes the resources outside this machine that a run's parameters and its own file name. Only literals are found, not names built at
 * run time or used by imported modules.
 */
export function namedInCode(parameters: string, code: string): string[] {
  const whole = `${parameters}\n${code}`;
  const found: string[] = [];
  const paths = [...whole.matchAll(remotePath)].map(([path]) => path);
  paths.push(...[...whole.matchAll(mountedPath)].map(([, path]) => path ?? ''));
  const secrets = [...code.matchAll(secret)].map(([, scope, key]) => `${scope}/${key}`);
  const tables = [...code.matchAll(table)].map(([, name]) => name ?? '');
  if (paths.length > 0) found.push(l10n.t('Files and mounts: {0}.', listOf(paths)));
  if (secrets.length > 0) found.push(l10n.t('Secrets: {0}.', listOf(secrets)));
  else if (code.includes('dbutils.secrets')) found.push(l10n.t('Secrets: the code reads some.'));
  if (tables.length > 0) found.push(l10n.t('Tables: {0}.', listOf(tables)));
  if (sql.test(code)) found.push(l10n.t('The tables in its SQL: Spark on this machine has its own.'));
  return found;
}

function listOf(names: readonly string[]): string {
  const all = [...new Set(names)];
  const more = all.length - maxNamed;
  return [...all.slice(0, maxNamed), ...(more > 0 ? [l10n.t('and {0} more', more)] : [])].join(', ');
}
