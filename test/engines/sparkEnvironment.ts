import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { engineEnvironment } from './engineEnvironment.ts';

const execute = promisify(execFile);
const variable = 'JAVA_TOOL_OPTIONS';
/** A program that loads what most programs of the tests load. */
const program = [
  'from pyspark.sql import SparkSession',
  'spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()',
  'spark.sql("select 1 as a").collect()',
  'spark.stop()',
].join('\n');

/** An environment with Spark. Each start of it takes two thirds of its processor time, for most of it goes into loading the same classes. */
export async function sparkEnvironment(): Promise<{ python: string } | { reason: string }> {
  const environment = await engineEnvironment('spark', ['pyspark==4.0.5']);
  if ('python' in environment) await shareClasses(environment.python);
  return environment;
}

/** Has every JVM that is started here take the classes of Spark as one of them has loaded and checked them. */
async function shareClasses(python: string): Promise<void> {
  // What an archive is no good for is no matter to a JVM, which then does without; only it would say so where programs print.
  const usual = `${process.env[variable] ?? ''} -Xlog:cds*=off`.trim();
  if (usual.includes('SharedArchiveFile')) return;
  const archive = join(dirname(python), '..', 'classes.jsa');
  if (!existsSync(archive)) {
    const fresh = `${archive}.${process.pid}`;
    const env = { ...process.env, [variable]: `${usual} -XX:ArchiveClassesAtExit="${fresh}"` };
    try {
      await execute(python, ['-c', program], { env, timeout: 120_000 });
      await rename(fresh, archive);
    } catch {
      await rm(fresh, { force: true });
      return;
    }
  }
  process.env[variable] = `${usual} -XX:SharedArchiveFile="${archive}"`;
}
