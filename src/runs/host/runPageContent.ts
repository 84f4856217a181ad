import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import { systemClock } from '../../shared/clock.ts';
import type { CommandId } from '../../shared/commandIds.ts';
import type { FromPage, PageSubject } from '../page/pageProtocol.ts';
import { RunPageSession } from '../page/runPageSession.ts';
import { usualMs } from '../page/runStrip.ts';
import { runLabel } from '../rowWords.ts';
import { runStatus } from '../runState.ts';
import type { RunStore } from '../store/runStore.ts';
import { frameOf } from './failingFrame.ts';
import type { FailureMarks } from './failureMarks.ts';
import { followLink, type PageContent, type PageHost } from './pageContent.ts';
import { WorkspacePlaces } from './workspacePlaces.ts';

/** Commands of the page's buttons for its run. */
const commandOfAction = new Map<string, CommandId>([
  ['explain', 'millrace.run.askChat'],
  ['fix', 'millrace.run.fix'],
  ['cells', 'millrace.run.showCells'],
  ['debug', 'millrace.run.debugFailure'],
  ['cancel', 'millrace.run.cancel'],
  ['repair', 'millrace.run.repair'],
  ['repeat', 'millrace.run.repeat'],
  ['repeatWithChanges', 'millrace.run.repeatWithChanges'],
  ['compare', 'millrace.run.compare'],
  ['curl', 'millrace.run.copyAsCurl'],
  ['replay', 'millrace.run.replay'],
  ['text', 'millrace.run.showOutput'],
  ['export', 'millrace.run.export'],
  ['browser', 'millrace.run.openPage'],
]);

export interface RunPageContentOptions {
  readonly connections: ConnectionService;
  readonly store: RunStore;
  readonly marks: FailureMarks;
}

/** Creates the content of a run's page. */
export function runPageContent(
  { profileId, id: runId }: PageSubject,
  host: PageHost,
  { connections, store, marks }: RunPageContentOptions,
): PageContent {
  const places = new WorkspacePlaces(
    () => session.run && { ...session.run, ...(session.task ? { task: session.task } : {}) },
  );
  const session: RunPageSession = new RunPageSession(runId, {
    clock: systemClock,
    profile: () => connections.profiles.find((profile) => profile.id === profileId),
    connect: (how) => connections.connectTo(profileId, how),
    post: host.post,
    setTitle: host.setTitle,
    usualMs: ({ job_id: jobId = '' }) =>
      connections.current.id === profileId ? usualMs(store.runsOf(jobId)?.runs ?? []) : undefined,
    locate: async (steps) => frameOf(steps, places, session.run),
    ended: (run, job, trace) => {
      const { phase } = runStatus(run);
      if (phase === 'succeeded') marks.clear(profileId, run);
      else if (phase === 'failed' && trace)
        marks.mark(profileId, run, runLabel(run, job), trace, places).catch(() => undefined);
    },
  });
  return {
    resume: () => session.resume(),
    pause: () => session.pause(),
    async act(message) {
      switch (message.type) {
        case 'ready':
          session.restart();
          break;
        case 'showTask':
          session.showTask(message.key);
          break;
        case 'taken':
          session.taken();
          break;
        case 'action':
          await press(message.id, { profileId, runId, session, host });
          break;
        case 'findFiles':
          await findFiles(message.files, host, places);
          break;
        default:
          await followLink(message, { profileId, host, places, session });
      }
    },
  };
}

/**
 * Runs the command of a page's button.
 * @throws AppError if the command fails
 */
async function press(
  id: string,
  {
    profileId,
    runId,
    session,
    host,
  }: { profileId: string; runId: string; session: RunPageSession; host: Pick<PageHost, 'open'> },
): Promise<void> {
  const command = commandOfAction.get(id);
  const jobId = session.run?.job_id;
  if (id === 'retry') session.retry();
  else if (id === 'jobFile' && jobId !== undefined)
    await vscode.commands.executeCommand('millrace.job.openAsFile', { profileId, jobId });
  else if (command !== undefined) {
    const taskKey = session.task?.task_key;
    const started: unknown = await vscode.commands.executeCommand(command, {
      profileId,
      runId,
      ...(taskKey === undefined ? {} : { taskKey }),
    });
    // A new run has a page of its own.
    if (command.startsWith('millrace.run.repeat') && typeof started === 'string')
      host.open({ kind: 'run', profileId, id: started });
  }
}

/** Reports to the page which of the files named in its output are in the workspace. */
async function findFiles(
  files: Extract<FromPage, { type: 'findFiles' }>['files'],
  host: PageHost,
  places: WorkspacePlaces,
): Promise<void> {
  const found = await Promise.all(files.map(async (file) => [file, await places.file(file)] as const));
  host.post({
    type: 'files',
    found: found.flatMap(([file, uri]) => (uri ? [file] : [])),
    missing: found.flatMap(([file, uri]) => (uri ? [] : [file])),
  });
}
