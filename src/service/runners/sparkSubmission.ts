import { basename, dirname, isAbsolute, join } from 'node:path';
import { readSparkSubmit } from '../../api/schema/jobs/sparkSubmitOptions.ts';
import { AppError } from '../../shared/errors.ts';
import type { FileMap } from '../base/fileMap.ts';
import { sparkOptions } from './libraries.ts';
import type { PreparedCluster } from './localCluster.ts';
import type { RunRequest } from './runner.ts';
import { positionalParameters } from './taskParameters.ts';

/** What follows `spark-submit` and its own options. */
interface Submission {
  readonly parameters: string[];
  readonly cwd: string;
  /** Whether to add `spark_conf` and libraries; a spark-submit task brings its own. */
  readonly takesCluster: boolean;
  /** The name that Spark would take from the program's file. */
  readonly name?: string;
}

/**
 * Returns what a task submits to Spark.
 * @param through what runs a Python program, with its parameters
 */
export async function submissionOf(
  request: RunRequest,
  prepared: PreparedCluster,
  files: FileMap,
  through: readonly string[],
): Promise<Submission> {
  const { task, parameters, dynamicValues, folder } = request;
  if (task.spark_submit_task) {
    const given = positionalParameters(
      task.spark_submit_task.parameters,
      parameters.spark_submit_params,
      dynamicValues,
    );
    const mapped = await mapSparkSubmitParameters(given, files);
    const { application } = readSparkSubmit(mapped);
    const program = mapped[application];
    if (program === undefined || !isAbsolute(program) || !program.endsWith('.py'))
      return { parameters: mapped, cwd: folder, takesCluster: false };
    return {
      parameters: mapped.toSpliced(application, 0, ...through),
      cwd: folder,
      takesCluster: false,
      name: basename(program),
    };
  }
  if (task.spark_jar_task) {
    const given = positionalParameters(task.spark_jar_task.parameters, parameters.jar_params, dynamicValues);
    const jar = await jarOf(task.spark_jar_task, prepared, files);
    return { parameters: [...jar, ...given], cwd: folder, takesCluster: true };
  }
  const file = task.spark_python_task;
  if (!file) throw new AppError('internal', 'The Spark runner was given another task.');
  const path = await files.existingFile(file.python_file, 'Python file');
  const given = positionalParameters(file.parameters, parameters.python_params, dynamicValues);
  return {
    parameters: [...through, path, ...given],
    cwd: dirname(path),
    takesCluster: true,
    name: basename(path),
  };
}

async function jarOf(
  task: NonNullable<RunRequest['task']['spark_jar_task']>,
  prepared: PreparedCluster,
  files: FileMap,
): Promise<string[]> {
  if (!task.main_class_name)
    throw new AppError('invalid', 'The JAR task names no main class; nothing was run.', {
      remedy: 'Set main_class_name.',
    });
  const jar = task.jar_uri ? await files.existingFile(task.jar_uri, 'JAR') : prepared.jars[0];
  if (!jar && prepared.packages.length === 0) {
    throw new AppError('invalid', `No JAR contains the class ${task.main_class_name}; nothing was run.`, {
      remedy: 'Add the JAR to the libraries of the job.',
    });
  }
  // Name by which spark-submit takes the class from the libraries alone.
  return ['--class', task.main_class_name, jar ?? 'spark-internal'];
}

/** Returns the parameters of spark-submit: its own options, then the submission. */
export function submitParameters(
  { parameters, takesCluster, name }: Submission,
  { clusterSpec }: RunRequest,
  prepared: PreparedCluster,
  options: { master: string; dataFolder: string },
): string[] {
  const own = takesCluster ? (clusterSpec.new_cluster?.spark_conf ?? {}) : {};
  const jars = prepared.jars.filter((jar) => !parameters.includes(jar));
  return [
    '--master',
    options.master,
    // A later value wins.
    ...(name === undefined ? [] : confOptions({ 'spark.app.name': name })),
    ...confOptions(defaultConf(parameters, own, options.dataFolder)),
    ...confOptions(own),
    ...(takesCluster ? sparkOptions({ ...prepared, jars }) : []),
    ...parameters,
  ];
}

/** Returns defaults that suit a run on one machine; the job's own settings win. */
function defaultConf(
  parameters: readonly string[],
  own: Record<string, string>,
  dataFolder: string,
): Record<string, string> {
  const defaults: Record<string, string> = {
    // The page of a local Spark would listen on every address of the machine.
    'spark.ui.enabled': 'false',
    // Downloads serve every run.
    'spark.jars.ivy': join(dataFolder, 'ivy'),
    'spark.sql.warehouse.dir': join(dataFolder, 'warehouse'),
    'spark.driver.extraJavaOptions': `-Dderby.system.home=${join(dataFolder, 'derby')}`,
  };
  const given = new Set([...Object.keys(own), ...parameters.flatMap((each) => each.split('=', 1))]);
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => !given.has(name)));
}

function confOptions(conf: Record<string, string>): string[] {
  return Object.entries(conf).flatMap(([name, value]) => ['--conf', `${name}=${value}`]);
}

const fileOptions = new Set(['--jars', '--py-files', '--files', '--archives']);

/**
 * Returns the parameters of a spark-submit task with the API's paths replaced by files of this machine: those of --jars, --py-files,
 * --files and --archives, and the application. What follows the application stays.
 *
 * @throws AppError `invalid` if an option is given that the service sets; `notFound`
 */
export async function mapSparkSubmitParameters(parameters: readonly string[], files: FileMap): Promise<string[]> {
  const { options, application } = readSparkSubmit(parameters);
  const mapped: string[] = [];
  for (const { name, value, isFlag, isReserved } of options) {
    if (isReserved) {
      throw new AppError(
        'invalid',
        `The parameter ${name} of the spark-submit task was not used: the service sets it itself.`,
        { remedy: `Remove ${name} from the parameters.` },
      );
    }
    mapped.push(name);
    if (isFlag) continue;
    if (value === undefined)
      throw new AppError('invalid', `The parameter ${name} of the spark-submit task has no value; nothing was run.`, {
        remedy: 'Give its value as the next parameter.',
      });
    mapped.push(fileOptions.has(name) ? await mapFiles(value, files) : value);
  }
  const [uri, ...rest] = parameters.slice(application);
  return uri === undefined ? mapped : [...mapped, await mapFile(uri, files), ...rest];
}

async function mapFiles(list: string, files: FileMap): Promise<string> {
  const mapped: string[] = [];
  for (const each of list.split(',')) mapped.push(await mapFile(each, files));
  return mapped.join(',');
}

/** Spark downloads http(s) itself; `spark-internal` and bare names are Spark's own. */
async function mapFile(uri: string, files: FileMap): Promise<string> {
  if (/^(https?|hdfs|local|ivy):/i.test(uri) || !/^([a-z][a-z0-9+.-]+:|\/)/i.test(uri)) return uri;
  const [path = uri, fragment] = uri.split('#');
  const found = await files.existingFile(path, 'Spark file');
  return fragment === undefined ? found : `${found}#${fragment}`;
}
