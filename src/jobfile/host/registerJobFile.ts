import * as vscode from 'vscode';
import { lazy } from '../../shared/lazy.ts';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { JobFileNeeds } from './jobFileFeatures.ts';
import { languageId } from './languageId.ts';

/** The job file language as the rest of the extension knows it. */
export interface JobFileLanguage extends vscode.Disposable {
  showJsonSchema(): Promise<void>;
}

/**
 * The job file language. It works without any service; ids of jobs and clusters are completed where one can be reached.
 * Its features are loaded when the first job file is open.
 */
export function registerJobFile(needs: JobFileNeeds): JobFileLanguage {
  const disposables = new DisposableStore();
  const load = lazy(async () => {
    const { createJobFileFeatures } = await import('./jobFileFeatures.ts');
    disposables.add(createJobFileFeatures(needs));
    // Only now: where the first load fails, the next job file that is opened tries again.
    waiting.dispose();
  });
  const loadFor = (files: readonly vscode.TextDocument[]): void => {
    if (!files.some((file) => file.languageId === languageId)) return;
    load().catch((error: unknown) =>
      needs.log.error('The job file language could not be loaded.', error instanceof Error ? error : String(error)),
    );
  };
  const waiting = disposables.add(vscode.workspace.onDidOpenTextDocument((file) => loadFor([file])));
  loadFor(vscode.workspace.textDocuments);
  return {
    showJsonSchema: async () => (await import('./showJsonSchema.ts')).showJsonSchema(),
    dispose: () => disposables.dispose(),
  };
}
