import type { BundleFile } from '../jobfile/services/jobFileService.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { folderOf, joinPath } from '../shared/slashPath.ts';
import { readDeployable, refuse, type DeployableFile } from './deployableFile.ts';
import { loadJobFileService } from './loadJobFileService.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';
import type { OpenFile, Ui } from './ui.ts';

/**
 * Returns what a run of a file needs: the settings of a job file, or on the local service those of one job of a bundle. Returns `undefined`
 * after showing the user why there are none, or if the user canceled.
 */
export async function readRunnable(services: CommandServices, target: Target): Promise<DeployableFile | undefined> {
  const { ui, connections } = services;
  // Elsewhere, the command line of the bundle deploys and runs its jobs.
  if (target.uri === undefined || connections.current.kind !== 'local') return readDeployable(services, target);
  const file = await ui.file(target.uri);
  if (!file) return undefined;
  const language = await loadJobFileService();
  const document = language.read(file.text);
  const keys = language.bundleJobs(document).map(({ key }) => key);
  const [first] = keys;
  if (first === undefined) return readDeployable(services, target);
  const errors = language
    .validate(document, { ignoreSuppression: true })
    .filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    await refuse(services, file, errors);
    return undefined;
  }
  const items = keys.map((key) => ({ label: key, value: key }));
  const chosen =
    target.jobKey ?? (keys.length > 1 ? await ui.pick(l10n.t('Run a job of {0}', file.name), '', items) : first);
  if (chosen === undefined) return undefined;
  const path = ui.pathOf(file.uri) ?? '/';
  const own = { document, folder: folderOf(path) };
  const settings = language.bundleJob(own, chosen, { main: await mainFile(ui, path, own), userName: ui.userName() });
  if (typeof settings === 'string')
    throw new AppError('invalid', l10n.t('{0} of {1} was not run. {2}', chosen, file.name, settings));
  return { file: jobIn(file, chosen), settings };
}

/** Returns the file with an ID of its own for the job, so that the jobs of a file are told apart. */
function jobIn(file: OpenFile, key: string): OpenFile {
  return { ...file, uri: `${file.uri}#${encodeURIComponent(key)}`, text: `${key}\n${file.text}` };
}

/**
 * Reads the main file of a bundle, in the nearest folder above.
 * @param path of the file `own`, which can be the main file
 */
async function mainFile(ui: Ui, path: string, own: BundleFile): Promise<BundleFile | undefined> {
  const language = await loadJobFileService();
  for (let { folder } = own; ; folder = folderOf(folder)) {
    for (const name of ['databricks.yml', 'databricks.yaml', 'bundle.yml', 'bundle.yaml']) {
      const place = joinPath(folder, name);
      if (place === path) return own;
      const text = await ui.readProgram(place).catch(() => undefined);
      if (text) return { document: language.read(text), folder };
    }
    if (folder === '/') return undefined;
  }
}
