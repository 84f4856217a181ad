import { describeError } from '../../../shared/errors.ts';
import { fieldsOf, type Fields } from '../../../shared/fields.ts';
import { stringifyJson } from '../../../shared/json.ts';
import { l10n } from '../../../shared/l10n.ts';
import { findTimeZoneProblem, nextFireTimes } from '../../../shared/quartz/quartz.ts';
import { similarNames } from '../../../shared/similarNames.ts';
import { listed, listedOr } from '../../../shared/text.ts';
import { countCharacters, maxTextLength, utf8Bytes } from '../field.ts';
import { checkNewCluster } from './clusterRules.ts';
import { foreignLibraryKinds, libraryKinds } from './library.ts';
import { documentedMetric, healthMetrics } from './notifications.ts';
import { exactlyOne, has, refinement, type ReportProblem } from './rule.ts';
import { readSparkSubmit } from './sparkSubmitOptions.ts';
import { foreignTaskKinds, runParameterKinds, taskKinds } from './taskKinds.ts';
import { checkTaskList } from './taskListRules.ts';

/**
 * The rules between fields of the Jobs API 2.0 document. They take unknown values, so that the same functions check what the client sends,
 * what the local service receives and what a half-written file contains.
 */

/** Checks the rules of JobSettings as a whole (Jobs API 2.0, JobSettings and the structures below it). */
export function checkJobSettings(settings: unknown, report: ReportProblem): void {
  const fields = fieldsOf(settings);
  if (!fields) return;
  checkTask(fields, report);
  checkCluster(fields, report);
  checkLibraries(fields, report);
  checkSchedule(fields, report);
  checkHealth(fields, report);
}

/** Checks the rules of a runs/submit body (Jobs API 2.0, Endpoints, runs/submit). */
export function checkSubmit(body: unknown, report: ReportProblem): void {
  const fields = fieldsOf(body);
  if (!fields) return;
  checkTask(fields, report);
  checkCluster(fields, report);
  checkLibraries(fields, report);
  checkHealth(fields, report);
  const name = fields['run_name'];
  if (typeof name === 'string' && utf8Bytes(name) > 4096) {
    report(
      ['run_name'],
      'runNameTooLong',
      l10n.t('run_name has {0} bytes in UTF-8, but at most 4096 are allowed. Shorten it.', utf8Bytes(name)),
    );
  }
  checkToken(fields, report);
}

/** Fields of a run-now body. */
const runNowFields = [
  'job_id',
  ...runParameterKinds,
  'python_named_params',
  'job_parameters',
  'only',
  'idempotency_token',
  // Of today's services; the local service has nothing to do for them.
  'queue',
  'performance_target',
  'pipeline_params',
  'sql_params',
  'dbt_commands',
] as const;

/** Checks the rules of a run-now body (Jobs API 2.0, RunParameters and Endpoints rule 4). */
export function checkRunNow(body: unknown, report: ReportProblem): void {
  const fields = fieldsOf(body);
  if (!fields) return;
  checkKnown(fields, runNowFields, report);
  const kinds = runParameterKinds.filter((kind) => isGiven(fields[kind]));
  if (kinds.length > 1) {
    report(
      [kinds[1] ?? ''],
      'oneParameterKind',
      l10n.t('{0} are given, but a run takes only the kind that its task reads. Remove the others.', listed(kinds)),
    );
  }
  for (const kind of kinds) {
    const bytes = utf8Bytes(stringifyJson(fields[kind]));
    if (bytes > 10_000)
      report(
        [kind],
        'parametersTooLarge',
        l10n.t(
          'The JSON form of {0} has {1} bytes, but at most 10,000 are allowed. Pass large values through a file.',
          kind,
          bytes,
        ),
      );
  }
  if (kinds.includes('spark_submit_params'))
    checkSubmitFlags(fields['spark_submit_params'], ['spark_submit_params'], report);
  checkToken(fields, report);
}

