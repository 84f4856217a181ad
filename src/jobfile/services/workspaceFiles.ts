import { l10n } from '../../shared/l10n.ts';
import { settingsPath } from '../model/settingsRoot.ts';
import { entryOf, findPath, type JobDocument } from '../yaml/document.ts';
import type { Problem } from '../yaml/problem.ts';
import { resolved, type ScalarNode } from '../yaml/yamlNode.ts';
import { withoutSuppressed } from './suppression.ts';

/** A place in a file that names a file of the workspace. */
export interface FileReference {
  /** Where it may be, any of these: notebooks are named without their ending. */
  readonly candidates: readonly string[];
  /** What is to be said where none of them is there. */
  readonly problem: Problem;
}

const notebookEndings = ['', '.ipynb', '.py', '.sql', '.r', '.R', '.scala'];

/** The workspace paths that a run on the local service opens. Other forms, such as `dfs:/`, are not of the workspace. */
export function fileReferences(document: JobDocument): readonly FileReference[] {
  const settings = findPath(document.root, settingsPath(document.root))?.node;
  const found = [
    referenceOf(scalarAt(entryOf(entryOf(settings, 'spark_python_task')?.value, 'python_file')?.value), ['']),
    referenceOf(scalarAt(entryOf(entryOf(settings, 'notebook_task')?.value, 'notebook_path')?.value), notebookEndings),
  ];
  return found
    .filter((reference) => reference !== undefined)
    .filter(({ problem }) => withoutSuppressed(document.text, [problem]).length > 0);
}

function scalarAt(node: Parameters<typeof resolved>[0]): ScalarNode | undefined {
  const target = resolved(node);
  return target?.kind === 'scalar' && target.end > target.start ? target : undefined;
}

function referenceOf(node: ScalarNode | undefined, endings: readonly string[]): FileReference | undefined {
  // A reference such as {{job_id}} is known when the run starts.
  if (typeof node?.value !== 'string' || !/^\/[^\0]*[^/\0]$/.test(node.value) || node.value.includes('{{'))
    return undefined;
  const { value } = node;
  // `/Workspace/Users/…` is how real workspaces also write `/Users/…`.
  const roots = value.startsWith('/Workspace/') ? [value, value.slice('/Workspace'.length)] : [value];
  const message = l10n.t(
    '{0} is not in the folder that is open, so that a run on the local service fails. Create the file, or correct the path.',
    value,
  );
  return {
    candidates: roots.flatMap((root) => endings.map((ending) => `${root}${ending}`)),
    problem: { code: 'missingFile', message, start: node.start, end: node.end, severity: 'warning' },
  };
}
