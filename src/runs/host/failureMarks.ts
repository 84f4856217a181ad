import * as vscode from 'vscode';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import type { Connection, ConnectionService } from '../../connection/connection.ts';
import { readTrace, type Trace } from '../output/failingPlace.ts';
import { runLabel } from '../rowWords.ts';
import { isOneTime } from '../runOrder.ts';
import { runStatus } from '../runState.ts';
import { mainTask } from '../runTasks.ts';
import type { FinishedRun, RunStore } from '../store/runStore.ts';
import { placeLabel } from './failingFrame.ts';
import { type WorkspacePlace, WorkspacePlaces } from './workspacePlaces.ts';

/** Beyond the end of any output: the service then returns only the other results of the run. */
const behindAllOutput = 999_999_999;
/** Maximum length of an error in a message. */
const maxCauseLength = 200;

/** Finds where runs failed and marks the lines in their files. */
export class FailureMarks implements vscode.Disposable {
  readonly #connections: ConnectionService;
  readonly #store: RunStore;
  readonly #problems = new RunProblems();

  constructor(connections: ConnectionService, store: RunStore) {
    [this.#connections, this.#store] = [connections, store];
  }

  /** Removes the mark of a job after a successful run. */
  clear(profileId: string, run: Run): void {
    this.#problems.clear(profileId, run);
  }

  /**
   * Marks the failing line after a run has ended, or removes the mark of its job if the run succeeded.
   * @returns the error and its place in one line
   */
  async ended({ client, profile }: Connection, { run, job }: FinishedRun): Promise<string | undefined> {
    const { phase } = runStatus(run);
    if (phase === 'succeeded') this.#problems.clear(profile.id, run);
    // Other services would return the whole output as well.
    if (phase !== 'failed' || profile.kind !== 'local') return undefined;
    // Of a run with several tasks, the one that failed.
    const task = run.task ? undefined : mainTask(await client.jobs.getRun(run.run_id, { retry: 'fail' }));
    const left = await client.localService.runOutput(
      { runId: task?.run_id ?? run.run_id, offset: behindAllOutput, wait: false },
      { retry: 'fail' },
    );
    const trace = readTrace(left.errorTrace ?? '', left.error);
    if (!trace) return undefined;
    const place = await this.mark(
      profile.id,
      run,
      runLabel(run, job),
      trace,
      new WorkspacePlaces(() => ({ ...run, ...(task ? { task } : {}) })),
    );
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
    // The job may have succeeded since.
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

/** Where a run failed, and its error. */
export interface RunProblem {
  readonly run: Run;
  /** The run's display name. */
  readonly name: string;
  readonly place: WorkspacePlace;
  readonly error: string;
}

/** The lines at which runs failed, as problems of their files, each until the next successful run of its job. */
export class RunProblems implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection('millrace-runs');
  /** Keyed by profile and job, or by run if there is no job. */
  readonly #problems = new Map<string, { uri: vscode.Uri; mark: vscode.Diagnostic; runId: string }>();

  /** The latest successful run of each key, whether it removed a problem or not. */
  readonly #good = new Map<string, string>();

  /** Sets a problem, unless a later run has one or a later run succeeded. */
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

  /** Removes the problem of a job after a successful run, unless that run is older than the failed one. */
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

/** Returns whether a run is later than another: services assign IDs in order. */
function isLater(leftRunId: string, rightRunId: string): boolean {
  return BigInt(leftRunId) > BigInt(rightRunId);
}
