import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import type { DeploymentStates } from './deploymentStates.ts';
import { Diagnostics } from './diagnostics.ts';
import { Drift } from './drift.ts';
import { registerFormatting } from './formatting.ts';
import { registerInlayHints } from './inlayHintsProvider.ts';
import { LanguageLoader } from './languageLoader.ts';
import { registerLenses } from './lenses.ts';
import { registerLinks } from './links.ts';
import { MissingFiles } from './missingFiles.ts';
import { registerPasteJson } from './pasteJsonProvider.ts';
import { registerProviders } from './providers.ts';
import { WorkspaceValues } from './workspaceValues.ts';

/** What the language is given. */
export interface JobFileNeeds {
  readonly connections: ConnectionService;
  readonly log: vscode.LogOutputChannel;
  /** What became of a deployed file, for its lenses. */
  readonly deployments?: DeploymentStates;
}

/** The language's features, and what they know of jobs that others changed. */
export interface JobFileFeatures extends vscode.Disposable {
  readonly drift: Drift | undefined;
}

/** Problems, completion, hovers, outline, quick fixes, lenses, and JSON pasted as YAML. */
export function createJobFileFeatures({ connections, log, deployments }: JobFileNeeds): JobFileFeatures {
  const loader = new LanguageLoader({
    liveValues: new WorkspaceValues(connections, log),
    locale: vscode.env.language,
  });
  const missingFiles = new MissingFiles(connections);
  const marks = new Diagnostics(loader, missingFiles, (error) =>
    log.error('A job file could not be checked.', error instanceof Error ? error : String(error)),
  );
  const drift = deployments && new Drift(loader, deployments);
  const all = vscode.Disposable.from(
    marks,
    missingFiles,
    registerProviders(loader, marks),
    registerFormatting(loader),
    registerInlayHints(loader, connections),
    registerLinks(loader, connections),
    registerLenses(deployments, drift, connections),
    ...(drift ? [drift] : []),
    registerPasteJson(loader),
  );
  return { drift, dispose: () => void all.dispose() };
}
