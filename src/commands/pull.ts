import type { Job } from '../api/schema/jobs/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import { createJobFileService, type PullPlan } from '../jobfile/services/jobFileService.ts';
import { jobFileName } from '../runs/exportNames.ts';
import { jobName } from '../runs/jobNames.ts';
import { l10n } from '../shared/l10n.ts';
import { oneLine } from '../shared/text.ts';
import { connectFor } from './connectFor.ts';
import { fileOfJob, filesThatKnow } from './fileOfJob.ts';
import { findJobOfFile } from './jobOfFile.ts';
import { resolveJob } from './resolve.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';
import type { OpenFile, PickItem } from './ui.ts';

const { parse, planPull, toYaml, settingsAfter, changesInWords } = createJobFileService();

/**
 * Writes the settings of a job into its linked file, one that the user picks, or a new one. Called on a file, it pulls the file's own job.
 * The file is then linked to the job on this profile: its next deploy updates that job.
 */
export async function pullJob(services: CommandServices, target: Target): Promise<void> {
  const file = await fileOfTarget(services, target);
  const connection = await connectFor(services, target);
  if (file) {
    const job = await jobOfFile(services, connection, file);
    if (job) await pullInto(services, connection, file, job);
    return;
  }
  const job = await chosenJob(services, connection, target, l10n.t('Pull job into file'));
  if (!job) return;
  const place = await fileOfJob(services, connection.profile.id, job);
  if (place === undefined) return;
  const existing = place === 'new' ? undefined : await services.ui.file(place);
  if (existing) await pullInto(services, connection, existing, job);
  else await pullIntoNew(services, connection, job);
}

/** Opens the file linked to the job, or creates one with its settings. */
export async function openJobAsFile(services: CommandServices, target: Target): Promise<void> {
  const connection = await connectFor(services, target);
  const job = await chosenJob(services, connection, target, l10n.t('Open as job file'));
  if (!job) return;
  const [known] = await filesThatKnow(services, connection.profile.id, job);
  if (known === undefined) await pullIntoNew(services, connection, job);
  else await services.ui.openFile(known);
}

/** Returns the target's file; from the palette, the active job file. */
async function fileOfTarget({ ui }: CommandServices, { uri, jobId }: Target): Promise<OpenFile | undefined> {
  if (uri !== undefined) return ui.file(uri);
  const active = jobId === undefined ? await ui.file() : undefined;
  return active?.isJobFile ? active : undefined;
}

async function jobOfFile(services: CommandServices, connection: Connection, file: OpenFile): Promise<Job | undefined> {
  const { settings = {}, jobId } = parse(file.text);
  const found = await findJobOfFile(services, connection, { file, settings, jobId }, 'pull');
  if (found === 'stop') return undefined;
  if (found.job) return latest(services, connection, found.job);
  const title = l10n.t('{0} has no job on {1} yet. Pull which job into it?', file.name, connection.profile.name);
  return chosenJob(services, connection, {}, title);
}

async function chosenJob(
  services: CommandServices,
  connection: Connection,
  target: Target,
  title: string,
): Promise<Job | undefined> {
  const job = await resolveJob(services, connection, target, title);
  return job && latest(services, connection, job);
}

/** Reads the job again, because the jobs view may be slightly outdated. */
function latest(services: CommandServices, connection: Connection, job: Job): Promise<Job> {
  return services.ui.progress(l10n.t('Loading the settings of "{0}"', jobName(job)), (signal) =>
    connection.client.jobs.get(job.job_id, { signal }),
  );
}

async function pullIntoNew(services: CommandServices, connection: Connection, job: Job): Promise<void> {
  const { ui, deployments } = services;
  const theirs = job.settings ?? {};
  const { sent } = planPull('', theirs);
  const uri = await ui.createJobFile(jobFileName(job), toYaml(sent));
  if (uri === undefined) return;
  await deployments.set(connection.profile.id, uri, job.job_id, {
    sent,
    settings: settingsAfter(sent, theirs, undefined),
  });
}

async function pullInto(services: CommandServices, connection: Connection, file: OpenFile, job: Job): Promise<void> {
  const { ui, deployments } = services;
  const { profile } = connection;
  const theirs = job.settings ?? {};
  const last = deployments.lastDeployOf(profile.id, file.uri, job.job_id);
  const plan = planPull(file.text, theirs, last);
  const where = l10n.t('job "{0}" ({1}) on {2}', jobName(job), job.job_id, profile.name);
  const isChanged = plan.changes.length > 0;
  const text = isChanged ? await wantedText(services, file, plan, where) : file.text;
  if (text === undefined) return;
  if (isChanged) await ui.replaceText(file.uri, file.text, text);
  // Unsaved text may be lost with its tab; a deploy of the old text would then seem to undo no changes by others.
  if (await ui.save(file.uri)) {
    const settings = settingsAfter(plan.sent, theirs, undefined);
    await deployments.set(profile.id, file.uri, job.job_id, { sent: plan.sent, settings });
  }
  void ui.info(
    isChanged ? l10n.t('Pulled {0} into {1}.', where, file.name) : l10n.t('{0} already matches {1}.', file.name, where),
  );
}

/**
 * Shows the file with the proposed text, and asks.
 * @returns the wanted text, or `undefined` if the file stays unchanged
 */
async function wantedText(
  { ui }: CommandServices,
  file: OpenFile,
  plan: PullPlan,
  where: string,
): Promise<string | undefined> {
  const close = await ui.previewText(file.uri, plan.text, l10n.t('{0}: now ↔ after the pull', file.name));
  const loses = plan.lost.length > 0;
  const items: PickItem<string | undefined>[] = [
    ...(plan.merged === undefined
      ? []
      : [
          {
            label: l10n.t('Merge: keep what only the file changed'),
            detail: l10n.t('If both changed a setting, the file keeps its own value.'),
            value: plan.merged,
          },
        ]),
    {
      label: loses ? l10n.t('Pull everything, and discard what only the file has') : l10n.t('Pull into the file'),
      detail: oneLine(changesInWords(loses ? plan.lost : plan.changes)),
      value: plan.text,
    },
    { label: l10n.t('Leave the file as it is'), value: undefined },
  ];
  const question = l10n.t('Pull {0} into {1}?', where, file.name);
  try {
    return await ui.pick(question, l10n.t('The comparison shows the changes.'), items);
  } finally {
    await close();
  }
}
