import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import type { FileMap } from '../base/fileMap.ts';
import type { Debugging, PythonLaunch } from './debugging.ts';
import { sparkOptions } from './libraries.ts';
import type { LocalCluster, PreparedCluster } from './localCluster.ts';
import { runProcess } from './managedProcess.ts';
import { installPrograms } from './programs.ts';
import type { Python, PythonFinder } from './python.ts';
import { outcomeOf } from './pythonFileRunner.ts';
import type { ProbedRunner, Runner, RunOutcome, RunRequest } from './runner.ts';
import { mapSparkSubmitParameters } from './sparkSubmitParameters.ts';
import {
  defaultMaster,
  findSparkSubmit,
  probeSpark,
  requireSpark,
  sparkVariables,
  type SparkOptions,
} from './sparkTools.ts';
import { positionalParameters } from './taskParameters.ts';

export interface SparkRunnerOptions extends SparkOptions {
  dataFolder: string;
  files: FileMap;
  python: PythonFinder;
  cluster: LocalCluster;
  debugging: Debugging;
  /** Runs Python files that need no Spark. */
  pythonFile: Runner;
  graceInMs?: number;
  environment: NodeJS.ProcessEnv;
}

/** What follows `spark-submit` and its own options. */
interface Submission {
  parameters: string[];
  cwd: string;
  /** Whether `spark_conf` and libraries are added; a spark-submit task brings its own. */
  takesCluster: boolean;
}

/**
 * Hands JAR, spark-submit and PySpark tasks to Apache Spark (Jobs API 2.0, SparkJarTask, SparkSubmitTask,
 * SparkPythonTask), on the master that is configured: this machine, a standalone cluster, YARN or Kubernetes.
 */
export function createSparkRunner(options: SparkRunnerOptions): ProbedRunner {
  const { files, python, cluster, debugging } = options;
  const master = options.master ?? defaultMaster;

  const findAnyPython = (): Promise<Python | undefined> => python.find().catch(() => undefined);

  async function submissionOf(
    request: RunRequest,
    prepared: PreparedCluster,
    launch: PythonLaunch,
  ): Promise<Submission> {
    const { task, parameters, dynamicValues } = request;
    if (task.spark_submit_task) {
      const given = positionalParameters(
        task.spark_submit_task.parameters,
        parameters.spark_submit_params,
        dynamicValues,
      );
      return { parameters: await mapSparkSubmitParameters(given, files), cwd: request.folder, takesCluster: false };
    }
    if (task.spark_jar_task) {
      const given = positionalParameters(task.spark_jar_task.parameters, parameters.jar_params, dynamicValues);
      return {
        parameters: [...(await jarOf(task.spark_jar_task, prepared)), ...given],
        cwd: request.folder,
        takesCluster: true,
      };
    }
    const file = task.spark_python_task;
    if (!file) throw new AppError('internal', 'The Spark runner was given another task.');
    const path = await files.existingFile(file.python_file, 'Python file');
    const given = positionalParameters(file.parameters, parameters.python_params, dynamicValues);
    return { parameters: [...launch.through, path, ...given], cwd: dirname(path), takesCluster: true };
  }

  async function jarOf(
    task: NonNullable<RunRequest['task']['spark_jar_task']>,
    prepared: PreparedCluster,
  ): Promise<string[]> {
    if (!task.main_class_name)
      throw new AppError('invalid', 'The JAR task names no main class; nothing was run.', {
        remedy: 'Set main_class_name.',
      });
    const jar = task.jar_uri ? await files.existingFile(task.jar_uri, 'JAR') : prepared.jars[0];
    if (!jar && prepared.packages.length === 0) {
      throw new AppError('invalid', `No JAR holds the class ${task.main_class_name}; nothing was run.`, {
        remedy: 'Give the JAR as a library of the job.',
      });
    }
    // The name by which spark-submit takes the class from the libraries alone.
    return ['--class', task.main_class_name, jar ?? 'spark-internal'];
  }

  /** Whether a Python file is one for Spark: it says so, or its cluster or the service's settings do. */
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

  return {
    async probe() {
      return probeSpark(options, await findAnyPython(), options.environment);
    },
    async run(request, events, { signal }) {
      const file = request.task.spark_python_task;
      if (file && !(await needsSpark(request, file.python_file)))
        return options.pythonFile.run(request, events, { signal });
      const submit = (prepared: PreparedCluster): Promise<RunOutcome> =>
        debugging.use(request, prepared, events, signal, async (launch) => {
          const spark = await requireSpark(options, prepared.python, options.environment);
          const submission = await submissionOf(request, prepared, launch);
          const own = submission.takesCluster ? (request.clusterSpec.new_cluster?.spark_conf ?? {}) : {};
          const parameters = [
            '--master',
            master,
            ...confOptions(defaultConf(submission, own, options.dataFolder)),
            ...confOptions(own),
            ...(submission.takesCluster
              ? sparkOptions({
                  ...prepared,
                  jars: prepared.jars.filter((jar) => !submission.parameters.includes(jar)),
                })
              : []),
            ...submission.parameters,
          ];
          const isWindows = process.platform === 'win32';
          const { PYSPARK_SUBMIT_ARGS: _replaced, ...environment } = prepared.environment;
          const scratch = join(request.folder, 'spark');
          const end = await runProcess(
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
                ...(await sparkVariables(master, await installPrograms(options.dataFolder), {
                  SPARK_HOME: spark.home,
                  ...environment,
                })),
              },
              mark: prepared.mark,
              folder: request.folder,
              graceInMs: options.graceInMs,
            },
            events,
            { signal: launch.signal },
          );
          await rm(scratch, { recursive: true, force: true });
          // Spark passes on what a Python driver writes to standard error as standard output.
          return outcomeOf(end, `${end.errorTail}\n${end.outputTail}`);
        });
      return cluster.use({ request, events, signal, findPython: file ? python.find : findAnyPython }, submit);
    },
  };
}

/** What a run on one machine is better with; the job's own settings win. */
function defaultConf(submission: Submission, own: Record<string, string>, dataFolder: string): Record<string, string> {
  const defaults: Record<string, string> = {
    // The page of a local Spark would listen on every address of the machine.
    'spark.ui.enabled': 'false',
    // What is fetched once serves every run.
    'spark.jars.ivy': join(dataFolder, 'ivy'),
    'spark.sql.warehouse.dir': join(dataFolder, 'warehouse'),
    'spark.driver.extraJavaOptions': `-Dderby.system.home=${join(dataFolder, 'derby')}`,
  };
  const given = new Set([...Object.keys(own), ...submission.parameters.map((each) => each.split('=', 1)[0]!)]);
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => !given.has(name)));
}

function confOptions(conf: Record<string, string>): string[] {
  return Object.entries(conf).flatMap(([name, value]) => ['--conf', `${name}=${value}`]);
}
