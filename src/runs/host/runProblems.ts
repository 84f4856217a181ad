import * as vscode from 'vscode';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import { isOneTime } from '../runOrder.ts';
import type { WorkspacePlace } from './workspacePlaces.ts';

/** Where a run failed and what was raised there. */
export interface RunProblem {
  readonly run: Run;
  /** The run as people call it. */
  readonly name: string;
  readonly place: WorkspacePlace;
  readonly error: string;
}

/** The lines that runs failed at, as problems of their files, each until the next good run of its job. */
export class RunProblems implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection('millrace-runs');
  /** By profile and job, or run if there is no job. */
  readonly #problems = new Map<string, { uri: vscode.Uri; mark: vscode.Diagnostic; runId: string }>();

  /** The latest good run of each, whether it took a problem away or not. */
  readonly #good = new Map<string, string>();

  /** A problem of an earlier run does not take the place of one of a later run, and is none any more after a good one. */
  set(profileId: string, { run, name, place, error }: RunProblem): void {
    const key = keyOf(profileId, run);
    const known = this.#problems.get(key);
    const good = this.#good.get(key);
    if ([known?.runId, good].some((id) => id !== undefined && isLater(id, run.run_id))) return;
    const line = Math.max(0, place.line);
    const mark = new vscode.Diagnostic(
      new vscode.Range(line, 0, line, 1000),
      vscode.l10n.t('{0} failed here: {1}', name, error),
      vscode.DiagnosticSeverity.Error,
    );
    mark.source = 'Millrace';
    this.#problems.set(key, { uri: place.uri, mark, runId: run.run_id });
    if (known && known.uri.toString() !== place.uri.toString()) this.#show(known.uri);
    this.#show(place.uri);
  }

  /** The job is well again. A good run that is older than the one that failed says nothing. */
  clear(profileId: string, run: Run): void {
    const key = keyOf(profileId, run);
    const good = this.#good.get(key);
    if (good === undefined || isLater(run.run_id, good)) this.#good.set(key, run.run_id);
    const known = this.#problems.get(key);
    if (!known || isLater(known.runId, run.run_id)) return;
    this.#problems.delete(key);
    this.#show(known.uri);
  }

  #show(uri: vscode.Uri): void {
    const marks = [...this.#problems.values()]
      .filter((each) => each.uri.toString() === uri.toString())
      .map(({ mark }) => mark);
    if (marks.length === 0) this.#collection.delete(uri);
    else this.#collection.set(uri, marks);
  }

  dispose(): void {
    this.#collection.dispose();
  }
}

function keyOf(profileId: string, run: Run): string {
  return run.job_id !== undefined && !isOneTime(run)
    ? `${profileId} job ${run.job_id}`
    : `${profileId} run ${run.original_attempt_run_id ?? run.run_id}`;
}

/** Services give ids out in order. */
function isLater(leftRunId: string, rightRunId: string): boolean {
  return BigInt(leftRunId) > BigInt(rightRunId);
}
