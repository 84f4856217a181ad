import * as vscode from 'vscode';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import type { Connection, ConnectionService } from '../../connection/connection.ts';
import { readTrace, type Trace } from '../output/failingPlace.ts';
import { runLabel } from '../rowWords.ts';
import { runStatus } from '../runState.ts';
import type { FinishedRun, RunStore } from '../store/runStore.ts';
import { placeLabel } from './failingFrame.ts';
import { RunProblems } from './runProblems.ts';
import { WorkspacePlaces, type WorkspacePlace } from './workspacePlaces.ts';

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
