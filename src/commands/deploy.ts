import type { Job, JobSettings } from '../api/schema/jobs/schemas.ts';
import { buttonOn, type Connection } from '../connection/connection.ts';
import { settingsTargetOf } from '../connection/profileSettings.ts';
import type { LastDeploy } from '../jobfile/services/jobFileService.ts';
import { ifFound } from '../shared/fields.ts';
import { l10n } from '../shared/l10n.ts';
import { oneLine } from '../shared/text.ts';
import { refreshAfter } from './connectFor.ts';
import type { DeployableFile } from './deployableFile.ts';
import { findJobOfFile } from './jobOfFile.ts';
import type { Replaced } from './replaceSettings.ts';
import type { CommandServices } from './services.ts';

/** Result of a deploy. */
export interface Deployed {
  readonly jobId: string;
  readonly name: string;
  /** The connection of the job; follow-up actions must use it. */
  readonly connection: Connection;
  /** Whether the job was created; false if an existing one was updated. */
  readonly created: boolean;
  /** The job that the file was previously deployed to, if it no longer exists. */
  readonly goneJobId?: string;
  /** Description of values that the service stored differently than sent. */
  readonly rewritten?: string;
  /** Whether the confirmation also covered running the job. */
  readonly isToRun: boolean;
}

export interface DeployOptions {
  /** Whether to show a preview; set for a deploy itself, not for one before a run. */
  readonly isPreviewed?: boolean;
  /** Whether the job runs next: a production profile asks about both at once. */
  readonly isToRun?: boolean;
  /** Whether an agent asks for it: then nothing is deployed without a click of the user, whatever the settings say. */
  readonly isAskedByAgent?: boolean;
}

/**
 * Creates the file's job, or replaces the settings of the job it was deployed to before (jobs/create, jobs/reset). The service would create
 * a job for each request, so a file is deployed once at a time: repeated requests for the same text share one deploy, and a changed text is
 * deployed after it.
 * @returns the result, or `undefined` if the user canceled
 */
export async function deployJobFile(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  options: DeployOptions = {},
): Promise<Deployed | undefined> {
  const { singleFlight } = services;
  const turn = JSON.stringify([connection.profile.id, deployable.file.uri]);
  return singleFlight.join(taskName('deploy', connection, deployable), async () => {
    const deployed = await singleFlight.inTurn(turn, () => deploy(services, connection, deployable, options));
    if (deployed) await refreshAfter(services, connection);
    return deployed;
  });
}

/** Returns the key that prevents the same action on the same text from running twice at a time. */
export function taskName(what: string, { profile }: Connection, { file }: DeployableFile): string {
  return JSON.stringify([what, profile.id, file.uri, file.text]);
}

async function deploy(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  options: DeployOptions,
): Promise<Deployed | undefined> {
  const found = await findJobOfFile(services, connection, deployable, 'deploy');
  if (found === 'stop') return undefined;
  const { goneJobId } = found;
  const name = deployable.settings.name ?? l10n.t('Untitled');
  const answer = found.job && (await replace(services, connection, deployable, found.job, found.doubt, options));
  if (answer === 'stop') return undefined;
  const existing = answer === 'replaced' ? found.job : undefined;
  const { isToRun = false, isAskedByAgent = false } = options;
  if (isAskedByAgent && !existing && !(await mayCreateForAgent(services, connection, deployable, name)))
    return undefined;
  // The production confirmation already offered another job as a button, so do not ask again.
  const isSure = answer === 'another' && connection.profile.production;
  const jobId = existing?.job_id ?? (await create(services, connection, deployable, name, { isToRun, isSure }));
  if (jobId === undefined) return undefined;
  const sent = deployable.settings;
  const last = services.deployments.lastDeployOf(connection.profile.id, deployable.file.uri, jobId);
  const { settings, rewritten } = await settingsNow(connection, jobId, sent, existing, last);
  await services.deployments.set(connection.profile.id, deployable.file.uri, jobId, { sent, settings });
  return { jobId, name, connection, created: existing === undefined, goneJobId, rewritten, isToRun };
}

async function create(
  services: CommandServices,
  connection: Connection,
  { settings }: DeployableFile,
  name: string,
  { isToRun, isSure }: { isToRun: boolean; isSure: boolean },
): Promise<string | undefined> {
  const what = isToRun ? l10n.t('Create job "{0}" and run it', name) : l10n.t('Create job "{0}"', name);
  const verb = isToRun ? l10n.t('Deploy and Run') : l10n.t('Deploy');
  if (!isSure && !(await services.connections.confirmMutation(what, connection, { verb }))) return undefined;
  const title = l10n.t('Deploying {0} to {1}', name, connection.profile.name);
  const created = await services.ui.progress(title, (signal) => connection.client.jobs.create(settings, { signal }));
  return created.job_id;
}

/** Shows the user the job that an agent wants to create. */
async function mayCreateForAgent(
  { ui }: CommandServices,
  { profile }: Connection,
  { file, settings }: DeployableFile,
  name: string,
): Promise<boolean> {
  const { createJobFileService } = await import('../jobfile/services/jobFileService.ts');
  const { planDeploy, changesInWords } = createJobFileService();
  const deployThere = buttonOn(l10n.t('Deploy'), profile);
  const open = l10n.t('Open File');
  // The first button has the focus, so that a key that is pressed just then deploys nothing.
  const choice = await ui.decide(
    l10n.t('An agent asks: create job "{0}" from {1} on {2}?', oneLine(name), file.name, profile.name),
    `${changesInWords(planDeploy(settings, {}).changes)}\n\n${settingsTargetOf(profile)}`,
    [open, deployThere],
  );
  if (choice === open) await ui.openFile(file.uri);
  return choice === deployThere;
}

async function replace(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  job: Job,
  doubt: string | undefined,
  { isPreviewed = false, isToRun = false, isAskedByAgent = false }: DeployOptions,
): Promise<Replaced> {
  const { replaceSettings } = await import('./replaceSettings.ts');
  return replaceSettings(services, connection, deployable, { job, isPreviewed, isToRun, isAskedByAgent, doubt });
}

/** Maximum time to read the job back, in milliseconds: the deploy has succeeded, so nobody should wait long. */
const maxLookInMs = 5000;

/** Returns the job's settings after the deploy, including the service's own additions; if they cannot be read, the settings sent. */
async function settingsNow(
  connection: Connection,
  jobId: string,
  sent: JobSettings,
  before: Job | undefined,
  last: LastDeploy | undefined,
): Promise<{ settings: Readonly<Record<string, unknown>>; rewritten?: string }> {
  try {
    const job = await ifFound(connection.client.jobs.get(jobId, { signal: AbortSignal.timeout(maxLookInMs) }));
    const { createJobFileService } = await import('../jobfile/services/jobFileService.ts');
    const { settingsAfter, rewritten, movesInWords } = createJobFileService();
    const stored = job?.settings ?? {};
    return {
      settings: settingsAfter(sent, stored, before && (before.settings ?? {}), last),
      rewritten: job && movesInWords(rewritten(sent, stored, last)),
    };
  } catch {
    // The next deploy then asks about the service's additions, which is better than reporting this one as a failure.
    return { settings: sent };
  }
}
