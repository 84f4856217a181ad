import * as vscode from 'vscode';
import type { Profile } from '../../connection/connection.ts';
import { delay } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import { lazy } from '../../shared/lazy.ts';
import type { Logger } from '../../shared/log.ts';
import type { PageSubject } from '../page/pageProtocol.ts';
import { runStatus } from '../runState.ts';
import type { FinishedRun } from '../store/runStore.ts';
import type { RunPages, RunPagesOptions } from './runPages.ts';

/** The run pages as the rest of the extension uses them. */
export interface Pages extends vscode.Disposable {
  /**
   * Shows the page of a run in a tab with this name.
   * @param taskKey the task whose output is shown; default: the one that explains the run
   */
  openRun(profileId: string, runId: string, name: string, taskKey?: string): Promise<void>;
  /** Shows the page of a job in a tab with this name. */
  openJob(profileId: string, jobId: string, name: string): Promise<void>;
  /** The run or job whose page is in the active editor. */
  readonly active: PageSubject | undefined;
  /** Returns the error of a failed local run and its place in one line, or `undefined` if that is not known soon. */
  causeOf(profile: Profile, finished: FinishedRun): Promise<string | undefined>;
}

/** How long the message of a failure waits for its cause. */
const causeInMs = 2000;

/** Maximum jobs that failed before this window opened whose failing line is requested, with one request each. */
const maxFailedBefore = 20;

/** The editor's ID for the serializer that restores tabs. */
const pageViewType = 'millrace.page';

/** Registers the serializer that restores the tabs of an earlier window. The page code is loaded with the first one. */
export function registerPages(
  context: RunPagesOptions['context'],
  { log, ...options }: Omit<RunPagesOptions, 'context' | 'viewType'> & { log: Logger },
): Pages {
  let loaded: RunPages | undefined;
  const load = lazy<RunPages>(async () => {
    const { RunPages: Loaded } = await import('./runPages.ts');
    loaded = new Loaded({ context, viewType: pageViewType, ...options });
    return loaded;
  });
  const registration = vscode.window.registerWebviewPanelSerializer(pageViewType, {
    deserializeWebviewPanel: async (panel, state: unknown) => (await load()).restore(panel, state),
  });
  const { connections, runs } = options;
  /** Reads in progress, shared by the view and the message, which request the same. */
  const reading = new Map<string, Promise<string | undefined>>();
  const read = async (profileId: string, finished: FinishedRun): Promise<string | undefined> => {
    const connection = await connections.connectTo(profileId);
    return connection && (await load()).marks.ended(connection, finished);
  };
  const causeOf = (profileId: string, finished: FinishedRun): Promise<string | undefined> => {
    const key = JSON.stringify([profileId, finished.run.run_id]);
    const known = reading.get(key);
    if (known) return known;
    const cause = read(profileId, finished)
      .catch((error: unknown) => {
        log.debug(`Where run ${finished.run.run_id} failed is not known: ${describeError(error)}`);
        return undefined;
      })
      .finally(() => reading.delete(key));
    reading.set(key, cause);
    return cause;
  };
  /** IDs of failed runs that were already requested. */
  const marked = new Set<string>();
  const finished = runs.store.onDidFinishRun((run) => {
    marked.add(run.run.run_id);
    const isGood = runStatus(run.run).phase === 'succeeded';
    // If the code was never loaded, there are no marks to clear.
    if (!isGood || load.begun) void causeOf(connections.current.id, run);
  });
  let failedBefore = 0;
  let mark = -1;
  let before: Promise<unknown> = Promise.resolve();
  let isOver = false;
  const changed = runs.store.onDidChange(() => {
    const { store } = runs;
    if (failedBefore === maxFailedBefore || connections.current.kind !== 'local') return;
    const ids = store.lastRunChanges.since(mark) ?? store.jobs.map(({ job_id: id }) => id);
    mark = store.lastRunChanges.mark;
    for (const id of new Set(ids)) {
      const last = store.lastRun(id);
      if (last.kind !== 'run' || runStatus(last.run).phase !== 'failed') continue;
      if (failedBefore === maxFailedBefore || marked.has(last.run.run_id)) continue;
      marked.add(last.run.run_id);
      failedBefore += 1;
      const [{ run }, profileId, job] = [last, connections.current.id, store.job(id)];
      // One after the other: none of them is urgent.
      before = before.then(async () => isOver || (await causeOf(profileId, { run, job })));
    }
  });
  return {
    get active() {
      return loaded?.active;
    },
    openRun: async (profileId, runId, name, taskKey) =>
      (await load()).open({ kind: 'run', profileId, id: runId }, name, taskKey),
    openJob: async (profileId, jobId, name) => (await load()).open({ kind: 'job', profileId, id: jobId }, name),
    causeOf: (profile, run) => Promise.race([causeOf(profile.id, run), delay(causeInMs).then(() => undefined)]),
    dispose() {
      isOver = true;
      registration.dispose();
      finished.dispose();
      changed.dispose();
      load.begun?.then((pages) => pages.dispose()).catch(() => undefined);
    },
  };
}
