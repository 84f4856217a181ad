import * as vscode from 'vscode';
import type { Job } from '../../api/schema/jobs/schemas.ts';
import type { ConnectionService } from '../../connection/connection.ts';
import { systemClock } from '../../shared/clock.ts';
import type { CommandId } from '../../shared/commandIds.ts';
import { ifFound } from '../../shared/fields.ts';
import type { FileSync } from '../page/jobFileView.ts';
import { JobPageSession } from '../page/jobPageSession.ts';
import type { PageSubject } from '../page/pageProtocol.ts';
import type { RunStore } from '../store/runStore.ts';
import { followLink, type PageContent, type PageHost } from './pageContent.ts';
import { isFile, WorkspacePlaces } from './workspacePlaces.ts';

export interface JobPageOptions {
  readonly connections: ConnectionService;
  readonly runs: {
    readonly store: RunStore;
    attend(): vscode.Disposable;
    loadRuns(jobId: string, limit: number): Promise<void>;
  };
  /** Returns the URIs of the files that were deployed to the job. */
  jobFilesOf(profileId: string, jobId: string): readonly string[];
  /** Returns the sync state of a file and its job, or `undefined` while it is unknown. */
  syncOf(profileId: string, jobId: string, uri: string): Promise<FileSync | undefined>;
}

/** Commands of the page's buttons for its job. */
const commandOfAction = new Map<string, CommandId>([
  ['runNow', 'millrace.job.runNow'],
  ['runNowWithParameters', 'millrace.job.runNowWithParameters'],
  ['debug', 'millrace.job.debug'],
  ['cancelAll', 'millrace.job.cancelAllRuns'],
  ['pause', 'millrace.job.pauseSchedule'],
  ['resume', 'millrace.job.resumeSchedule'],
  ['openAsFile', 'millrace.job.openAsFile'],
  ['curl', 'millrace.job.copyAsCurl'],
]);
/** Commands of the page's buttons for a file of the job. */
const commandOfFile = new Map<string, CommandId>([
  ['compare', 'millrace.jobFile.compare'],
  ['deploy', 'millrace.jobFile.deploy'],
  ['pull', 'millrace.job.pull'],
]);

/** Extensions that notebook names leave out. */
const fileEndings = ['', '.py', '.ipynb', '.sql', '.scala', '.r', '.R'];

/** Creates the content of a job's page. */
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
      files = await filesThere(options.jobFilesOf(profileId, jobId));
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
          await press(message.id, { profileId, jobId, files, session });
          break;
        case 'openJob':
        case 'findFiles':
        case 'showTask':
        case 'taken':
          break;
        default:
          await followLink(message, { profileId, host, places, session });
      }
    },
  };
}

interface Pressed {
  readonly profileId: string;
  readonly jobId: string;
  readonly files: readonly vscode.Uri[];
  readonly session: JobPageSession;
}

/**
 * Runs the command of a page's button.
 * @throws AppError if the command fails
 */
async function press(id: string, { profileId, jobId, files, session }: Pressed): Promise<void> {
  const command = commandOfAction.get(id);
  const runId = session.lastRunId;
  if (command !== undefined) await vscode.commands.executeCommand(command, { profileId, jobId });
  else if (id === 'explain' && runId !== undefined)
    await vscode.commands.executeCommand('millrace.run.askChat', { profileId, runId });
  else if (id === 'chooseProfile') await vscode.commands.executeCommand('millrace.profile.choose', profileId);
  else if (id === 'retry') {
    // Poll first: it ends the pause after a failure, during which the page's own requests would be refused at once.
    await vscode.commands.executeCommand('millrace.jobs.refresh');
    session.retry();
  } else {
    const [, what = '', index] = /^(file|compare|deploy|pull)(\d{1,4})$/.exec(id) ?? [];
    const file = files[Number(index)];
    if (!file) return;
    const ofFile = commandOfFile.get(what);
    if (ofFile === undefined) await vscode.window.showTextDocument(file);
    else await vscode.commands.executeCommand(ofFile, file);
  }
  session.readFiles();
}

async function filesThere(addresses: readonly string[]): Promise<vscode.Uri[]> {
  const uris = addresses.map((address) => vscode.Uri.parse(address));
  const isThere = await Promise.all(uris.map(isFile));
  return uris.filter((_, index) => isThere[index]);
}

/**
 * Reads a job.
 * @returns `undefined` if the service has no such job
 */
async function readJob(connections: ConnectionService, profileId: string, jobId: string): Promise<Job | undefined> {
  const connection = await connections.connectTo(profileId);
  return connection && ifFound(connection.client.jobs.get(jobId, { retry: 'fail' }));
}
