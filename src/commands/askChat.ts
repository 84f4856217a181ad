import type { Job, Run, RunOutput } from '../api/schema/jobs/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import { jobName } from '../runs/jobNames.ts';
import { outputText } from '../runs/outputText.ts';
import { runStatus } from '../runs/runState.ts';
import { readRunOutput } from '../runs/runTasks.ts';
import { isAppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { connectFor } from './connectFor.ts';
import { loadJobFileService } from './loadJobFileService.ts';
import { connectToRun, resolveJob } from './resolve.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';
import type { ChatAttachment } from './ui.ts';

/** Maximum characters of a run's output sent to a model. Errors are at the end; the beginning shows what was started. */
const maxOutputLength = 20_000;
const keptOfStart = 5_000;

/** Opens the chat with a question about the run, including its state, error and output and its job's settings. Nothing is sent yet. */
export async function askChatAboutRun(services: CommandServices, target: Target): Promise<void> {
  const known = await readRun(services, target, l10n.t('Ask the chat about a run'));
  if (known) await services.ui.askChat(question(known.current), known.attachments);
}

/** Attaches the run's state, error and output and its job's settings to the conversation on screen. */
export async function attachRunToChat(services: CommandServices, target: Target): Promise<void> {
  const known = await readRun(services, target, l10n.t('Attach a run to the chat'));
  if (known) await services.ui.attachToChat(known.attachments);
}

/** Attaches the job's settings to the conversation on screen, as a job file. */
export async function attachJobToChat(services: CommandServices, target: Target): Promise<void> {
  const connection = await connectFor(services, target);
  const { ui } = services;
  const job = await resolveJob(services, connection, target, l10n.t('Attach a job to the chat'));
  if (!job) return;
  // A list may omit some settings.
  const whole = await ui.progress(l10n.t('Loading {0}', jobName(job)), (signal) =>
    connection.client.jobs.get(job.job_id, { signal }),
  );
  await ui.attachToChat(await jobTexts(whole));
}

/** Returns the run's details as texts, or `undefined` if no run was chosen. */
async function readRun(
  services: CommandServices,
  target: Target,
  title: string,
): Promise<{ current: Run; attachments: ChatAttachment[] } | undefined> {
  const found = await connectToRun(services, target, title);
  if (!found) return undefined;
  const { connection, run, name } = found;
  const [output, job] = await services.ui.progress(l10n.t('Loading {0}', name), (signal) =>
    Promise.all([outputOf(connection, run, signal, target.taskKey), jobOf(connection, run, signal)]),
  );
  const current = output.metadata ?? run;
  const attachments: ChatAttachment[] = [
    {
      label: l10n.t('{0}: state and output', name),
      text: beginningAndEnd(outputText(name, output, current, Date.now())),
    },
  ];
  if (job) attachments.push(...(await jobTexts(job)));
  return { current, attachments };
}

async function jobTexts({ job_id: id, settings }: Job): Promise<ChatAttachment[]> {
  if (!settings) return [];
  const { toYaml } = await loadJobFileService();
  return [{ label: l10n.t('{0}: job file', settings.name ?? id), language: 'yaml', text: toYaml(settings) }];
}

function question(run: Run): string {
  const { active, phase } = runStatus(run);
  if (active) return l10n.t('What is this run doing?');
  // A result that is not in the document is not necessarily a failure.
  return phase === 'succeeded' || phase === 'unknown'
    ? l10n.t('What did this run do?')
    : l10n.t('Why did this run fail, and what can I do about it?');
}

/** Returns the run's output (jobs/runs/get-output). If the service refuses, its reason is worth attaching as well. */
export async function outputOf(
  { client }: Connection,
  run: Run,
  signal: AbortSignal,
  taskKey?: string,
): Promise<RunOutput> {
  try {
    return await readRunOutput(client.jobs, run.run_id, { signal, taskKey });
  } catch (error) {
    if (isRefusal(error)) return { metadata: run, error: error.message };
    throw error;
  }
}

/** Returns the run's job, or `undefined` if it has none or it no longer exists. */
async function jobOf({ client }: Connection, run: Run, signal: AbortSignal): Promise<Job | undefined> {
  if (run.job_id === undefined) return undefined;
  try {
    return await client.jobs.get(run.job_id, { signal });
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function isRefusal(error: unknown): error is Error {
  return isAppError(error) && (error.kind === 'notFound' || error.kind === 'rejected');
}

/** Returns the beginning and the end, with a note about what was left out between them. */
export function beginningAndEnd(text: string): string {
  if (text.length <= maxOutputLength) return text;
  const end = text.slice(keptOfStart - maxOutputLength);
  return `${text.slice(0, keptOfStart)}\n\n${l10n.t('… {0} characters left out …', text.length - maxOutputLength)}\n\n${end}`;
}
