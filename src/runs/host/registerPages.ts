import * as vscode from 'vscode';
import { describeError } from '../../shared/errors.ts';
import { lazy } from '../../shared/lazy.ts';
import type { Logger } from '../../shared/log.ts';
import { runStatus } from '../runState.ts';
import type { RunPages, RunPagesOptions } from './runPages.ts';

/** The pages of runs as the rest of the extension knows them. */
export interface Pages extends vscode.Disposable {
  /** Shows the page of a run, in a tab of this name. */
  openRun(profileId: string, runId: string, name: string): Promise<void>;
  /** The same for a job. */
  openJob(profileId: string, jobId: string, name: string): Promise<void>;
}

/** What restores a tab, as the editor names it. */
const pageViewType = 'millrace.page';

/** Registers what restores the tabs of an earlier window. The pages are loaded with the first one. */
export function registerPages(
  context: RunPagesOptions['context'],
  { log, ...options }: Omit<RunPagesOptions, 'context' | 'viewType'> & { log: Logger },
): Pages {
  const load = lazy<RunPages>(async () => {
    const { RunPages: Loaded } = await import('./runPages.ts');
    return new Loaded({ context, viewType: pageViewType, ...options });
  });
  const registration = vscode.window.registerWebviewPanelSerializer(pageViewType, {
    deserializeWebviewPanel: async (panel, state: unknown) => (await load()).restore(panel, state),
  });
  const { connections, runs } = options;
  const finished = runs.store.onDidFinishRun((run) => {
    const isGood = runStatus(run.run).phase === 'succeeded';
    // What was never loaded has marked nothing.
    if (isGood && !load.begun) return;
    const tell = async (): Promise<void> => {
      const { current } = connections;
      const connection = await connections.connectTo(current.id);
      if (connection) await (await load()).ended(connection, run);
    };
    tell().catch((error: unknown) =>
      log.debug(`Where run ${run.run.run_id} failed is not known: ${describeError(error)}`),
    );
  });
  return {
    openRun: async (profileId, runId, name) => (await load()).open({ kind: 'run', profileId, id: runId }, name),
    openJob: async (profileId, jobId, name) => (await load()).open({ kind: 'job', profileId, id: jobId }, name),
    dispose() {
      registration.dispose();
      finished.dispose();
      load.begun?.then((pages) => pages.dispose()).catch(() => undefined);
    },
  };
}
