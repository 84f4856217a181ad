import * as vscode from 'vscode';
import type { JobFileServices } from './jobFileServices.ts';
import { LanguageLoader } from './languageLoader.ts';
import { registerLenses } from './lenses.ts';
import { MissingFiles } from './missingFiles.ts';
import { registerPasteJson } from './pasteJsonProvider.ts';
import { ProblemMarks } from './problemMarks.ts';
import { registerProviders } from './providers.ts';
import { WorkspaceValues } from './workspaceValues.ts';

/** Problems, completion, hovers, outline, quick fixes, lenses, and JSON pasted as YAML. */
export function createJobFileFeatures(services: JobFileServices): vscode.Disposable {
  const { connections, log, deployments } = services;
  const loader = new LanguageLoader();
  const missingFiles = new MissingFiles(connections);
  const marks = new ProblemMarks(loader, missingFiles, (error) =>
    log.error('A job file could not be checked.', error instanceof Error ? error : String(error)),
  );
  return vscode.Disposable.from(
    marks,
    missingFiles,
    registerProviders(loader, marks, new WorkspaceValues(connections, log)),
    registerLenses(deployments),
    registerPasteJson(loader),
  );
}
