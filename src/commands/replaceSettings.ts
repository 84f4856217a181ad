import type { Job } from '../api/schema/jobs/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import { settingsTargetOf } from '../connection/profileSettings.ts';
import { createJobFileService, type DeployPlan, type LastDeploy } from '../jobfile/services/jobFileService.ts';
import { jobName } from '../runs/jobNames.ts';
import { AppError } from '../shared/errors.ts';
import { ifFound } from '../shared/fields.ts';
import { l10n } from '../shared/l10n.ts';
import type { DeployableFile } from './deployableFile.ts';
import { loadJobFileService } from './loadJobFileService.ts';
import type { CommandServices } from './services.ts';

const { differences, planDeploy, changesInWords, takeTheirs, mergeTheirs, withSettings } = createJobFileService();

/** The result for a job: it has the file's settings, the user canceled, or wants another job for the file. */
export type Replaced = 'replaced' | 'stop' | 'another';

export interface ReplaceOptions {
  /** The job as found. */
  readonly job: Job;
  /** Whether to show the changes first, because the user wants to see them every time. */
  readonly isPreviewed: boolean;
  /** Whether it runs next: the question for a production profile then covers both. */
  readonly isToRun: boolean;
  /** Whether an agent asks for it, so that a click of the user is needed in any case. */
  readonly isAskedByAgent: boolean;
  /** Why the user may mean another job, as text, or `undefined` if there is no doubt. */
  readonly doubt: string | undefined;
}

/**
 * Replaces all settings of the job with those of the file (jobs/reset). Changes by others since the last deploy from here are never
 * overwritten without asking, nor are any differences if that deploy is unknown. The API has no conditional write, so the job is read again
 * just before the reset, and changes made while a question was open are asked about.
 */
export async function replaceSettings(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  options: ReplaceOptions,
): Promise<Replaced> {
  let seen = options.job;
  for (;;) {
    const answer = await mayReplace(services, connection, deployable, { ...options, job: seen });
    if (answer !== 'replaced') return answer;
    const title = l10n.t('Deploying {0} to {1}', jobName(seen), connection.profile.name);
    const changed = await services.ui.progress(title, (signal) =>
      resetUnlessChanged(connection, deployable, seen, signal),
    );
    if (!changed) return 'replaced';
    seen = changed;
  }
}

/**
 * Resets the job unless it has changed.
 * @returns the current job if it has changed and so was left alone
 */
async function resetUnlessChanged(
  connection: Connection,
  { file, settings }: DeployableFile,
  seen: Job,
  signal: AbortSignal,
): Promise<Job | undefined> {
  const now = await ifFound(connection.client.jobs.get(seen.job_id, { signal }));
  if (!now) {
    throw new AppError(
      'notFound',
      l10n.t(
        '{0} was not deployed, because job {1} was deleted from {2} in the meantime.',
        file.name,
        seen.job_id,
        connection.profile.name,
      ),
      {
        remedy: l10n.t('Deploy the file again to create a new job.'),
      },
    );
  }
  if (differences(now.settings ?? {}, seen.settings ?? {}).length > 0) return now;
  await connection.client.jobs.reset(seen.job_id, settings, { signal });
  return undefined;
}

async function mayReplace(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  { job, isPreviewed, isToRun, isAskedByAgent, doubt }: ReplaceOptions,
): Promise<Replaced> {
  const { profile } = connection;
  const { file, settings } = deployable;
  const last = services.deployments.lastDeployOf(profile.id, file.uri, job.job_id);
  const plan = planDeploy(settings, job.settings ?? {}, last);
  const isUnsure = plan.lost.length > 0 || doubt !== undefined;
  const reason = doubt ?? whyUnsure(connection, file.name, job, plan);
  const why = isAskedByAgent ? l10n.t('An agent asks to deploy. {0}', reason) : reason;
  const detail = isAskedByAgent ? `${detailOf(plan)}\n\n${settingsTargetOf(profile)}` : detailOf(plan);
  const anyway = doubt === undefined ? l10n.t('Deploy Anyway') : l10n.t('Update This Job');
  const compare = l10n.t('Compare');
  const take = l10n.t('Take Theirs into File');
  const merge = l10n.t('Merge into the File');
  const another = l10n.t('Create Another Job');
  // Few buttons: "Pull Job into File" also takes all settings of the job.
  const bring = doubt !== undefined ? another : last ? merge : take;
  const others = plan.lost.length > 0 ? [compare, bring] : doubt === undefined ? [] : [another];
  let choice: string | boolean | undefined = true;
  // A profile that refuses changes reports that in any case; a production profile asks about everything at once, below.
  if (!profile.readOnly && !profile.production) {
    if (isUnsure) choice = await services.ui.decide(why, detail, [...others, anyway]);
    else if (isAskedByAgent || (isPreviewed && plan.changes.length > 0 && services.deployPreview() === 'always'))
      choice = await askByPreview(services, connection, deployable, job, { detail, isAskedByAgent });
  }
  if (choice === true || choice === anyway)
    choice = await services.connections.confirmMutation(
      isToRun
        ? l10n.t('Replace the settings of job "{0}" ({1}) and run it', jobName(job), job.job_id)
        : l10n.t('Replace the settings of job "{0}" ({1})', jobName(job), job.job_id),
      connection,
      {
        verb: isUnsure ? anyway : isToRun ? l10n.t('Deploy and Run') : l10n.t('Deploy'),
        detail: isUnsure ? `${why}\n${detail}` : detail,
        others: isUnsure ? others : [],
      },
    );
  if (choice === compare) await showComparison(services, connection, deployable, job);
  if (choice === take || choice === merge)
    await bringIn(services, connection, deployable, job, { last, isMerged: choice === merge });
  if (choice === another) return 'another';
  return choice === true ? 'replaced' : 'stop';
}

