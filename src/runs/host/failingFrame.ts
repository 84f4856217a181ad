import * as vscode from 'vscode';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import type { TraceStep } from '../output/failingPlace.ts';
import type { Located } from '../page/pagePorts.ts';
import type { WorkspacePlace, WorkspacePlaces } from './workspacePlaces.ts';

/** How many lines to show on either side of the failing line. */
const around = 2;
const maxSteps = 50;
const callersShown = 4;

/** Returns the innermost workspace step at which a run failed, with its lines and the steps that led to it. */
export async function frameOf(
  steps: readonly TraceStep[],
  places: WorkspacePlaces,
  run: Run | undefined,
): Promise<Located | undefined> {
  const found: { step: TraceStep; place: WorkspacePlace }[] = [];
  const hidden: string[] = [];
  for (const step of steps.slice(0, maxSteps)) {
    const place = await places.place(step.file, step.line);
    if (place) found.push({ step, place });
    else hidden.push(`${step.file}:${step.line}${step.name === undefined ? '' : `, ${step.name}`}`);
    if (found.length > callersShown) break;
  }
  const [first, ...others] = found;
  if (!first) return undefined;
  const lines = await linesAt(first.place);
  if (!lines) return undefined;
  const note = await changedSince(first.place.uri, run?.start_time);
  return {
    frame: {
      name: first.step.name ?? '',
      place: { file: first.step.file, line: first.step.line },
      label: placeLabel(first.place),
      ...(note === undefined ? {} : { note }),
      lines,
    },
    callers: others.map(({ step, place }) => ({
      label: placeLabel(place),
      place: { file: step.file, line: step.line },
    })),
    hidden,
  };
}

/** Returns a place in its usual form: `etl.py:12`. */
export function placeLabel({ uri, line, cell }: WorkspacePlace): string {
  const file = vscode.workspace.asRelativePath(uri);
  return cell === undefined
    ? `${file}:${line + 1}`
    : vscode.l10n.t('{0}, cell {1}, line {2}', file, cell + 1, line + 1);
}

async function linesAt({ uri, line, cell }: WorkspacePlace): Promise<Located['frame']['lines'] | undefined> {
  const document = cell === undefined ? await vscode.workspace.openTextDocument(uri) : await cellDocument(uri, cell);
  if (!document || line >= document.lineCount) return undefined;
  const from = Math.max(0, line - around);
  const to = Math.min(document.lineCount - 1, line + around);
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    number: from + index + 1,
    text: document.lineAt(from + index).text.slice(0, 500),
    isFailing: from + index === line,
  }));
}

async function cellDocument(uri: vscode.Uri, cell: number): Promise<vscode.TextDocument | undefined> {
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  return cell < notebook.cellCount ? notebook.cellAt(cell).document : undefined;
}

/** Returns a note if the file has changed since the run started, because the lines shown are the current ones. */
async function changedSince(uri: vscode.Uri, startMs: number | undefined): Promise<string | undefined> {
  if (startMs === undefined) return undefined;
  const { mtime } = await vscode.workspace.fs.stat(uri);
  return mtime > startMs ? vscode.l10n.t('the file was changed after the run started') : undefined;
}
