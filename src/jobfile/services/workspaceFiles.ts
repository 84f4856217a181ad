import { l10n } from '../../shared/l10n.ts';
import { isBundle, jobPaths, tasksIn } from '../model/settingsRoot.ts';
import { findPath, type JobDocument } from '../yaml/document.ts';
import { resolved, type Problem, type ScalarNode } from '../yaml/jobDocument.ts';
import { fieldOf } from '../yaml/nodeValue.ts';
import { withoutSuppressed } from './suppression.ts';

/** A place in a file that names a workspace file. */
export interface FileReference {
  /** The path as written. */
  readonly start: number;
  readonly end: number;
  /** Paths at which the file may be: notebooks are named without their extension. */
  readonly candidates: readonly string[];
  /** The path as written. */
  readonly path: string;
}

const notebookEndings = ['', '.ipynb', '.py', '.sql', '.r', '.R', '.scala'];

/** Returns the workspace paths that a run on the local service opens. Other forms, such as `dfs:/`, are outside the workspace. */
export function fileReferences(document: JobDocument): readonly FileReference[] {
  // A bundle's paths are relative to its own files.
  return isBundle(document.root) ? [] : referencesIn(document, /^\/[^\0]*[^/\0]$/);
}

/** Returns the files that the jobs of a bundle name; the paths are relative to the folder of the file. */
export function bundleFiles(document: JobDocument): readonly FileReference[] {
  return isBundle(document.root) ? referencesIn(document, /^(?![a-z]+:|\/|.*\$\{)[^\0]*[^/\0]$/) : [];
}

function referencesIn({ root }: JobDocument, form: RegExp): readonly FileReference[] {
  const tasks = jobPaths(root).flatMap((path) => tasksIn(findPath(root, path)?.node));
  const found = tasks.flatMap((task) => [
    referenceOf(scalarAt(fieldOf(fieldOf(task, 'spark_python_task')?.value, 'python_file')?.value), form, ['']),
    referenceOf(
      scalarAt(fieldOf(fieldOf(task, 'notebook_task')?.value, 'notebook_path')?.value),
      form,
      notebookEndings,
    ),
  ]);
  return found.filter((reference) => reference !== undefined);
}

/**
 * Returns problems for paths that do not exist.
 * @param folder name of the folder that `/` refers to, if there are several folders
 */
export function missingFileProblems(
  document: JobDocument,
  missing: readonly FileReference[],
  folder?: string,
): readonly Problem[] {
  const problems = missing.map(({ path, start, end, candidates }): Problem => {
    const message =
      folder === undefined
        ? l10n.t(
            '{0} is not in the open folder, so a run on the local service fails. Create the file, or correct the path.',
            path,
          )
        : l10n.t(
            '{0} is not in the folder {1}, where the local service looks for files, so a run there fails. Create the file, or correct the path.',
            path,
            folder,
          );
    // A notebook is named without its extension.
    const newFile = candidates.find((candidate) => candidate.endsWith('.py'));
    const isInside = newFile !== undefined && !newFile.split('/').includes('..');
    return {
      code: 'missingFile',
      message,
      start,
      end,
      severity: 'warning',
      ...(isInside ? { data: { newFile } } : {}),
    };
  });
  return withoutSuppressed(document.text, problems);
}

function scalarAt(node: Parameters<typeof resolved>[0]): ScalarNode | undefined {
  const target = resolved(node);
  return target?.kind === 'scalar' && target.end > target.start ? target : undefined;
}

function referenceOf(
  node: ScalarNode | undefined,
  form: RegExp,
  endings: readonly string[],
): FileReference | undefined {
  // A reference such as {{job_id}} is resolved only when the run starts.
  if (typeof node?.value !== 'string' || !form.test(node.value) || node.value.includes('{{')) return undefined;
  const { value } = node;
  // Real workspaces also write `/Users/…` as `/Workspace/Users/…`.
  const roots = value.startsWith('/Workspace/') ? [value, value.slice('/Workspace'.length)] : [value];
  return {
    candidates: roots.flatMap((root) => endings.map((ending) => `${root}${ending}`)),
    path: value,
    start: node.start,
    end: node.end,
  };
}
