import type { JobSettings } from '../../api/schema/jobs/schemas.ts';
import { type Fields, fieldsOf } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { withoutNullFields } from '../../shared/withoutNullFields.ts';
import { settingsType } from '../model/fieldTree.ts';
import { isBundle, jobPaths, tasksIn } from '../model/settingsRoot.ts';
import { findPath, type JobDocument } from '../yaml/document.ts';
import { fieldOf, nodeValue } from '../yaml/nodeValue.ts';
import type { TextRange } from '../yaml/textRange.ts';
import { converted, withoutWorkspace, withPaths, withTarget } from './bundleSettings.ts';
import { bundleValues, onlyDeployed, valueAt } from './bundleValues.ts';
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

/** A file of a bundle, with the workspace path of its folder. */
export interface BundleFile {
  readonly document: JobDocument;
  readonly folder: string;
}

export interface Bundle {
  /** The main file, which can give values for all files; it can be the job's own. */
  readonly main?: BundleFile;
  /** Name of the user of this machine. */
  readonly userName: string;
}

/**
 * Returns the settings of a bundle's job as the local service runs them: with the values and the settings of the default target, with paths
 * in the workspace, and without what belongs to another workspace. Returns a message if values are missing or the settings are wrong.
 */
export function bundleJob(file: BundleFile, key: string, { main, userName }: Bundle): JobSettings | string {
  if (main?.document.problems.some(({ severity }) => severity === 'error') === true)
    return l10n.t('The main file of the bundle cannot be read. Correct it first.');
  const files = [file, ...(main && main !== file ? [main] : [])].map(({ document, folder }) => ({
    folder,
    value: withoutNullFields(nodeValue(document.root).value),
  }));
  const values = bundleValues(
    files.map(({ value }) => value),
    { root: (main ?? file).folder, userName },
  );
  const jobOf = (value: unknown): Fields | undefined => fieldsOf(valueAt(value, ['resources', 'jobs', key]));
  const own = jobOf(files[0]?.value);
  if (!own) return l10n.t('This file has no job {0}.', key);
  // What this file says counts more than what the main file says.
  const job = files.toReversed().reduce(
    (before, { value, folder }) => {
      const changes = jobOf(valueAt(value, ['targets', values.target]));
      return changes ? withTarget(before, withPaths(changes, folder)) : before;
    },
    withPaths(own, file.folder),
  );
  const replaced = values.replaced({ name: key, ...withoutWorkspace(job) });
  const problem = values.problem();
  if (problem !== undefined) return problem;
  // A whole list can be the value of a variable.
  const settings = withPaths(withoutWorkspace(fieldsOf(replaced) ?? {}), file.folder);
  const checked = settingsOf(converted(settings, settingsType));
  if (checked.settings) return checked.settings;
  const [refused] = checked.problems;
  const [id] = /\$\{resources\.[^}]*\}/.exec(String(valueAt(settings, refused?.path ?? []))) ?? [];
  if (id !== undefined) return onlyDeployed(id);
  return checked.problems
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join(' ');
}
