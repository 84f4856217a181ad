import { l10n } from '../shared/l10n.ts';
import { loadJobFileService } from './loadJobFileService.ts';
import type { CommandServices } from './services.ts';

const program = `print("Hello from Millrace")
`;

/** Opens a new job file that can run unchanged: with a Python file of the workspace, or with a new one if there is none. */
export async function newJobFile(services: CommandServices): Promise<void> {
  const { ui } = services;
  const file = programOf(await ui.pythonFiles()) ?? (await newProgram(services));
  await ui.openUntitled('millrace-job', await starter(file ?? '/main.py', services));
}

async function starter(file: string, { ui, runs }: CommandServices): Promise<string> {
  const { toYaml } = await loadJobFileService();
  const own = file.slice(file.lastIndexOf('/') + 1).replace(/\.py$/, '');
  const files = (await ui.jobFiles()).map((each) => each.name.replace(/^.*\/|\.job\.ya?ml$/g, ''));
  const taken = new Set([...files, ...runs.jobs.map(({ settings }) => settings?.name)]);
  let name = own;
  for (let number = 2; taken.has(name); number += 1) name = `${own}-${number}`;
  return `# A job file: the settings of one job. Completion and hovers know every field.
${toYaml({ name, spark_python_task: { python_file: file, parameters: [] }, existing_cluster_id: 'local', max_concurrent_runs: 1 })}`;
}

/** Tests, parts of packages and setup scripts are not programs. */
const noProgram = /(?:^|\/)(?:test_[^/]*|[^/]*_test|conftest|setup|__[^/]*__)\.py$|\/(?:tests?|\.[^/]+)\//;
const favourites = ['main.py', 'app.py', 'job.py'];

/** Returns the file most likely meant to be run: the active one, one with a typical name, or the one highest up. */
function programOf(files: readonly { path: string; isActive: boolean }[]): string | undefined {
  const rank = ({ path, isActive }: { path: string; isActive: boolean }): number => {
    const favourite = favourites.indexOf(path.slice(path.lastIndexOf('/') + 1));
    return (isActive ? 0 : 1000) + path.split('/').length * 10 + (favourite < 0 ? favourites.length : favourite);
  };
  const programs = files.filter(({ path, isActive }) => isActive || !noProgram.test(path));
  return programs.toSorted((one, other) => rank(one) - rank(other) || (one.path < other.path ? -1 : 1))[0]?.path;
}

/**
 * Creates a new program.
 * @returns `undefined` if there is no folder for it
 */
async function newProgram({ ui }: CommandServices): Promise<string | undefined> {
  const path = await ui.createFile('main.py', program);
  if (path !== undefined) void ui.info(l10n.t('Created {0}, which the new job runs.', path));
  return path;
}
