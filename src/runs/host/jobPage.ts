import * as vscode from 'vscode';
import type { Job } from '../../api/schema/jobs/schemas.ts';
import type { ConnectionService } from '../../connection/connection.ts';
import { systemClock } from '../../shared/clock.ts';
import { ifThere } from '../../shared/ifThere.ts';
import type { FileSync } from '../page/jobFileView.ts';
import { JobPageSession } from '../page/jobPageSession.ts';
import type { FromPage, PageState, PageSubject, ToPage } from '../page/pageProtocol.ts';
import type { RunStore } from '../runStore.ts';
import { isFile, WorkspacePlaces } from './workspacePlaces.ts';

/** What is behind a page: it reads what the page shows and does what its buttons say. */
export interface PageContent {
  /** @throws AppError if a button's command fails */
  act(message: FromPage): Promise<void>;
  /** The page is seen. */
  resume(): void;
  /** Nobody sees it. */
  pause(): void;
}

/** The tab of a page. */
export interface PageHost {
  post(message: ToPage): void;
  setTitle(title: string, state: PageState): void;
  /** Shows another page. @param title of its tab, if its name is known */
  open(subject: PageSubject, title?: string): void;
}

export interface JobPageOptions {
  readonly connections: ConnectionService;
  readonly runs: {
    readonly store: RunStore;
    attend(): vscode.Disposable;
    loadRuns(jobId: string, limit: number): Promise<void>;
  };
  /** URIs of the files that were deployed to the job. */
  jobFilesOf(profileId: string, jobId: string): readonly string[];
  /** How such a file stands to the job; undefined while that is not known. */
  syncOf(profileId: string, jobId: string, uri: string): Promise<FileSync | undefined>;
}

/** What the buttons of the page do to its job. */
const commandOfAction: Readonly<Record<string, string>> = {
  runNow: 'millrace.job.runNow',
  runNowWithParameters: 'millrace.job.runNowWithParameters',
  debug: 'millrace.job.debug',
  cancelAll: 'millrace.job.cancelAllRuns',
  pause: 'millrace.job.pauseSchedule',
  resume: 'millrace.job.resumeSchedule',
  openAsFile: 'millrace.job.openAsFile',
  curl: 'millrace.job.copyAsCurl',
};
/** And to one of its files. */
const commandOfFile: Readonly<Record<string, string>> = {
  compare: 'millrace.jobFile.compare',
  deploy: 'millrace.jobFile.deploy',
  pull: 'millrace.job.pull',
};

/** Endings that the names of notebooks leave out. */
const fileEndings = ['', '.py', '.ipynb', '.sql', '.scala', '.r', '.R'];

/** The page of a job. */
export function jobPage({ profileId, id: jobId }: PageSubject, host: PageHost, options: JobPageOptions): PageContent {
  const { connections, runs } = options;
  const places = new WorkspacePlaces(() => undefined);
  /** In the order of their names on the page. */
  let files: readonly vscode.Uri[] = [];
  const session = new JobPageSession(jobId, {
    clock: systemClock,
    profile: () => connections.profiles.find(({ id }) => id === profileId),
    isCurrent: () => connections.current.id === profileId,
    store: runs.store,
    attend: () => runs.attend(),
    readJob: () => readJob(connections, profileId, jobId),
    loadRuns: (id, limit) => runs.loadRuns(id, limit),
    post: host.post,
    setTitle: host.setTitle,
    async files() {
      const uris = options.jobFilesOf(profileId, jobId).map((uri) => vscode.Uri.parse(uri));
      const isThere = await Promise.all(uris.map(isFile));
      files = uris.filter((_, index) => isThere[index]);
      return Promise.all(
        files.map(async (uri) => {
          const sync = await options.syncOf(profileId, jobId, String(uri)).catch(() => undefined);
          return { name: vscode.workspace.asRelativePath(uri), ...(sync ? { sync } : {}) };
        }),
      );
    },
    async taskPlace(name) {
      places.forget();
      for (const ending of fileEndings) if (await places.file(name + ending)) return { file: name + ending, line: 1 };
      return undefined;
    },
  });
  const act = async (id: string): Promise<void> => {
    const command = Object.hasOwn(commandOfAction, id) ? commandOfAction[id] : undefined;
    const runId = session.lastRunId;
    if (command !== undefined) await vscode.commands.executeCommand(command, { profileId, jobId });
    else if (id === 'explain' && runId !== undefined)
      await vscode.commands.executeCommand('millrace.run.askChat', { profileId, runId });
    else if (id === 'chooseProfile') await vscode.commands.executeCommand('millrace.profile.choose', profileId);
    else if (id === 'retry') {
      // The look comes first: it ends the pause after a failure, in which the page's own questions would be refused at once.
      await vscode.commands.executeCommand('millrace.jobs.refresh');
      session.retry();
    } else {
      const [, what = '', index] = /^(file|compare|deploy|pull)(\d{1,4})$/.exec(id) ?? [];
      const file = files[Number(index)];
      if (!file) return;
      const ofFile = commandOfFile[what];
      if (ofFile === undefined) await vscode.window.showTextDocument(file);
      else await vscode.commands.executeCommand(ofFile, file);
    }
    session.readFiles();
  };
  let saved: vscode.Disposable | undefined;
  return {
    resume() {
      saved ??= vscode.workspace.onDidSaveTextDocument(() => session.readFiles());
      session.resume();
    },
    pause() {
      saved?.dispose();
      saved = undefined;
      session.pause();
    },
    async act(message) {
      switch (message.type) {
        case 'ready':
          session.restart();
          break;
        case 'action':
          await act(message.id);
          break;
        case 'openPlace':
          await places.show(message.place);
          break;
        case 'openRun':
          host.open({ kind: 'run', profileId, id: message.runId }, session.runLabel(message.runId));
          break;
        case 'copy':
          await vscode.env.clipboard.writeText(message.text);
          break;
        case 'openJob':
        case 'findFiles':
        case 'taken':
          break;
      }
    },
  };
}

/** @returns undefined if the service has no such job */
async function readJob(connections: ConnectionService, profileId: string, jobId: string): Promise<Job | undefined> {
  const connection = await connections.connectTo(profileId);
  return connection && ifThere(connection.client.jobs.get(jobId, { retry: 'fail' }));
}
