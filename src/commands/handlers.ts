import type { CommandId } from '../shared/commandIds.ts';
import { l10n } from '../shared/l10n.ts';
import {
  clearFilter,
  filterJobs,
  filterJobsByText,
  pinJobs,
  showRunsByJob,
  showRunsByTime,
  sortJobsOfView,
} from './arrange.ts';
import { askChatAboutRun, attachJobToChat, attachRunToChat } from './askChat.ts';
import { connectFor, requireProfile } from './connectFor.ts';
import { copyAsCurl } from './curl.ts';
import { debugFailure, debugJob } from './debugJob.ts';
import { deployAndOffer } from './deployAndOffer.ts';
import { createEndpoint, deleteEndpoint } from './endpointCommands.ts';
import { cancelAllRuns, compareJobFile, deleteJob, jobFileFromJson, openJob } from './jobCommands.ts';
import { loadJobFileService } from './loadJobFileService.ts';
import { newJobFile } from './newJobFile.ts';
import { submitJobFile } from './oneTimeRun.ts';
import { setSchedulePaused } from './pauseSchedule.ts';
import { openJobAsFile, pullJob } from './pull.ts';
import { replayRun } from './replay/replay.ts';
import { resolveJob } from './resolve.ts';
import { cancelRun, compareRuns, deleteRun, exportRun, openRun, openRunPage, showOutput } from './runCommands.ts';
import { repeatRun, repeatRunWithChanges, runNow, runNowWithParameters } from './runNow.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/** One handler a command: the palette, the tree, the lenses and the tools all come here. */
export type Handler = (services: CommandServices, target: Target) => Promise<unknown>;

export const handlers: Readonly<Record<CommandId, Handler>> = {
  'millrace.jobFile.deploy': deployAndOffer,
  'millrace.jobFile.compare': compareJobFile,
  'millrace.jobFile.new': newJobFile,
  'millrace.jobFile.fromJson': jobFileFromJson,
  'millrace.jobFile.jsonSchema': showJsonSchema,
  'millrace.job.runNow': runNow,
  'millrace.job.runNowWithParameters': runNowWithParameters,
  'millrace.job.debug': debugJob,
  'millrace.job.openAsFile': openJobAsFile,
  'millrace.job.pull': pullJob,
  'millrace.job.cancelAllRuns': cancelAllRuns,
  'millrace.job.delete': deleteJob,
  'millrace.job.copyId': copyJobId,
  'millrace.openJob': openJob,
  'millrace.openRun': openRun,
  'millrace.run.compare': compareRuns,
  'millrace.run.cancel': cancelRun,
  'millrace.run.showOutput': showOutput,
  'millrace.run.openPage': openRunPage,
  'millrace.run.export': exportRun,
  'millrace.run.delete': deleteRun,
  'millrace.run.repeat': repeatRun,
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
  'millrace.jobs.filterByText': filterJobsByText,
  'millrace.jobs.clearFilter': clearFilter,
  'millrace.jobs.sort': sortJobsOfView,
  'millrace.jobs.showByTime': showRunsByTime,
  'millrace.jobs.showByJob': showRunsByJob,
  'millrace.job.pin': (services, target) => pinJobs(services, target, true),
  'millrace.job.unpin': (services, target) => pinJobs(services, target, false),
  'millrace.job.pauseSchedule': (services, target) => setSchedulePaused(services, target, true),
  'millrace.job.resumeSchedule': (services, target) => setSchedulePaused(services, target, false),
  'millrace.job.copyAsCurl': copyAsCurl,
  'millrace.run.copyAsCurl': copyAsCurl,
  'millrace.run.repeatWithChanges': repeatRunWithChanges,
  'millrace.jobFile.submit': submitJobFile,
  'millrace.endpoint.create': createEndpoint,
  'millrace.endpoint.delete': deleteEndpoint,
};

/** For other tools. */
async function showJsonSchema({ ui }: CommandServices): Promise<void> {
  const schema = (await loadJobFileService()).jsonSchema();
  await ui.openUntitled('json', `${JSON.stringify(schema, null, 2)}\n`);
}

async function copyJobId(services: CommandServices, target: Target): Promise<void> {
  const job =
    target.jobId ??
    (await resolveJob(services, await connectFor(services, target), target, l10n.t('Copy job id')))?.job_id;
  if (job !== undefined) await services.ui.copy(job);
}

async function copyRunId(services: CommandServices, target: Target): Promise<void> {
  if (target.runId !== undefined) await services.ui.copy(target.runId);
}

/** The row may be left from the profile before: its job has other runs on this one, or none. */
async function loadMoreRuns(services: CommandServices, target: Target): Promise<void> {
  requireProfile(services, target, services.connections.current);
  await services.loadMoreRuns(target.jobId);
}