/**
 * Shows the changes if they all come from the file.
 * @returns true, or the other button that was pressed
 */
async function askByPreview(
  { ui }: CommandServices,
  { profile }: Connection,
  { file }: DeployableFile,
  job: Job,
  { detail, isAskedByAgent }: { detail: string; isAskedByAgent: boolean },
): Promise<string | boolean | undefined> {
  const deploy = l10n.t('Deploy');
  const question = l10n.t('Deploy {0} to job "{1}" ({2}) on {3}?', file.name, jobName(job), job.job_id, profile.name);
  const choice = await ui.decide(
    isAskedByAgent ? l10n.t('An agent asks: {0}', question) : question,
    l10n.t('Nobody else has changed the job since the last deploy from here. {0}', detail),
    // The first button has the focus: a key that is pressed just when an agent asks deploys nothing.
    isAskedByAgent ? [l10n.t('Compare'), deploy] : [deploy, l10n.t('Compare')],
  );
  return choice === deploy || choice;
}

/** Describes what a deploy changes in the job; changes by others that it undoes come first. */
function detailOf({ changes, lost }: DeployPlan): string {
  const rest = changesInWords(changes.filter((change) => !lost.includes(change)));
  if (changes.length === 0) return l10n.t('The job already has these settings.');
  if (lost.length === 0) return l10n.t('Changes:\n{0}', rest);
  const undone = l10n.t(
    'A deploy replaces all settings of the job. It would undo these changes:\n{0}',
    changesInWords(lost),
  );
  return rest === '' ? undone : `${undone}\n${l10n.t('It also makes these changes:\n{0}', rest)}`;
}

function whyUnsure({ profile }: Connection, file: string, job: Job, { isLastDeployKnown }: DeployPlan): string {
  return isLastDeployKnown
    ? l10n.t(
        'Job "{0}" ({1}) on {2} has changed since the last deploy of {3} from here.',
        jobName(job),
        job.job_id,
        profile.name,
        file,
      )
    : l10n.t(
        'Job "{0}" ({1}) on {2} has other settings than {3}, and they do not come from a deploy of this file from here.',
        jobName(job),
        job.job_id,
        profile.name,
        file,
      );
}

/** Changes the file, unsaved so that it can be reviewed and undone, and shows it beside the job. Deploys nothing. */
async function bringIn(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  job: Job,
  { last, isMerged }: { last: LastDeploy | undefined; isMerged: boolean },
): Promise<void> {
  const { file, settings } = deployable;
  const theirs = job.settings ?? {};
  const wanted = isMerged && last ? mergeTheirs(settings, theirs, last) : takeTheirs(settings, theirs, last);
  const text = withSettings(file.text, wanted);
  await services.ui.replaceText(file.uri, file.text, text);
  if (isMerged) await showComparison(services, connection, { ...deployable, file: { ...file, text } }, job);
  // Do not wait for the message to close, so that the file can be deployed again.
  void services.ui.info(
    isMerged
      ? l10n.t(
          '{0} now includes the changes of others. If both changed a setting, the file keeps its own value.',
          file.name,
        )
      : l10n.t('{0} matches the job. Nothing was deployed.', file.name),
  );
}

/** Compares the file with the job's settings. These are written in the file's order, so that the order is not shown as a change. */
export async function showComparison(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  job: Job,
): Promise<void> {
  const { toYaml } = await loadJobFileService();
  const { file, jobId } = deployable;
  const theirs = toYaml(job.settings ?? {}, { like: file.text, ...(jobId === undefined ? {} : { jobId: job.job_id }) });
  await services.ui.compare(
    file.uri,
    theirs,
    l10n.t('{0}: file ↔ {1}, job {2}', jobName(job), connection.profile.name, job.job_id),
  );
}
