import * as vscode from 'vscode';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { JobFileServices } from './jobFileServices.ts';
import { languageId } from './languageId.ts';

/** The job file language as the rest of the extension knows it. */
export interface JobFileLanguage extends vscode.Disposable {
  showJsonSchema(): Promise<void>;
}

/**
 * The job file language. It works without any service; ids of jobs and clusters are completed where one can be reached.
 * Its features are loaded when the first job file is open.
 */
export function registerJobFile(services: JobFileServices): JobFileLanguage {
  const disposables = new DisposableStore();
  const load = async (): Promise<void> => {
    waiting.dispose();
    try {
      const { createJobFileFeatures } = await import('./jobFileFeatures.ts');
      disposables.add(createJobFileFeatures(services));
    } catch (error) {
      services.log.error('The job file language could not be loaded.', error instanceof Error ? error : String(error));
    }
  };
  const waiting = disposables.add(vscode.workspace.onDidOpenTextDocument((file) => void (file.languageId === languageId && load())));
  if (vscode.workspace.textDocuments.some((file) => file.languageId === languageId)) void load();
  return {
    showJsonSchema: async () => (await import('./showJsonSchema.ts')).showJsonSchema(),
    dispose: () => disposables.dispose(),
  };
}
