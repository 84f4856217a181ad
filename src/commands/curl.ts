import { copiedNote, curlSignIn, shellWord } from '../shared/httpCommand.ts';
import { stringifyJson } from '../shared/json.ts';
import { l10n } from '../shared/l10n.ts';
import { connectFor } from './connectFor.ts';
import { resolveJob } from './resolve.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/** Copies a command line that asks for the run, or starts the job, as this extension does it. */
export async function copyAsCurl(services: CommandServices, target: Target): Promise<void> {
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
