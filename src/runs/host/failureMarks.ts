import * as vscode from 'vscode';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import type { Connection, ConnectionService } from '../../connection/connection.ts';
import { readTrace, type Trace } from '../output/failingPlace.ts';
import { runLabel } from '../rowWords.ts';
import { isOneTime } from '../runOrder.ts';
import { runStatus } from '../runState.ts';
import type { FinishedRun, RunStore } from '../store/runStore.ts';
import { placeLabel } from './failingFrame.ts';
import { type WorkspacePlace, WorkspacePlaces } from './workspacePlaces.ts';

/** No output is that long: the service then gives only what the run left beside it. */
const behindAllOutput = 999_999_999;
/** A message has room for so much of what was raised. */
const maxCauseLength = 200;

/** Finds where runs failed, and marks it in their files. */
export class FailureMarks implements vscode.Disposable {
  readonly #connections: ConnectionService;
  readonly #store: RunStore;
  readonly #problems = new RunProblems();

  constructor(connections: ConnectionService, store: RunStore) {
    [this.#connections, this.#store] = [connections, store];
  }

  /** The run went well: its job has no mark of an earlier one. */
  clear(profileId: string, run: Run): void {
    this.#problems.clear(profileId, run);
  }

  /**
   * A run has ended: where it failed is marked in its file, and a good one takes the mark of its job away.
   * @returns what was raised, and where, in a line
   */
  async ended({ client, profile }: Connection, { run, job }: FinishedRun): Promise<string | undefined> {
    const { phase } = runStatus(run);
    if (phase === 'succeeded') this.#problems.clear(profile.id, run);
    // Other services would give all of the output with it.
    if (phase !== 'failed' || profile.kind !== 'local') return undefined;
    const left = await client.localService.runOutput(
      { runId: run.run_id, offset: behindAllOutput, wait: false },
      { retry: 'fail' },
    );
    const trace = readTrace(left.errorTrace ?? '');
    if (!trace) return undefined;
    const place = await this.mark(profile.id, run, runLabel(run, job), trace, new WorkspacePlaces(() => run));
    if (trace.error === undefined) return undefined;
    const error = trace.error.slice(0, maxCauseLength);
    return place ? vscode.l10n.t('{0} ({1})', error, placeLabel(place)) : error;
  }

  /** Marks the innermost line of the trace that is in the workspace. */
  async mark(
    profileId: string,
    run: Run,
    name: string,
    trace: Trace,
    places: WorkspacePlaces,
  ): Promise<WorkspacePlace | undefined> {
    // The job may be well since.
    if (this.#connections.current.id === profileId && run.job_id !== undefined)
      for (const each of this.#store.runsOf(run.job_id)?.runs ?? [])
        if (runStatus(each).phase === 'succeeded') this.#problems.clear(profileId, each);
    for (const step of trace.steps.slice(0, 50)) {
      const place = await places.place(step.file, step.line);
      if (!place) continue;
      const cell = place.cell === undefined ? undefined : await cellUri(place.uri, place.cell);
      const error = trace.error ?? vscode.l10n.t('the run failed');
      this.#problems.set(profileId, { run, name, place: cell ? { uri: cell, line: place.line } : place, error });
      return place;
    }
    return undefined;
  }

  dispose(): void {
    this.#problems.dispose();
  }
}

async function cellUri(uri: vscode.Uri, cell: number): Promise<vscode.Uri | undefined> {
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  return cell < notebook.cellCount ? notebook.cellAt(cell).document.uri : undefined;
}

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
