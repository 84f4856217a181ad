import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import type { FileMap } from '../base/fileMap.ts';
import type { Debugging, PythonLaunch } from './debugging.ts';
import type { InstalledLibraries } from './libraries.ts';
import type { LocalCluster, PreparedCluster } from './localCluster.ts';
import type { ProcessEnd } from './managedProcess.ts';
import { readNotebook, type NotebookModel } from './notebookModel.ts';
import { installPrograms } from './programs.ts';
import type { Python, PythonFinder } from './python.ts';
import { environmentVariables, makeEnvironment } from './pythonEnvironment.ts';
import { outcomeOf, takeCause } from './pythonFileRunner.ts';
import type { ProbedRunner, RunnerEvents, RunOutcome, RunRequest } from './runner.ts';
import { runFiles } from './runOutput.ts';
import { sparkVariables } from './sparkTools.ts';
import { notebookParameters } from './taskParameters.ts';

/** Maximum output of a notebook cell (Jobs API 2.0, NotebookTask). */
const cellLimitBytes = 8 * 1024 * 1024;

export interface NotebookRunnerOptions {
  readonly root: string;
  readonly dataFolder: string;
  readonly files: FileMap;
  readonly python: PythonFinder;
  readonly cluster: LocalCluster;
  readonly debugging: Debugging;
  /** Default `auto`: Jupyter if the run's Python has nbclient and ipykernel. */
  readonly engine?: 'auto' | 'builtin' | 'jupyter';
  readonly sparkMaster?: string;
}

/** A notebook to run, and what it needs. */
interface NotebookRun {
  readonly task: NonNullable<RunRequest['task']['notebook_task']>;
  /** Absolute path of its file. */
  readonly path: string;
  readonly request: RunRequest;
  readonly prepared: PreparedCluster<Python>;
  readonly launch: PythonLaunch;
}

/**
 * Creates the runner of notebooks, from source or .ipynb (Jobs API 2.0, NotebookTask): through Jupyter if it is installed, otherwise in our
 * own small runner, with the same results. The run's folder shows the cells' output while they run.
 */
export function createNotebookRunner(options: NotebookRunnerOptions): ProbedRunner {
  const { files, python, cluster, debugging } = options;

  /** Runs the cells in a Python environment of the run's own. */
  async function execute(notebook: NotebookRun, events: RunnerEvents): Promise<ProcessEnd> {
    const { request, prepared, launch } = notebook;
    const programs = await installPrograms(options.dataFolder);
    const machinePython = prepared.python;
    const isJupyter = chooseJupyter(
      options.engine ?? 'auto',
      machinePython.hasJupyter,
      // The Python of the run's libraries is removed some time.
      (await python.find()).command,
    );
    const own = join(request.folder, runFiles.python);
    // Short, because a socket's path must be short.
    const kernelFolder = isJupyter ? await mkdtemp(join(tmpdir(), 'millrace-')) : undefined;
    return withFolders([own, kernelFolder], async () => {
      await writeRequest(notebook, options, kernelFolder);
      const command = await makeEnvironment({
        folder: own,
        python: machinePython,
        pipScript: programs.pip,
        async run(program, parameters) {
          await prepared.run({ command: program, parameters, log: runFiles.setup }, {}, launch);
        },
      });
      return prepared.run(
        {
          command,
          parameters: [
            ...launch.options,
            programs.program,
            join(request.folder, runFiles.cause),
            isJupyter ? programs.jupyter : programs.notebook,
            request.folder,
          ],
          cwd: dirname(notebook.path),
          environment: environmentVariables(command, {
            ...prepared.environment,
            ...(await sparkVariables(options.sparkMaster, programs, {
              SPARK_HOME: machinePython.pysparkHome,
              ...prepared.environment,
            })),
          }),
        },
        events,
        launch,
      );
    });
  }

  return {
    probe: () => python.probe(),
    async run(request, events, { signal }) {
      const task = request.task.notebook_task;
      if (!task) throw new AppError('internal', 'The notebook runner was given another task.');
      const { path } = await files.notebook(task.notebook_path);
      return cluster.use({ request, events, signal, findPython: python.find }, (prepared) =>
        debugging.use(request, prepared, events, signal, async (launch) => {
          const end = await execute({ task, path, request, prepared, launch }, events);
          const outcome = await finish(request.folder, end);
          const note = revisionNote(task.revision_timestamp);
          return note !== undefined && outcome.stateMessage === undefined
            ? { ...outcome, stateMessage: note }
            : outcome;
        }),
      );
    },
  };
}

