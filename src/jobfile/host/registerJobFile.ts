import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import { LanguageLoader } from './languageLoader.ts';
import { registerLenses, type DeploymentStates } from './lenses.ts';
import { registerPasteJson } from './pasteJsonProvider.ts';
import { ProblemMarks } from './problemMarks.ts';
import { registerProviders } from './providers.ts';
import { WorkspaceValues } from './workspaceValues.ts';

export interface JobFileServices {
  connections: ConnectionService;
  log: vscode.LogOutputChannel;
  /** What became of a deployed file, for its lenses. */
  deployments?: DeploymentStates;
}

/**
 * The job file language: problems, completion, hovers, outline, quick fixes, lenses, and JSON pasted as YAML. It works
 * without any service; ids of jobs and clusters are completed where one can be reached. The language's code is loaded
 * when the first job file is opened.
 */
export function registerJobFile(_context: vscode.ExtensionContext, services: JobFileServices): vscode.Disposable {
  const { connections, log, deployments } = services;
  const loader = new LanguageLoader();
  const marks = new ProblemMarks(loader, (error) => log.error('A job file could not be checked.', error instanceof Error ? error : String(error)));
  return vscode.Disposable.from(
    marks,
    registerProviders(loader, marks, new WorkspaceValues(connections, log)),
    registerLenses(deployments),
    registerPasteJson(loader),
    vscode.commands.registerCommand('millrace.jobFile.jsonSchema', async () => {
      const { jobFileJsonSchema } = await loader.load();
      const file = await vscode.workspace.openTextDocument({ language: 'json', content: `${JSON.stringify(jobFileJsonSchema(), null, 2)}\n` });
      await vscode.window.showTextDocument(file);
    }),
  );
}
