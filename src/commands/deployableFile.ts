import type { JobSettings } from '../api/schema/jobs/schemas.ts';
import type { Problem } from '../jobfile/services/jobFileService.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { loadJobFileService } from './loadJobFileService.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';
import type { OpenFile } from './ui.ts';

/** A file that can be deployed: its settings, and the job that it names. */
export interface DeployableFile {
  readonly file: OpenFile;
  readonly settings: JobSettings;
  readonly jobId?: string;
}

/** Returns the job file's settings, or `undefined` after showing the user why there are none. A file with problems is never sent. */
export async function readDeployable(services: CommandServices, target: Target): Promise<DeployableFile | undefined> {
  const uri = target.uri ?? (await chooseJobFile(services));
  // If the user cancels the picker, do not fall back to the open file.
  const file = uri === undefined ? undefined : await services.ui.file(uri);
  if (!file) return undefined;
  const parsed = (await loadJobFileService()).parse(file.text, file.name);
  const errors = parsed.problems.filter((problem) => problem.severity === 'error');
  if (errors.length > 0 || !parsed.settings) {
    await refuse(services, file, errors);
    return undefined;
  }
  return { file, settings: parsed.settings, jobId: parsed.jobId };
}

/** Shows why a file with problems was not sent, and offers to show the first one or to fix it. */
export async function refuse(services: CommandServices, file: OpenFile, errors: readonly Problem[]): Promise<void> {
  const [first] = errors;
  const count = errors.length;
  const show = l10n.t('Show Problem');
  const text =
    count === 1
      ? l10n.t('{0} has a problem and was not sent: {1}', file.name, first?.message ?? '')
      : l10n.t('{0} has {1} problems and was not sent. The first: {2}', file.name, count, first?.message ?? '');
  const fix = l10n.t('Fix…');
  const answer = await services.ui.warn(text, show, fix);
  if (answer === show) await services.ui.showProblem(file.uri, first?.start ?? 0);
  else if (answer === fix) await services.fix({ uri: file.uri });
}

async function chooseJobFile(services: CommandServices): Promise<string | undefined> {
  const active = await services.ui.file();
  if (active?.isJobFile) return active.uri;
  const files = await services.ui.jobFiles();
  if (files.length === 0) {
    throw new AppError('invalid', l10n.t('This workspace has no job file, so nothing was sent.'), {
      remedy: l10n.t('Create one with "Millrace: New Job File".'),
    });
  }
  return services.ui.pick(
    l10n.t('Job file'),
    l10n.t('A job file of this workspace'),
    files.map((file) => ({ label: file.name, value: file.uri })),
  );
}
