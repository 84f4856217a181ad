import { AppError } from '../../shared/errors.ts';
import type { FileMap } from '../files.ts';

const flags = new Set(['--verbose', '-v', '--supervise', '--help', '-h', '--version']);
const fileOptions = new Set(['--jars', '--py-files', '--files', '--archives']);
// Jobs API 2.0, SparkSubmitTask: set automatically and must not be given.
const ownOptions = new Set(['--master', '--deploy-mode', '--executor-cores']);

/**
 * The parameters of a spark-submit task with the paths of the API replaced by files of this machine: those of --jars,
 * --py-files, --files and --archives, and the application itself. What follows the application is its own.
 *
 * @throws AppError `invalid` where an option is given that the service sets; `notFound`
 */
export async function mapSparkSubmitParameters(parameters: readonly string[], files: FileMap): Promise<string[]> {
  const mapped: string[] = [];
  for (let index = 0; index < parameters.length; index += 1) {
    const parameter = parameters[index]!;
    if (!parameter.startsWith('-')) {
      return [...mapped, await mapFile(parameter, files), ...parameters.slice(index + 1)];
    }
    const equals = parameter.startsWith('--') ? parameter.indexOf('=') : -1;
    const name = equals < 0 ? parameter : parameter.slice(0, equals);
    if (ownOptions.has(name)) {
      throw new AppError('invalid', `The parameter ${name} of the spark-submit task was not used: the service sets it itself.`, { remedy: `Take ${name} out of the parameters.` });
    }
    if (flags.has(name)) {
      mapped.push(name);
      continue;
    }
    if (equals < 0) index += 1;
    const value = equals < 0 ? parameters[index] : parameter.slice(equals + 1);
    if (value === undefined) throw new AppError('invalid', `The parameter ${name} of the spark-submit task has no value; nothing was run.`, { remedy: 'Give its value as the next parameter.' });
    mapped.push(name, fileOptions.has(name) ? await mapFiles(value, files) : value);
  }
  return mapped;
}

async function mapFiles(list: string, files: FileMap): Promise<string> {
  const mapped: string[] = [];
  for (const each of list.split(',')) mapped.push(await mapFile(each, files));
  return mapped.join(',');
}

/** Spark fetches http(s) itself; `spark-internal` and bare names are Spark's own. */
async function mapFile(uri: string, files: FileMap): Promise<string> {
  if (/^(https?|hdfs|local|ivy):/i.test(uri) || !/^([a-z][a-z0-9+.-]+:|\/)/i.test(uri)) return uri;
  const [path = uri, fragment] = uri.split('#');
  const found = await files.existingFile(path, 'Spark file');
  return fragment === undefined ? found : `${found}#${fragment}`;
}
