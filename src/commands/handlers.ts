import { readOnlyError } from '../connection/connectorFailures.ts';
import type { CommandId } from '../shared/commandIds.ts';
import { copiedNote, curlSignIn, shellWord } from '../shared/httpCommand.ts';
import { stringifyJson } from '../shared/json.ts';
import { l10n } from '../shared/l10n.ts';
import {
  clearFilter,
  editFilter,
  filterJobs,
  filterJobsByText,
  pinJobs,
  showRunsByJob,
  showRunsByTime,
  sortJobsOfView,
} from './arrange.ts';
import { askChatAboutRun, attachJobToChat, attachRunToChat } from './askChat.ts';
import { connectFor, requireProfile } from './connectFor.ts';
import { debugFailure, debugJob } from './debugJob.ts';
import { deployAndOffer } from './deployAndOffer.ts';
import { createEndpoint, deleteEndpoint } from './endpointCommands.ts';
import {
  cancelAllRuns,
  compareJobFile,
  deleteJob,
  jobFileFromJson,
  openJob,
  setSchedulePaused,
} from './jobCommands.ts';
import { loadJobFileService } from './loadJobFileService.ts';
import { newJobFile } from './newJobFile.ts';
import { submitJobFile } from './oneTimeRun.ts';
import { openJobAsFile, pullJob } from './pull.ts';
import { replayRun } from './replay/replay.ts';
import { resolveJob } from './resolve.ts';
import {
  cancelRun,
  compareRuns,
  deleteRun,
  exportRun,
  openRun,
  openRunPage,
  showCells,
  showOutput,
} from './runCommands.ts';
import { repeatRun, repeatRunWithChanges, runNow, runNowWithParameters } from './runNow.ts';
import { cancelSelected, deleteSelected, pauseSelected, runSelected } from './selection.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/** A command handler, shared by the palette, the tree, the lenses and the tools. */
export type Handler = (services: CommandServices, target: Target) => Promise<unknown>;

export const handlers: Readonly<Record<CommandId, Handler>> = refusingChanges({
  'millrace.jobFile.deploy': deployAndOffer,
  'millrace.jobFile.compare': compareJobFile,
  'millrace.jobFile.new': newJobFile,
  'millrace.jobFile.fromJson': jobFileFromJson,
  'millrace.jobFile.jsonSchema': showJsonSchema,
  'millrace.job.runNow': oneOrAll(runNow, runSelected),
  'millrace.job.runNowWithParameters': runNowWithParameters,
  'millrace.job.debug': debugJob,
  'millrace.job.openAsFile': openJobAsFile,
  'millrace.job.pull': pullJob,
  'millrace.job.cancelAllRuns': oneOrAll(cancelAllRuns, cancelSelected),
  'millrace.job.delete': oneOrAll(deleteJob, deleteSelected),
  'millrace.job.copyId': copyJobId,
  'millrace.openJob': openJob,
  'millrace.openRun': openRun,
  'millrace.run.compare': compareRuns,
  'millrace.run.cancel': oneOrAll(cancelRun, cancelSelected),
  'millrace.run.showOutput': showOutput,
  'millrace.run.openPage': openRunPage,
  'millrace.run.export': exportRun,
  'millrace.run.showCells': showCells,
  'millrace.run.delete': oneOrAll(deleteRun, deleteSelected),
  'millrace.run.repeat': oneOrAll(repeatRun, runSelected),
  'millrace.run.debugFailure': debugFailure,
  'millrace.run.replay': replayRun,
  'millrace.run.fix': async (services, target) => (await import('./fix/fixRun.ts')).fixRun(services, target),
  'millrace.change.apply': ({ ui }, { uri }) => ui.settleReview(uri, true),
  'millrace.change.discard': ({ ui }, { uri }) => ui.settleReview(uri, false),
  'millrace.run.askChat': askChatAboutRun,
  'millrace.run.attachToChat': attachRunToChat,
  'millrace.run.attachLine': async (services, target) =>
    (await import('./fix/attachLine.ts')).attachLine(services, target),
  'millrace.job.attachToChat': attachJobToChat,
  'millrace.run.copyId': copyRunId,
  'millrace.jobs.refresh': (services) => services.reload(),
  'millrace.jobs.loadMore': loadMoreRuns,
  'millrace.jobs.filter': filterJobs,
  'millrace.jobs.editFilter': editFilter,
  'millrace.jobs.filterByText': filterJobsByText,
  'millrace.jobs.clearFilter': clearFilter,
  'millrace.jobs.sort': sortJobsOfView,
  'millrace.jobs.showByTime': showRunsByTime,
  'millrace.jobs.showByJob': showRunsByJob,
  'millrace.job.pin': (services, target) => pinJobs(services, target, true),
  'millrace.job.unpin': (services, target) => pinJobs(services, target, false),
  'millrace.job.pauseSchedule': oneOrAll(
    (services, target) => setSchedulePaused(services, target, true),
    (services, all) => pauseSelected(services, all, true),
  ),
  'millrace.job.resumeSchedule': oneOrAll(
    (services, target) => setSchedulePaused(services, target, false),
    (services, all) => pauseSelected(services, all, false),
  ),
  'millrace.rows.run': oneOrAll(ofRow(runNow, repeatRun), runSelected),
  'millrace.rows.cancel': oneOrAll(ofRow(cancelAllRuns, cancelRun), cancelSelected),
  'millrace.rows.delete': oneOrAll(ofRow(deleteJob, deleteRun), deleteSelected),
  'millrace.job.copyAsCurl': copyAsCurl,
  'millrace.run.copyAsCurl': copyAsCurl,
  'millrace.run.repeatWithChanges': repeatRunWithChanges,
  'millrace.run.repair': async (services, target) => (await import('./repairRun.ts')).repairRun(services, target),
  'millrace.jobFile.submit': submitJobFile,
  'millrace.endpoint.addModel': async (services, target) => (await import('./addModel.ts')).addModel(services, target),
  'millrace.endpoint.compare': async (services, target) =>
    (await import('./compareModels.ts')).compareModels(services, target),
  'millrace.endpoint.setKey': async (services, target) => (await import('./addModel.ts')).setModelKey(services, target),
  'millrace.endpoint.create': createEndpoint,
  'millrace.endpoint.delete': deleteEndpoint,
});

