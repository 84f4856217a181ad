import type { Profile } from '../connection/connection.ts';
import { stringifyJson } from '../shared/json.ts';
import { l10n } from '../shared/l10n.ts';
import { connectFor } from './connectFor.ts';
import { resolveJob } from './resolve.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/** Where the copied command takes the sign-in from; the sign-in itself is never copied. */
const tokenVariable = 'MILLRACE_TOKEN';

/** Copies a command line that asks for the run, or starts the job, as this extension does it. */
export async function copyAsCurl(services: CommandServices, target: Target): Promise<void> {
  const connection = await connectFor(services, target);
  const { baseUrl } = connection.client;
  let words: string[];
  if (target.runId !== undefined)
    words = [quoted(`${baseUrl}/api/2.0/jobs/runs/get?run_id=${encodeURIComponent(target.runId)}`)];
  else {
    const job = await resolveJob(services, connection, target, l10n.t('Copy as curl'));
    if (!job) return;
    const body = stringifyJson({ job_id: BigInt(job.job_id) });
    words = [
      quoted(`${baseUrl}/api/2.0/jobs/run-now`),
      '-H',
      quoted('Content-Type: application/json'),
      '-d',
      quoted(body),
    ];
  }
  await services.ui.copy(['curl', '-sS', ...signIn(connection.profile), ...words].join(' '));
  const { authKind } = connection.profile;
  await services.ui.info(
    authKind === 'none'
      ? l10n.t('Copied. It can be pasted into a shell.')
      : l10n.t('Copied without the sign-in: set {0} in the shell that it is pasted into.', tokenVariable),
  );
}

/** How the profile signs requests, with the variable in the place of the secret. */
function signIn({ authKind, headerName, userName }: Profile): string[] {
  // In double quotes, where the shell puts the variable in.
  const variable = `"$${tokenVariable}"`;
  switch (authKind) {
    case 'none':
      return [];
    case 'basic':
      return ['-u', `${quoted(`${userName ?? ''}:`)}${variable}`];
    case 'header':
      return ['-H', `${quoted(`${headerName ?? 'Authorization'}: `)}${variable}`];
    case 'bearer':
    case 'command':
      return ['-H', `${quoted('Authorization: Bearer ')}${variable}`];
  }
}

/** One word of a POSIX shell, whatever stands in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
