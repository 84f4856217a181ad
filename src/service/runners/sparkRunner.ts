import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import type { FileMap } from '../base/fileMap.ts';
import type { Debugging, PythonLaunch } from './debugging.ts';
import type { LocalCluster, PreparedCluster } from './localCluster.ts';
import { installPrograms } from './programs.ts';
import type { Python, PythonFinder } from './python.ts';
import { outcomeOf, takeCause } from './pythonFileRunner.ts';
import type { ProbedRunner, Runner, RunnerEvents, RunOutcome, RunRequest } from './runner.ts';
import { submissionOf, submitParameters } from './sparkSubmission.ts';
import {
  defaultMaster,
  findSparkSubmit,
  isSparkConnect,
  probeSpark,
  requireSpark,
  sparkVariables,
  type SparkOptions,
} from './sparkTools.ts';

export interface SparkRunnerOptions extends SparkOptions {
  readonly dataFolder: string;
  readonly files: FileMap;
  readonly python: PythonFinder;
  readonly cluster: LocalCluster;
  readonly debugging: Debugging;
  /** Runs Python files that need no Spark. */
  readonly pythonFile: Runner;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Creates the runner that submits JAR, spark-submit and PySpark tasks to Apache Spark (Jobs API 2.0, SparkJarTask, SparkSubmitTask,
 * SparkPythonTask) on the configured master: this machine, a standalone cluster, YARN or Kubernetes. With a Spark Connect server, Python runs here.
 */
export function createSparkRunner(options: SparkRunnerOptions): ProbedRunner {
  const { files, python, cluster, debugging, dataFolder } = options;
  const master = options.master ?? defaultMaster;

  const findAnyPython = (): Promise<Python | undefined> => python.find().catch(() => undefined);

  /** Returns whether a Python file needs Spark: according to its code, its cluster or the service's settings. */
  async function needsSpark({ clusterSpec }: RunRequest, file: string): Promise<boolean> {
    if (options.master || options.sparkSubmit)
      return (
        (await findSparkSubmit(options, await python.find(), options.environment)) !== undefined || importsSpark(file)
      );
    const hasJars = clusterSpec.libraries?.some((library) => library.jar || library.maven) ?? false;
    return hasJars || importsSpark(file);
  }

  async function importsSpark(file: string): Promise<boolean> {
    const path = await files.existingFile(file, 'Python file');
    return /^(?:from|import)\s+(?:pyspark|delta)\b/m.test(await readFile(path, 'utf8'));
  }

  async function submit(
    request: RunRequest,
    prepared: PreparedCluster,
    events: RunnerEvents,
    launch: PythonLaunch,
  ): Promise<RunOutcome> {
    const spark = await requireSpark(options, prepared.python, options.environment);
    // A cluster may run the program on another machine.
    const through = request.debug === true || /^(?:local|spark:)/.test(master) ? launch.through : [];
    const submission = await submissionOf(request, prepared, files, through);
    const parameters = submitParameters(submission, request, prepared, { master, dataFolder });
    const isWindows = process.platform === 'win32';
    const { PYSPARK_SUBMIT_ARGS: _replaced, ...environment } = prepared.environment;
    const scratch = join(request.folder, 'spark');
    const end = await prepared.run(
      {
        command: isWindows ? 'cmd.exe' : spark.submit,
        parameters: isWindows ? ['/d', '/c', spark.submit, ...parameters] : parameters,
        cwd: submission.cwd,
        environment: {
          SPARK_HOME: spark.home,
          SPARK_LOCAL_DIRS: scratch,
          ...(prepared.python
            ? { PYSPARK_PYTHON: prepared.python.command, PYSPARK_DRIVER_PYTHON: prepared.python.command }
            : {}),
          ...environment,
          ...(await sparkVariables(master, await installPrograms(dataFolder), {
            SPARK_HOME: spark.home,
            ...environment,
          })),
        },
      },
      events,
      launch,
    );
    await rm(scratch, { recursive: true, force: true });
    return outcomeOf(end, await takeCause(request.folder));
  }

  return {
    async probe() {
      return probeSpark(options, await findAnyPython(), options.environment);
    },
    async run(request, events, { signal }) {
      const file = request.task.spark_python_task;
      if (!file && isSparkConnect(master))
        throw new AppError(
          'invalid',
          `The Spark master ${master} takes neither JAR nor spark-submit tasks; nothing was run.`,
          { remedy: 'Use a Python file or a notebook, or another Spark master in the settings of the local service.' },
        );
      if (file && (isSparkConnect(master) || !(await needsSpark(request, file.python_file))))
        return options.pythonFile.run(request, events, { signal });
      return cluster.use({ request, events, signal, findPython: file ? python.find : findAnyPython }, (prepared) =>
        debugging.use(request, prepared, events, signal, (launch) => submit(request, prepared, events, launch)),
      );
    },
  };
}
