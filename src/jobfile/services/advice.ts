import { l10n } from '../../shared/l10n.ts';
import { itemsOf, tasksIn } from '../model/settingsRoot.ts';
import {
  resolved,
  type Problem,
  type Severity,
  type MapEntry,
  type ScalarValue,
  type YamlNode,
} from '../yaml/jobDocument.ts';
import { fieldOf } from '../yaml/nodeValue.ts';
import type { TextRange } from '../yaml/textRange.ts';

/**
 * Returns problems of settings that are valid but do not do what they seem to. None prevents a deploy.
 * @param isMeant returns whether a mistyped key stands for the field of this name
 */
export function advice(settings: YamlNode, isMeant: (name: string) => boolean): Problem[] {
  const [, ...tasks] = tasksIn(settings);
  const clusters = itemsOf(fieldOf(settings, 'job_clusters')?.value);
  return [
    ...durationWarnings(settings),
    ...(isMeant('max_retries') ? [] : retries(settings)),
    ...tasks.flatMap(retries),
    ...noRuns(settings),
    ...[settings, ...tasks, ...clusters].flatMap(secrets),
  ];
}

function at(key: TextRange, code: string, message: string, severity: Severity = 'warning'): Problem {
  return { code, message, start: key.start, end: key.end, severity };
}

function scalarAt(node: YamlNode | undefined): ScalarValue | undefined {
  const target = resolved(node);
  return target?.kind === 'scalar' ? target.value : undefined;
}

function isEmpty(node: YamlNode): boolean {
  const target = resolved(node);
  return (target?.kind === 'seq' && target.items.length === 0) || (target?.kind === 'scalar' && target.value === null);
}

/** Returns warnings for JobEmailNotifications (Jobs API 2.0): without a health rule no email is sent. */
function durationWarnings(settings: YamlNode): Problem[] {
  const rules = resolved(fieldOf(fieldOf(settings, 'health')?.value, 'rules')?.value);
  if (rules?.kind === 'seq' && rules.items.length > 0) return [];
  return ['email_notifications', 'webhook_notifications'].flatMap((name) => {
    const entry = fieldOf(fieldOf(settings, name)?.value, 'on_duration_warning_threshold_exceeded');
    if (!entry || isEmpty(entry.value)) return [];
    return [
      at(
        entry.key,
        'noDurationRule',
        l10n.t(
          'No warning is sent for long runs because health has no rule. Add a rule with the metric RUN_DURATION_SECONDS.',
        ),
      ),
    ];
  });
}

function retries(settings: YamlNode): Problem[] {
  const maxRetries = resolved(fieldOf(settings, 'max_retries')?.value);
  // A wrong type or a missing value is reported separately.
  if (maxRetries && (maxRetries.kind !== 'scalar' || maxRetries.value !== 0)) return [];
  const entry = fieldOf(settings, 'retry_on_timeout');
  if (!entry || scalarAt(entry.value) !== true) return [];
  return [
    at(
      entry.key,
      'neverRetried',
      l10n.t('No run is retried because max_retries is not set. Set max_retries, or remove retry_on_timeout.'),
    ),
  ];
}

function noRuns(settings: YamlNode): Problem[] {
  const entry = fieldOf(settings, 'max_concurrent_runs');
  return entry && scalarAt(entry.value) === 0
    ? [at(entry.key, 'everyRunSkipped', l10n.t('With 0, every new run is skipped. Set 1 or more to let the job run.'))]
    : [];
}

/** Names of secrets, in lower case with parts such as `connection_password`. */
const secretName =
  /(?:^|[._-])(?:(?:pg)?pass(?:word|wd|phrase)|pass|pwd|secret|(?:secret|api|access|account|private)[._-]?key|(?:api|access|auth|bearer|refresh|session|secret|github|gitlab|databricks)[._-]?token)$|(?:^|[._-])fs\.azure\.account\.key\.[\w-]/;

/** Values that are secrets whatever they are called: tokens of well-known services, private keys, and passwords within addresses. */
const secretValue =
  /\bgh[opsu]_[A-Za-z0-9]{20}|\bdapi[0-9a-f]{20}|^Bearer [\w.-]{20}|-----BEGIN [A-Z ]{0,20}PRIVATE KEY|:\/\/[^\s/:@]{1,100}:[^\s/@{}$<]{3,100}@|[?&;]password=[^\s&;{}$<]{6}/;

/** Returns problems for secrets, which must never be stored in plain text (Jobs API 2.0). Reports only unmistakable values. */
function secrets(settings: YamlNode): Problem[] {
  const cluster = fieldOf(settings, 'new_cluster')?.value;
  const maps = [
    fieldOf(fieldOf(settings, 'notebook_task')?.value, 'base_parameters'),
    fieldOf(cluster, 'spark_conf'),
    fieldOf(cluster, 'spark_env_vars'),
  ];
  const found = maps.flatMap((entry) => secretEntries(entry)).map(({ key }) => [key, key.name] as const);
  const tasks = ['spark_python_task', 'spark_jar_task', 'spark_submit_task'].map(
    (name) => fieldOf(settings, name)?.value,
  );
  return [...found, ...tasks.flatMap((task) => secretParameters(fieldOf(task, 'parameters')))].map(([place, name]) =>
    at(
      place,
      'plainSecret',
      l10n.t(
        '{0} looks like a secret in plain text. Store it in a secrets facility and refer to it, for example with {{secrets/scope/key}}.',
        name,
      ),
    ),
  );
}

/** Returns secrets among command-line parameters, `--name value` or `--name=value`, with their names. */
function secretParameters(parameters: MapEntry | undefined): (readonly [TextRange, string])[] {
  const list = resolved(parameters?.value);
  if (list?.kind !== 'seq') return [];
  return list.items.flatMap((item, index) => {
    const [, name = '', value] = /^--?([\w.-]+)(?:=(.*))?$/s.exec(String(scalarAt(item) ?? '')) ?? [];
    const next = list.items[index + 1];
    if (isSecretValue(scalarAt(item)))
      return [[{ start: item.start, end: item.end }, l10n.t('This parameter')] as const];
    const [place, given] = value === undefined ? [next, scalarAt(next)] : [item, value];
    // It is reported as a parameter of its own.
    if (place === next && isSecretValue(given)) return [];
    return place && isSecret(name === 'token' ? 'api_token' : name, given)
      ? [[{ start: place.start, end: place.end }, `--${name}`] as const]
      : [];
  });
}

function isSecretValue(value: ScalarValue | undefined): boolean {
  return typeof value === 'string' && secretValue.test(value.slice(0, 2000));
}

function isSecret(name: string, value: ScalarValue | undefined): boolean {
  if (isSecretValue(value)) return true;
  // ConnectionPassword has the parts of connection_password.
  if (!secretName.test(name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase())) return false;
  // A reference, a path or a sentence is no secret; keys in base64 may hold slashes.
  return typeof value === 'string' && value.length >= 8 && !/[{}<>\s]|^\$|^-|^\.{0,2}\/|^\w+:\//.test(value);
}

function secretEntries(owner: MapEntry | undefined): MapEntry[] {
  const map = resolved(owner?.value);
  if (map?.kind !== 'map') return [];
  return map.entries.filter((entry) => isSecret(entry.key.name, scalarAt(entry.value)));
}
