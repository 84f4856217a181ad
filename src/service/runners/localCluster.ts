import { appendFile, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { systemClock, type Clock } from '../../shared/clock.ts';
import { AppError, describeError, isAbort } from '../../shared/errors.ts';
import type { FileMap } from '../base/fileMap.ts';
import { childEnvironment, markPrefix } from './childEnvironment.ts';
import type { InstalledLibraries, LibraryInstaller } from './libraries.ts';
import { runProcess } from './managedProcess.ts';
import type { Python, PythonFinder } from './python.ts';
import type { RunnerEvents, RunnerStorage, RunOutcome, RunRequest } from './runner.ts';
import { runFiles } from './runOutput.ts';
import { versionsThatDiffer } from './runtimeVersions.ts';
import { findVersions } from './runVersions.ts';

/** Jobs API 2.0, Limits: logs are delivered every 5 minutes. */
const logDeliveryInMs = 5 * 60 * 1000;

/** This machine, made ready for one run. */
export interface PreparedCluster extends InstalledLibraries {
  /** What a child gets: no secrets, the libraries' paths, `spark_env_vars`. */
  environment: Record<string, string>;
  /** Marks the run's processes. */
  mark: string;
}

interface ClusterUse<Needs extends boolean = boolean> {
  signal: AbortSignal;
  /** Whether the task needs a Python; one that does not runs on a machine without it. Default true. */
  needsPython?: Needs;
}

/** The same with a Python, for tasks that need one. */
export type PreparedForPython = PreparedCluster & { python: Python };

type PreparedFor<Needs extends boolean> = Needs extends true ? PreparedForPython : PreparedCluster;

/**
 * Does for a run on this machine what a cluster does before and after it (Jobs API 2.0, NewCluster): libraries,
 * `spark_env_vars`, init scripts in their order, logs to `cluster_log_conf`.
 */
export interface Cluster {
  /**
   * @throws AppError if a library or an init script failed; what `body` throws
   * @returns CANCELED if the signal aborted while the cluster was prepared
   */
  use<Needs extends boolean = true>(
    request: RunRequest,
    events: RunnerEvents,
    options: ClusterUse<Needs>,
    body: (prepared: PreparedFor<Needs>) => Promise<RunOutcome>,
  ): Promise<RunOutcome>;
}

export interface ClusterOptions {
  dataFolder: string;
  files: FileMap;
  python: PythonFinder;
  libraries: LibraryInstaller;
  secrets?: readonly string[];
  /** Names of variables that tasks get beside the usual ones. */
  environmentNames?: readonly string[];
  /** Names of variables that no task's environment may hold. */
  privateVariables?: () => Promise<readonly string[]>;
  clock?: Clock;
  graceInMs?: number;
  environment?: NodeJS.ProcessEnv;
}

export function createCluster(options: ClusterOptions): Cluster {
  const { files, python, libraries, clock = systemClock } = options;

  /** A key counts under every name that it is kept by. */
  async function environmentOfTasks(): Promise<Record<string, string>> {
    const variables = options.environment ?? process.env;
    const values = ((await options.privateVariables?.()) ?? []).flatMap((name) => variables[name] || []);
    return childEnvironment(variables, {
      named: options.environmentNames,
      secrets: [...(options.secrets ?? []), ...values],
    });
  }

  async function prepare(request: RunRequest, events: RunnerEvents, use: ClusterUse): Promise<PreparedCluster> {
    await mkdir(request.folder, { recursive: true });
    const machinePython = await findPython(python, use);
    const mark = markPrefix(options.dataFolder) + request.runId;
    const own = request.clusterSpec.new_cluster;
    const base = await environmentOfTasks();
    const installed = await libraries.install(request.clusterSpec.libraries ?? [], machinePython, {
      signal: use.signal,
      run: (command, parameters, environment = {}) =>
        runProcess(
          {
            command,
            parameters,
            mark,
            cwd: request.folder,
            folder: request.folder,
            environment: { ...base, ...environment },
            log: runFiles.setup,
            graceInMs: options.graceInMs,
          },
          { onSpawned: events.onSpawned },
          { signal: use.signal },
        ),
    });
    const environment: Record<string, string> = {
      ...base,
      PYTHONUNBUFFERED: '1',
      PYTHONIOENCODING: 'utf-8',
      PYTHONUTF8: '1',
      ...installed.environment,
      ...own?.spark_env_vars,
    };
    // Eggs are found after what the job itself names.
    const eggs = installed.environment['PYTHONPATH'];
    if (eggs && environment['PYTHONPATH'] !== eggs) environment['PYTHONPATH'] += delimiter + eggs;
    await runInitScripts(request, { ...environment }, mark, events, use);
    return { ...installed, environment, mark };
  }

  /** Notes down what the run is carried out with. @returns what differs from what the job pins, in words */
  async function noteVersions(request: RunRequest, python: Python | undefined): Promise<string | undefined> {
    const { spark_python_task: file, notebook_task: notebook } = request.task;
    if (!python || !(file ?? notebook)) return undefined;
    const code = file
      ? files.existingFile(file.python_file, 'Python file')
      : files.notebook(notebook?.notebook_path ?? '').then(({ path }) => path);
    const codeFile = await code.catch(() => undefined);
    const { line, differing } = await findVersions(python, request.clusterSpec.libraries ?? [], codeFile);
    await writeFile(join(request.folder, runFiles.versions), line);
    return differing;
  }

  async function runInitScripts(
    request: RunRequest,
    environment: Record<string, string>,
    mark: string,
    events: RunnerEvents,
    use: ClusterUse,
  ): Promise<void> {
    const scripts = request.clusterSpec.new_cluster?.init_scripts ?? [];
    for (const [index, script] of scripts.entries()) {
      const uri = destinationOf(script);
      if (!uri)
        throw new AppError('invalid', `Init script ${index + 1} names no file; the run was not started.`, {
          remedy: 'Give it a destination.',
        });
      const path = await files.existingFile(uri, 'Init script');
      const log = `init_${String(index + 1).padStart(2, '0')}_${basename(path)}.log`;
      const end = await runProcess(
        {
          command: process.platform === 'win32' ? 'bash.exe' : 'bash',
          parameters: [path],
          cwd: request.folder,
          folder: request.folder,
          environment,
          mark,
          log,
          graceInMs: options.graceInMs,
        },
        { onSpawned: events.onSpawned },
        { signal: use.signal },
      );
      use.signal.throwIfAborted();
      await deliver(request, 'init_scripts', [log]);
      if (end.exitCode !== 0) {
        throw new AppError(
          'rejected',
          `Init script ${uri} ended with ${end.signalName ?? `code ${end.exitCode}`}; the run was not started. ${end.errorTail.trim().slice(-500)}`,
          {
            remedy: `Correct the script; what it printed is in ${join(request.folder, log)}.`,
          },
        );
      }
    }
  }

  async function deliver(
    request: RunRequest,
    kind: 'driver' | 'init_scripts',
    names: readonly string[],
  ): Promise<void> {
    const target = request.clusterSpec.new_cluster?.cluster_log_conf;
    const uri = target && destinationOf(target);
    if (!uri) return;
    try {
      const folder = await files.outputFolder(`${uri.replace(/(?<!\/)\/+$/, '')}/${request.clusterId}/${kind}`);
      for (const name of names)
        await copyFile(join(request.folder, name), join(folder, name.replace(/^(stdout|stderr)\.log$/, '$1')));
    } catch (error) {
      // Logs that cannot be delivered do not change what the run did; they stay in its own folder.
      await appendFile(
        join(request.folder, runFiles.setup),
        `The logs were not delivered to ${uri}: ${describeError(error)}\n`,
      ).catch(() => undefined);
    }
  }

  return {
    async use<Needs extends boolean = true>(
      request: RunRequest,
      events: RunnerEvents,
      use: ClusterUse<Needs>,
      body: (prepared: PreparedFor<Needs>) => Promise<RunOutcome>,
    ) {
      let cancelTimer = (): void => undefined;
      let delivering = Promise.resolve();
      // One after the other: two copies to the same file at once could leave the older one.
      const deliverDriverLogs = (): Promise<void> => {
        delivering = delivering.then(() =>
          deliver(request, 'driver', [runFiles.standardOutput, runFiles.standardError]),
        );
        return delivering;
      };
      const arm = (): void => {
        cancelTimer = clock.schedule(logDeliveryInMs, () => {
          void deliverDriverLogs();
          arm();
        });
      };
      try {
        const prepared = await prepare(request, events, use);
        if (request.clusterSpec.new_cluster?.cluster_log_conf) arm();
        use.signal.throwIfAborted();
        const unpinned = await noteVersions(request, prepared.python);
        // Without a Python that is needed nothing is prepared.
        const outcome = await body(prepared as PreparedFor<Needs>);
        cancelTimer();
        await deliverDriverLogs();
        const differing = versionsThatDiffer(
          request.clusterSpec.new_cluster?.spark_version ?? undefined,
          prepared.python,
        );
        const note = [outcome.note, differing, unpinned].filter(Boolean).join(' ');
        return note === '' ? outcome : { ...outcome, note };
      } catch (error) {
        if (use.signal.aborted || isAbort(error))
          return { resultState: 'CANCELED', stateMessage: 'The run was cancelled before its task began.' };
        throw error;
      } finally {
        cancelTimer();
      }
    },
  };
}

async function findPython(finder: PythonFinder, use: ClusterUse): Promise<Python | undefined> {
  if (use.needsPython === false) return finder.find().catch(() => undefined);
  return finder.find();
}

function destinationOf(storage: RunnerStorage): string | undefined {
  return (
    storage.workspace?.destination ??
    storage.dfs?.destination ??
    storage.objstore?.destination ??
    storage.file?.destination ??
    undefined
  );
}
