import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { findOnPath, isExecutable, probeCommand } from './commandProbe.ts';
import type { Python } from './python.ts';
import type { EngineStatus } from './runner.ts';

/** A Spark that was found on this machine. */
export interface SparkInstallation {
  readonly submit: string;
  readonly home: string;
  readonly java: string;
}

export interface SparkOptions {
  readonly master?: string;
  readonly sparkSubmit?: string;
}

const sparkRemedy =
  'Install it with: python3 -m pip install pyspark. Or set SPARK_HOME, or the path of spark-submit in the settings of the local service.';
const javaRemedy = 'Install a Java 17 runtime, so that java is on the PATH or JAVA_HOME is set.';
const submitName = process.platform === 'win32' ? 'spark-submit.cmd' : 'spark-submit';

/** Finds spark-submit: the configured one, or that of SPARK_HOME, the PATH or the Python's own pyspark; `undefined` if there is none. */
export async function findSparkSubmit(
  options: SparkOptions,
  python: Python | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  if (options.sparkSubmit) return (await isExecutable(options.sparkSubmit)) ? options.sparkSubmit : undefined;
  const homes = [environment['SPARK_HOME'], python?.pysparkHome].filter(
    (each) => each !== undefined && each !== '',
  ) as string[];
  const [own, ofPython] = homes.map((home) => join(home, 'bin', submitName));
  if (own && (await isExecutable(own))) return own;
  const onPath = await findOnPath('spark-submit', environment);
  // pip installs a script of the same name next to Python, which finds its home by asking Python again.
  if (onPath && !python?.pysparkHome) return onPath;
  return ofPython && (await isExecutable(ofPython)) ? ofPython : onPath;
}

async function findJava(environment: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const home = environment['JAVA_HOME'];
  const own = home ? join(home, 'bin', process.platform === 'win32' ? 'java.exe' : 'java') : undefined;
  return own && (await isExecutable(own)) ? own : findOnPath('java', environment);
}

/** @throws AppError `unavailable` that names what is missing and how to install it */
export async function requireSpark(
  options: SparkOptions,
  python: Python | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<SparkInstallation> {
  const submit = await findSparkSubmit(options, python, environment);
  if (!submit)
    throw new AppError('unavailable', 'Apache Spark was not found on this machine, so the run was not started.', {
      remedy: sparkRemedy,
    });
  const java = await findJava(environment);
  if (!java)
    throw new AppError(
      'unavailable',
      'Spark needs Java, which was not found on this machine, so the run was not started.',
      { remedy: javaRemedy },
    );
  return { submit, java, home: dirname(dirname(submit)) };
}

export async function probeSpark(
  options: SparkOptions,
  python: Python | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<EngineStatus[]> {
  const submit = await findSparkSubmit(options, python, environment);
  const java = await findJava(environment);
  const version = java
    ? /version "([^"]+)"/.exec((await probeCommand(java, ['-version'], { environment })).text)?.[1]
    : undefined;
  return [
    submit
      ? {
          name: 'spark',
          available: java !== undefined,
          version: python?.pysparkVersion,
          remedy: java ? undefined : javaRemedy,
        }
      : { name: 'spark', available: false, remedy: sparkRemedy },
    java ? { name: 'java', available: true, version } : { name: 'java', available: false, remedy: javaRemedy },
  ];
}

/**
 * Returns variables for every Spark of a run: listening on this machine only if its master is local, and logging warnings only, without a
 * progress bar, unless its own configuration or `SPARK_CONF_DIR` sets the logging.
 */
export async function sparkVariables(
  master: string | undefined,
  logging: { log4j1: string; log4j2: string },
  environment: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  const variables: Record<string, string> = isLoopbackMaster(master ?? defaultMaster)
    ? { SPARK_LOCAL_IP: '127.0.0.1' }
    : {};
  const home = environment['SPARK_HOME'];
  const folder = environment['SPARK_CONF_DIR'] ?? (home && join(home, 'conf'));
  const names = folder ? await readdir(folder).catch(() => []) : [];
  if (names.some((name) => /^log4j2?\.(properties|xml|ya?ml|json)$/.test(name))) return variables;
  const properties = {
    'log4j2.configurationFile': `file:${logging.log4j2}`,
    'log4j.configuration': `file:${logging.log4j1}`,
    'spark.ui.showConsoleProgress': 'false',
  };
  const settings = Object.entries(properties).map(([name, value]) => `"-D${name}=${value}"`);
  // The launcher reads these before a job's settings, which then win.
  return { ...variables, SPARK_SUBMIT_OPTS: [...settings, environment['SPARK_SUBMIT_OPTS'] ?? ''].join(' ').trim() };
}

export const defaultMaster = 'local[*]';

/** Returns whether a master is a Spark Connect server: the program runs here, and its Spark there. */
export function isSparkConnect(master: string | undefined): boolean {
  return master?.startsWith('sc://') === true;
}

/** Returns whether a master is on this machine only, so that nothing of Spark needs to listen elsewhere. */
function isLoopbackMaster(master: string): boolean {
  return /^local\b/.test(master) || /^spark:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])[:,]/.test(`${master}:`);
}