/** Wraps the handlers that change something on the service: a read-only profile refuses them before they ask anything. */
function refusingChanges(all: Readonly<Record<CommandId, Handler>>): Readonly<Record<CommandId, Handler>> {
  const changing = [
    'millrace.jobFile.deploy',
    'millrace.jobFile.submit',
    'millrace.job.runNow',
    'millrace.job.runNowWithParameters',
    'millrace.job.cancelAllRuns',
    'millrace.job.delete',
    'millrace.job.pauseSchedule',
    'millrace.job.resumeSchedule',
    'millrace.run.cancel',
    'millrace.run.delete',
    'millrace.run.repeat',
    'millrace.run.repeatWithChanges',
    'millrace.run.repair',
    'millrace.rows.run',
    'millrace.rows.cancel',
    'millrace.rows.delete',
    'millrace.endpoint.create',
    'millrace.endpoint.delete',
  ] as const satisfies readonly CommandId[];
  const refusing = changing.map((id): [CommandId, Handler] => [
    id,
    async (services, target) => {
      const { current } = services.connections;
      if (current.readOnly) throw readOnlyError(current);
      return all[id](services, target);
    },
  ]);
  return { ...all, ...Object.fromEntries(refusing) };
}

/** Returns a handler for one row and for several selected rows. */
function oneOrAll(
  one: Handler,
  all: (services: CommandServices, targets: readonly Target[]) => Promise<unknown>,
): Handler {
  return (services, target) => (target.all ? all(services, target.all) : one(services, target));
}

function ofRow(ofJob: Handler, ofRun: Handler): Handler {
  return (services, target) => (target.runId === undefined ? ofJob : ofRun)(services, target);
}

/** Shows the schema for use in other tools. */
async function showJsonSchema({ ui }: CommandServices): Promise<void> {
  const schema = (await loadJobFileService()).jsonSchema();
  await ui.openUntitled('json', `${JSON.stringify(schema, null, 2)}\n`);
}

async function copyJobId(services: CommandServices, target: Target): Promise<void> {
  const job =
    target.jobId ??
    (await resolveJob(services, await connectFor(services, target), target, l10n.t('Copy job ID')))?.job_id;
  if (job !== undefined) await services.ui.copy(job);
}

async function copyRunId(services: CommandServices, target: Target): Promise<void> {
  if (target.runId !== undefined) await services.ui.copy(target.runId);
}

/** Loads more runs. The row may belong to the earlier profile: on this one, the job ID has other runs or none. */
async function loadMoreRuns(services: CommandServices, target: Target): Promise<void> {
  requireProfile(services, target, services.connections.current);
  await services.loadMoreRuns(target.jobId);
}

/** Copies a command line that sends the same request as this extension to read the run or start the job. */
async function copyAsCurl(services: CommandServices, target: Target): Promise<void> {
  const connection = await connectFor(services, target);
  const { baseUrl } = connection.client;
  let words: string[];
  if (target.runId !== undefined)
    words = [shellWord(`${baseUrl}/api/2.0/jobs/runs/get?run_id=${encodeURIComponent(target.runId)}`)];
  else {
    const job = await resolveJob(services, connection, target, l10n.t('Copy as curl'));
    if (!job) return;
    const body = stringifyJson({ job_id: BigInt(job.job_id) });
    words = [
      shellWord(`${baseUrl}/api/2.0/jobs/run-now`),
      '-H',
      shellWord('Content-Type: application/json'),
      '-d',
      shellWord(body),
    ];
  }
  await services.ui.copy(['curl', '-sS', ...curlSignIn(connection.profile), ...words].join(' '));
  await services.ui.info(copiedNote(connection.profile));
}
