import { posix } from 'node:path';
import type { JobSettings } from '../../api/schema/jobs/schemas.ts';
import { isFields } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { isBundle, jobPaths, tasksIn } from '../model/settingsRoot.ts';
import { findPath, type JobDocument } from '../yaml/document.ts';
import { fieldOf, nodeValue } from '../yaml/nodeValue.ts';
import type { TextRange } from '../yaml/textRange.ts';
import type { YamlPath } from '../yaml/yamlNode.ts';
import { settingsOf } from './parseJobFile.ts';

/** The place of a job's key in a bundle's file. */
export interface BundleJobPlace extends TextRange {
  readonly key: string;
  /** Whether a task is of a kind that the local service can debug. */
  readonly isDebuggable: boolean;
}

/** Returns the jobs of a bundle's file; none if the file is no bundle's. */
export function bundleJobs({ root }: JobDocument): readonly BundleJobPlace[] {
  if (!isBundle(root)) return [];
  return jobPaths(root).flatMap((path) => {
    const { key, node } = findPath(root, path) ?? {};
    const tasks = tasksIn(node);
    const isDebuggable = tasks.some((task) => fieldOf(task, 'notebook_task') ?? fieldOf(task, 'spark_python_task'));
    return key ? [{ key: String(path.at(-1)), start: key.start, end: key.end, isDebuggable }] : [];
  });
}

/** Settings that are for the workspace to which a bundle is deployed, such as when a job runs and whom it tells. */
const ofWorkspace: ReadonlySet<string> = new Set([
  'schedule',
  'trigger',
  'continuous',
  'permissions',
  'run_as',
  'email_notifications',
  'webhook_notifications',
  'notification_settings',
  'health',
  'deployment',
  'edit_mode',
  'queue',
  'git_source',
  'tags',
]);

/** Fields with a file, relative to the file of the bundle. */
const fileFields: ReadonlySet<string> = new Set([
  'notebook_path',
  'python_file',
  'whl',
  'jar',
  'requirements',
  'dependencies',
]);

export interface BundlePlace {
  /** Workspace path of the file's folder. */
  readonly folder: string;
  /** The main file of the bundle, which can give values for all of its files. */
  readonly main?: JobDocument;
}

/**
 * Returns the settings of a bundle's job as the local service runs them: with the values of the default target and of variables, with paths
 * in the workspace, and without what belongs to another workspace. Returns a message if values are missing or the settings are wrong.
 */
export function bundleJob(document: JobDocument, key: string, { folder, main }: BundlePlace): JobSettings | string {
  const values = valuesIn([document, ...(main ? [main] : [])].map(({ root }) => nodeValue(root).value));
  const missing = new Set<string>();
  const replaced = (value: unknown, field: string, depth: number): unknown => {
    if (Array.isArray(value)) return value.map((item) => replaced(item, field, depth));
    if (isFields(value))
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(inner, name, depth)]));
    if (typeof value !== 'string') return value;
    const whole = /^\$\{([\w.-]+)\}$/.exec(value)?.[1];
    const given = whole === undefined ? undefined : values(whole);
    if (given !== undefined && depth < maxDepth) return replaced(given, field, depth + 1);
    const text = value.replace(/\$\{([\w.-]+)\}/g, (written, name: string) => {
      const part = depth < maxDepth ? values(name) : undefined;
      if (part !== undefined) return String(replaced(part, '', depth + 1));
      // The ID of something that exists only after a deploy; a task that uses it cannot run here anyway.
      if (!name.startsWith('resources.')) missing.add(written);
      return written;
    });
    const isRelative =
      fileFields.has(field) && /^(?:\.{1,2}\/|(?![a-z]+:|\/|\{\{)[^\0]*\.(?:py|ipynb|sql|r|whl|jar)$)/i.test(text);
    return isRelative ? posix.join(folder, text) : text;
  };
  const path: YamlPath = ['resources', 'jobs', key];
  const written = nodeValue(findPath(document.root, path)?.node ?? null).value;
  const kept = Object.entries(isFields(written) ? written : {}).filter(([name]) => !ofWorkspace.has(name));
  const settings = replaced(Object.fromEntries([['name', key], ...kept]), '', 0);
  if (missing.size > 0)
    return l10n.t(
      'The files of the bundle give no value for {0}, so this job cannot run here. Give its variable a default.',
      [...missing].join(', '),
    );
  const checked = settingsOf(settings);
  if (checked.settings) return checked.settings;
  return checked.problems.map(({ path: place, message }) => `${place.join('.')}: ${message}`).join(' ');
}

/** Values can use others; deeper ones are a circle. */
const maxDepth = 5;

/** Returns a function that finds the value of a name such as `var.catalog`, from the default target first. */
function valuesIn(files: readonly unknown[]): (name: string) => unknown {
  const at = (root: unknown, ...path: string[]): unknown =>
    path.reduce<unknown>((value, name) => (isFields(value) ? value[name] : undefined), root);
  const first = (...path: string[]): unknown =>
    files.map((file) => at(file, ...path)).find((value) => value !== undefined);
  const targets = files.flatMap((file) => {
    const all = at(file, 'targets');
    return isFields(all) ? Object.entries(all) : [];
  });
  const [target] =
    targets.find(([, value]) => at(value, 'default') === true) ??
    targets.find(([, value]) => at(value, 'mode') === 'development') ??
    (targets.length === 1 ? targets : [])[0] ??
    [];
  const asValue = (value: unknown): unknown => (isFields(value) ? value['default'] : value);
  return (name) => {
    if (name === 'bundle.target') return target;
    const [kind = '', ...rest] = name.split('.');
    const path = kind === 'var' ? ['variables', ...rest] : [kind, ...rest];
    const ofTarget = target === undefined ? undefined : asValue(first('targets', target, ...path));
    return ofTarget ?? asValue(first(...path));
  };
}
