import * as vscode from 'vscode';
import { lazy } from '../../shared/lazy.ts';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { GraphTab } from './graphFollower.ts';
import type { JobFileFeatures, JobFileNeeds } from './jobFileFeatures.ts';
import { isJobFile } from './languageLoader.ts';

/** The interface of the job file language for the rest of the extension. */
export interface JobFileLanguage extends vscode.Disposable {
  /** Jobs of local files that others changed since the last deploy. */
  readonly changesElsewhere: {
    seenMs(jobId: string): number | undefined;
    readonly onDidChange: vscode.Event<unknown>;
  };
}

/**
 * Registers the job file language. It works without a service; IDs of jobs and clusters are completed if one is reachable. Its features are
 * loaded when the first job file is opened, or when the job of a local file may have changed.
 */
export function registerJobFile(
  needs: Omit<JobFileNeeds, 'graph'> & { loadGraph(): Promise<GraphTab> },
): JobFileLanguage {
  const disposables = new DisposableStore();
  const changed = disposables.add(new vscode.EventEmitter<void>());
  let drift: JobFileFeatures['drift'];
  const load = lazy(async () => {
    const { createJobFileFeatures } = await import('./jobFileFeatures.ts');
    const features = disposables.add(createJobFileFeatures({ ...needs, graph: await needs.loadGraph() }));
    drift = features.drift;
    if (drift) disposables.add(drift.onDidChangeFileDecorations(() => changed.fire()));
    // Only now: if the first load fails, the next opened job file tries again.
    waiting.dispose();
    listed?.dispose();
  });
  const loadInBackground = (): void => {
    load().catch((error: unknown) =>
      needs.log.error('The job file language could not be loaded.', error instanceof Error ? error : String(error)),
    );
  };
  const loadFor = (files: readonly vscode.TextDocument[]): void => {
    if (files.some(isJobFile)) loadInBackground();
  };
  const waiting = disposables.add(vscode.workspace.onDidOpenTextDocument((file) => loadFor([file])));
  const listed = needs.deployments?.onDidListJobs(() => {
    if (needs.deployments?.mayHaveMoved()) loadInBackground();
  });
  if (listed) disposables.add(listed);
  loadFor(vscode.workspace.textDocuments);
  return {
    changesElsewhere: { seenMs: (jobId) => drift?.seenMs(jobId), onDidChange: changed.event },
    dispose: () => disposables.dispose(),
  };
}
