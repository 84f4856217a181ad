import * as vscode from 'vscode';
import { lazy } from '../../shared/lazy.ts';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { JobFileFeatures, JobFileNeeds } from './jobFileFeatures.ts';
import { isJobFile } from './languageLoader.ts';

/** The job file language as the rest of the extension knows it. */
export interface JobFileLanguage extends vscode.Disposable {
  /** The jobs of files that are here which others changed since. */
  readonly changesElsewhere: {
    seenMs(jobId: string): number | undefined;
    readonly onDidChange: vscode.Event<unknown>;
  };
}

/**
 * The job file language. It works without any service; ids of jobs and clusters are completed if one can be reached.
 * Its features are loaded when the first job file is open, or a job may have been changed whose file is here.
 */
export function registerJobFile(needs: JobFileNeeds): JobFileLanguage {
  const disposables = new DisposableStore();
  const changed = disposables.add(new vscode.EventEmitter<void>());
  let drift: JobFileFeatures['drift'];
  const load = lazy(async () => {
    const { createJobFileFeatures } = await import('./jobFileFeatures.ts');
    const features = disposables.add(createJobFileFeatures(needs));
    drift = features.drift;
    if (drift) disposables.add(drift.onDidChangeFileDecorations(() => changed.fire()));
    // Only now: if the first load fails, the next job file that is opened tries again.
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