/** Returns whether parameters were given for a run. An empty list means the same as leaving them out (Jobs API 2.0, RunParameters). */
export function isGiven(parameters: unknown): boolean {
  if (parameters === undefined || parameters === null) return false;
  return typeof parameters !== 'object' || Object.keys(parameters).length > 0;
}

/** Maximum unknown fields that are named; more would add nothing new. */
const maxUnknown = 20;

/**
 * Reports unknown fields of a request that is not settings, since they would be dropped silently.
 * @param known the fields of the request
 */
function checkKnown(fields: Fields, known: readonly string[], report: ReportProblem): void {
  const unknown = Object.keys(fields)
    .filter((name) => !known.includes(name))
    .slice(0, maxUnknown);
  for (const name of unknown) {
    const similar =
      name.length > maxNameLength
        ? []
        : similarNames(
            name,
            known.filter((other) => !Object.hasOwn(fields, other)),
          );
    const message =
      similar.length > 0
        ? l10n.t('is not a field of this request. Did you mean {0}?', listedOr(similar))
        : l10n.t('is not a field of this request, whose fields are {0}. Remove it.', listed(known));
    report([name], 'unknownField', message);
  }
}

/** Maximum length of a name that may be a misspelling. */
const maxNameLength = 100;

function checkToken(fields: Fields, report: ReportProblem): void {
  const token = fields['idempotency_token'];
  if (typeof token === 'string' && countCharacters(token) > 64) {
    report(
      ['idempotency_token'],
      'tokenTooLong',
      l10n.t('idempotency_token has {0} characters, but at most 64 are allowed.', countCharacters(token)),
    );
  }
}

function checkTask(fields: Fields, report: ReportProblem): void {
  const kinds = taskKinds.filter((kind) => has(fields, kind));
  if (kinds.length > 1) {
    report(
      [kinds[1] ?? ''],
      'oneTask',
      l10n.t('{0} are given, but a job has one task. Keep one of them.', listed(kinds)),
    );
  }
  const foreign = foreignTaskKinds.find((kind) => has(fields, kind));
  if (foreign !== undefined) {
    report(
      [foreign],
      'foreignTask',
      l10n.t(
        '{0} is not part of the Jobs API 2.0. It is sent unchanged, and the local service cannot run it.',
        foreign,
      ),
      'warning',
    );
  } else if (kinds.length === 0 && !isGiven(fields['tasks'])) {
    const message = Array.isArray(fields['tasks'])
      ? l10n.t('tasks is empty. Add a task to it.')
      : l10n.t('No task is given. Add tasks, or one of {0}.', listed(taskKinds));
    report([], 'noTask', message);
  }
  const beside = Array.isArray(fields['tasks']) && fields['tasks'].length > 0 ? kinds[0] : undefined;
  if (beside !== undefined)
    report(
      [beside],
      'oneTask',
      l10n.t('{0} is given beside tasks. Move it into tasks, or remove one of them.', beside),
    );
  checkTaskList(fields, report, checkListedTask);
  checkPrograms(fields, report);
}

/** Checks an entry of `tasks` by itself. */
function checkListedTask(task: Fields, report: ReportProblem): void {
  checkPrograms(task, report);
  const cluster = fieldsOf(task['new_cluster']);
  if (cluster) checkNewCluster(cluster, ['new_cluster'], report);
  checkLibraries(task, report);
  checkHealth(task, report);
}

function checkPrograms(fields: Fields, report: ReportProblem): void {
  if (has(fields, 'spark_submit_task')) checkSparkSubmit(fields, report);
  const jar = fieldsOf(fields['spark_jar_task']);
  if (jar && !has(jar, 'main_class_name'))
    report(['spark_jar_task'], 'noMainClass', l10n.t('No class is named. Add main_class_name.'), 'warning');
  checkProgramPath(fields, 'spark_python_task', 'python_file', report);
  checkProgramPath(fields, 'spark_jar_task', 'jar_uri', report);
}