/** Writes the request for the program that runs the cells. @param kernelFolder folder of Jupyter's kernel */
async function writeRequest(
  { task, path, request, prepared, launch }: NotebookRun,
  { root, dataFolder, sparkMaster }: NotebookRunnerOptions,
  kernelFolder: string | undefined,
): Promise<void> {
  await writeFile(
    join(request.folder, runFiles.request),
    JSON.stringify({
      path,
      notebookPath: task.notebook_path,
      name: posix.basename(task.notebook_path).replace(/\.(py|ipynb|sql|scala|r)$/i, ''),
      root,
      dataFolder,
      parameters: notebookParameters(task, request.parameters, request.dynamicValues),
      cellLimitBytes,
      kernelFolder,
      // For a debugged run: where the debugger waits, and options of the kernel's interpreter.
      debugSession: launch.session,
      pythonOptions: launch.options,
      taskKey: request.dynamicValues['task_key'],
      sparkMaster,
      sparkConf: sparkConfOf(request.clusterSpec.new_cluster?.spark_conf, prepared),
    }),
    { mode: 0o600 },
  );
}

/** Removes the folders afterwards. What a notebook's cells install belongs to the run, may be large, and is removed with it. */
async function withFolders<T>(folders: readonly (string | undefined)[], body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } finally {
    for (const folder of folders) if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** This service has files without revisions; a run says so if a revision was requested. */
function revisionNote(timestamp: string | number | bigint | null | undefined): string | undefined {
  if (timestamp === undefined || timestamp === null) return undefined;
  return `The notebook was run as it is now: revision_timestamp ${timestamp} names a revision, and this service keeps none.`;
}

export function chooseJupyter(engine: 'auto' | 'builtin' | 'jupyter', hasJupyter: boolean, command: string): boolean {
  if (engine === 'jupyter' && !hasJupyter) {
    throw new AppError(
      'unavailable',
      'Notebooks are set to run in Jupyter, which is not installed; the notebook was not run.',
      {
        remedy: `Install it with: ${command} -m pip install nbclient ipykernel. Or select the built-in runner.`,
      },
    );
  }
  return engine !== 'builtin' && hasJupyter;
}

type SparkLibraries = Pick<InstalledLibraries, 'jars' | 'packages' | 'repositories' | 'exclusions'>;

function sparkConfOf(own: Record<string, string> | null | undefined, prepared: SparkLibraries): Record<string, string> {
  const conf: Record<string, string> = { ...own };
  if (prepared.jars.length > 0) conf['spark.jars'] = prepared.jars.join(',');
  if (prepared.packages.length > 0) conf['spark.jars.packages'] = prepared.packages.join(',');
  if (prepared.repositories.length > 0) conf['spark.jars.repositories'] = prepared.repositories.join(',');
  if (prepared.exclusions.length > 0) conf['spark.jars.excludes'] = prepared.exclusions.join(',');
  return conf;
}

async function finish(folder: string, end: ProcessEnd): Promise<RunOutcome> {
  let model = await readNotebook(folder);
  if (model && model.endTime === undefined) {
    await appendFile(join(folder, runFiles.events), `\n${JSON.stringify({ event: 'stopped', at: Date.now() })}\n`);
    model = await readNotebook(folder);
  }
  const outcome = outcomeOf(end, await takeCause(folder));
  const notebookResult = { result: model?.exit?.value, truncated: model?.exit?.truncated ?? false };
  if (outcome.resultState !== 'FAILED' || !model) return { ...outcome, notebookResult };
  return { ...outcome, ...failureOf(model), notebookResult };
}

function failureOf(model: NotebookModel): Partial<RunOutcome> {
  if (model.broken !== undefined) return { stateMessage: 'The notebook could not be run.', error: model.broken };
  if (model.limitExceededInCell !== undefined) {
    const error = `The output of cell ${model.limitExceededInCell + 1} is above 8 MB, so the rest of the run was cancelled. Print less, or write to a file.`;
    return { stateMessage: error, error, errorTrace: undefined };
  }
  const index = model.cells.findIndex((cell) => cell.state === 'failed');
  const failure = model.cells[index]?.outputs.findLast((each) => each.type === 'error');
  if (failure?.type !== 'error') return {};
  return {
    stateMessage: `Cell ${index + 1} failed.`,
    error: failure.message ? `${failure.name}: ${failure.message}` : failure.name,
    errorTrace: failure.traceback.join('\n'),
  };
}
