import * as vscode from 'vscode';
import type { LocalServiceLauncher } from '../../connection/connection.ts';
import { AppError, describeError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { chooseTarget, startDebugRun } from './debugRun.ts';
import { type NotebookCells, RunDebugAdapter } from './runDebugAdapter.ts';

export interface DebugSessionServices {
  readonly launcher: () => Promise<LocalServiceLauncher>;
  readonly log: Logger;
  readonly onStarted: (runId: string) => void;
  /** Called before a run is canceled because its session ends. */
  readonly onCanceling: (runId: string) => void;
  readonly debuggedRuns: { set(runId: string, phase: 'going' | 'held' | undefined): void };
}

/** What a debug configuration holds once its job is known. */
interface JobConfiguration extends vscode.DebugConfiguration {
  readonly jobId?: string;
  readonly runId?: string;
  readonly submit?: object;
  readonly parameters?: object;
  readonly haltAtFailure?: boolean;
}

/** Runs that had their session in this window. */
const entered = new Set<string>();

/**
 * Starts a run for the session and connects the editor to its debugger.
 * @throws AppError that says why there is nothing to debug
 */
export async function createDebugAdapter(
  services: DebugSessionServices,
  session: vscode.DebugSession,
): Promise<vscode.DebugAdapterDescriptor> {
  const configuration = session.configuration as JobConfiguration;
  const { debuggedRuns } = services;
  const target = chooseTarget(configuration, entered);
  if (!target)
    throw new AppError('invalid', vscode.l10n.t('The debug configuration names no job, so nothing was started.'));
  const service = await (await services.launcher()).start();
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: session.name, cancellable: true },
    async (progress, token) => {
      progress.report({ message: vscode.l10n.t('starting the run…') });
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      const run = await startDebugRun(service, target);
      debuggedRuns.set(run.runId, 'going');
      // The end of a run that was started before the session is reported by who started it.
      if (!('runId' in target)) services.onStarted(run.runId);
      const cancel = (): Promise<void> => {
        services.onCanceling(run.runId);
        return run.cancel();
      };
      let isInstalling = false;
      try {
        const address = await run.ready({
          signal: stop.signal,
          onInstalling() {
            if (isInstalling) return;
            isInstalling = true;
            progress.report({ message: vscode.l10n.t('installing the debugger (debugpy) from PyPI, once…') });
          },
        });
        return new vscode.DebugAdapterInlineImplementation(
          new RunDebugAdapter({
            address,
            haltsAtFailure: configuration.haltAtFailure === true,
            onHeld: (isHeld) => debuggedRuns.set(run.runId, isHeld ? 'held' : 'going'),
            onEnd: () => debuggedRuns.set(run.runId, undefined),
            cells: notebookCells,
            cancel,
            log: (message) => services.log.debug(`Debugging run ${run.runId}: ${message}`),
          }) as vscode.DebugAdapter,
        );
      } catch (error) {
        debuggedRuns.set(run.runId, undefined);
        // Whatever went wrong here, nobody would ever let the run go on.
        await cancel().catch((problem: unknown) => services.log.debug(describeError(problem)));
        throw error;
      }
    },
  );
}

const ofDebugger = /^(.*\.ipynb)#cell (\d+)$/i;

/** The cells of the editor's notebooks, named as in a run's debugger. A run does not count raw cells. */
export const notebookCells: NotebookCells = {
  toDebugger(path) {
    if (!path.startsWith('vscode-notebook-cell:')) return path;
    const uri = vscode.Uri.parse(path).toString();
    for (const notebook of vscode.workspace.notebookDocuments) {
      const index = cellsOf(notebook).findIndex(({ document }) => document.uri.toString() === uri);
      if (index >= 0) return `${notebook.uri.fsPath}#cell ${index + 1}`;
    }
    return path;
  },
  toEditor(path) {
    const [, file, number] = ofDebugger.exec(path) ?? [];
    const notebook = file === undefined ? undefined : openNotebook(file);
    return (notebook && cellsOf(notebook)[Number(number) - 1]?.document.uri.toString()) ?? path;
  },
  async open(paths) {
    const files = new Set(paths.map((path) => ofDebugger.exec(path)?.[1]));
    for (const file of files)
      if (file !== undefined && !openNotebook(file)) await vscode.workspace.openNotebookDocument(vscode.Uri.file(file));
  },
};

function openNotebook(file: string): vscode.NotebookDocument | undefined {
  return vscode.workspace.notebookDocuments.find(({ uri }) => uri.fsPath === file);
}

function cellsOf(notebook: vscode.NotebookDocument): vscode.NotebookCell[] {
  return notebook.getCells().filter(({ document }) => document.languageId !== 'raw');
}