/** Checks that a path needs no folder to start from, unless it is one of a repository, which later versions of the API know. */
function checkProgramPath(fields: Fields, kind: string, name: string, report: ReportProblem): void {
  const task = fieldsOf(fields[kind]);
  const path = task?.[name];
  // A single letter before the colon is a Windows drive.
  if (typeof path !== 'string' || path === '' || /^(?:\/|[a-z][\w+.-]+:|\{\{|\$\{)/i.test(path)) return;
  if (task?.['source'] === 'GIT' || has(fields, 'git_source')) return;
  report(
    [kind, name],
    'relativePath',
    l10n.t('{0} must start with a slash, such as /jobs/etl.py, or with a scheme, such as dfs:/jobs/etl.py.', name),
  );
}

function checkSparkSubmit(fields: Fields, report: ReportProblem): void {
  if (has(fields, 'existing_cluster_id')) {
    report(
      ['existing_cluster_id'],
      'submitNeedsNewCluster',
      l10n.t('A spark_submit_task runs only on a new cluster. Replace existing_cluster_id with new_cluster.'),
    );
  }
  const libraries = fields['libraries'];
  if (Array.isArray(libraries) && libraries.length > 0) {
    report(
      ['libraries'],
      'submitLibraries',
      l10n.t('A spark_submit_task does not support libraries. Use --jars and --py-files in its parameters.'),
    );
  }
  const cluster = fieldsOf(fields['new_cluster']);
  if (has(cluster, 'spark_conf')) {
    report(
      ['new_cluster', 'spark_conf'],
      'submitSparkConf',
      l10n.t('A spark_submit_task does not support spark_conf. Use --conf in its parameters.'),
    );
  }
  checkSubmitFlags(fieldsOf(fields['spark_submit_task'])?.['parameters'], ['spark_submit_task', 'parameters'], report);
}

/**
 * Checks the options before the application (Jobs API 2.0, SparkSubmitTask); the same words after it are the application's own arguments.
 */
function checkSubmitFlags(parameters: unknown, path: readonly string[], report: ReportProblem): void {
  if (!Array.isArray(parameters)) return;
  for (const { name, index } of readSparkSubmit(parameters).options.filter((option) => option.isReserved)) {
    report(
      [...path, index],
      'submitReservedFlag',
      l10n.t('{0} is set automatically and cannot be given. Remove it and its value.', name),
    );
  }
}

function checkCluster(fields: Fields, report: ReportProblem): void {
  const existing = has(fields, 'existing_cluster_id');
  const created = has(fields, 'new_cluster');
  if (existing && created) {
    report(
      ['existing_cluster_id'],
      'oneCluster',
      l10n.t('Both existing_cluster_id and new_cluster are given, but a job uses one of them. Remove one.'),
    );
  }
  const needsNone = has(fields, 'pipeline_task') || has(fields, 'run_job_task') || isGiven(fields['tasks']);
  if (!existing && !created && !needsNone && taskKinds.some((kind) => has(fields, kind))) {
    report(
      [],
      'noCluster',
      l10n.t(
        'No cluster is given. Add existing_cluster_id or new_cluster. Only pipeline tasks and run-job tasks need none.',
      ),
    );
  }
  const cluster = fieldsOf(fields['new_cluster']);
  if (cluster) checkNewCluster(cluster, ['new_cluster'], report);
  const shared = fields['job_clusters'];
  if (!Array.isArray(shared)) return;
  shared.forEach((entry: unknown, index) => {
    const ofTasks = fieldsOf(fieldsOf(entry)?.['new_cluster']);
    if (ofTasks) checkNewCluster(ofTasks, ['job_clusters', index, 'new_cluster'], report);
  });
}

function checkLibraries(fields: Fields, report: ReportProblem): void {
  const libraries = fields['libraries'];
  if (!Array.isArray(libraries)) return;
  libraries.forEach((entry: unknown, index) => {
    const info = fieldsOf(entry);
    if (!info) return;
    const foreign = foreignLibraryKinds.find((kind) => has(info, kind));
    if (foreign === undefined) exactlyOne(info, ['libraries', index], 'oneLibraryKind', libraryKinds, report, false);
    else
      report(
        ['libraries', index, foreign],
        'foreignLibrary',
        l10n.t(
          '{0} is not part of the Jobs API 2.0. It is sent unchanged, and the local service does not install it.',
          foreign,
        ),
        'warning',
      );
    const wheel = info['whl'];
    if (typeof wheel === 'string' && wheel !== '' && !isWheelName(wheel)) {
      report(
        ['libraries', index, 'whl'],
        'wheelName',
        l10n.t('A wheel is named like app-1.0-py3-none-any.whl, and zipped wheels end in .wheelhouse.zip.'),
      );
    }
  });
}

/** File name of a wheel: name, version, perhaps a build, and three tags, without which pip refuses it. */
const wheelFile = /^[^-]+-[^-]+(?:-\d[^-]*)?(?:-[^-]+){3}\.whl$|\.wheelhouse\.zip$/;

/** Wildcards and placeholders of other tools may stand for the name. */
function isWheelName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return wheelFile.test(name) || (/[{*$]/.test(name) && name.endsWith('.whl'));
}

function checkSchedule(fields: Fields, report: ReportProblem): void {
  const schedule = fieldsOf(fields['schedule']);
  const [expression, zone] = [schedule?.['quartz_cron_expression'], schedule?.['timezone_id']];
  // A longer value has already been refused for its length.
  if (typeof zone === 'string' && zone !== '' && zone.length <= maxTextLength) {
    const problem = findTimeZoneProblem(zone);
    if (problem) {
      report(['schedule', 'timezone_id'], 'unknownTimezone', describeError(problem));
      return;
    }
  }
  if (typeof expression !== 'string' || expression === '' || expression.length > maxTextLength) return;
  try {
    nextFireTimes(expression, typeof zone === 'string' && zone.length <= maxTextLength ? zone || 'UTC' : 'UTC', 0, 1);
  } catch (error) {
    report(['schedule', 'quartz_cron_expression'], 'cron', error instanceof Error ? error.message : String(error));
  }
}

function checkHealth(fields: Fields, report: ReportProblem): void {
  const rules = fieldsOf(fields['health'])?.['rules'];
  if (!Array.isArray(rules)) return;
  rules.forEach((rule: unknown, index) => {
    const fields = fieldsOf(rule);
    if (!fields) return;
    const path = ['health', 'rules', index];
    // Files for services of several versions have both.
    if (!has(fields, 'operator') && !has(fields, 'op'))
      report(path, 'noOperator', l10n.t('One of {0} is required. Add it.', listed(['operator', 'op'])));
    if (has(fields, 'op') && fields['op'] !== 'GREATER_THAN')
      report([...path, 'op'], 'value', l10n.t('{0} must be {1}. Write it.', 'op', 'GREATER_THAN'));
    const metric = fields['metric'];
    if (typeof metric !== 'string' || metric === documentedMetric || !healthMetrics.some((known) => known === metric))
      return;
    report(
      [...path, 'metric'],
      'foreignMetric',
      l10n.t(
        '{0} is not part of the Jobs API 2.0. It is sent unchanged, and the local service does not measure it.',
        metric,
      ),
      'warning',
    );
  });
}

/** The rules above as checks for the schemas of the bodies. */
export const refineJobSettings = refinement(checkJobSettings);
export const refineSubmit = refinement(checkSubmit);
export const refineRunNow = refinement(checkRunNow);
/** Returns a check that allows only these fields. */
export const refineKnown = (...known: readonly string[]): ReturnType<typeof refinement> =>
  refinement((body, report) => checkKnown(fieldsOf(body) ?? {}, known, report));
