import { readSparkSubmit } from '../../api/schema/jobs/sparkSubmitOptions.ts';
import { AppError } from '../../shared/errors.ts';
import type { FileMap } from '../base/fileMap.ts';

const fileOptions = new Set(['--jars', '--py-files', '--files', '--archives']);

/**
 * The parameters of a spark-submit task with the paths of the API replaced by files of this machine: those of --jars,
 * --py-files, --files and --archives, and the application itself. What follows the application is its own.
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
        { remedy: `Take ${name} out of the parameters.` },
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

/** Spark fetches http(s) itself; `spark-internal` and bare names are Spark's own. */
async function mapFile(uri: string, files: FileMap): Promise<string> {
  if (/^(https?|hdfs|local|ivy):/i.test(uri) || !/^([a-z][a-z0-9+.-]+:|\/)/i.test(uri)) return uri;
  const [path = uri, fragment] = uri.split('#');
  const found = await files.existingFile(path, 'Spark file');
  return fragment === undefined ? found : `${found}#${fragment}`;
}
