import fs from 'node:fs';
import path from 'node:path';
import { out, root } from './paths.ts';
import { run } from './processes.ts';
import { checked, noResults, readResults, type Results } from './results.ts';

export interface MochaOptions {
  /** Name of the stage, and of its results file in out/. */
  name: string;
  /** Files or globs, relative to the repository. */
  files: readonly string[];
  /** How long until a test counts as hung. This measures no speed, since a busy machine makes every test slow. Default: two minutes. */
  timeoutInMs?: number;
  /** Further arguments for mocha, such as `-g`, `title`. */
  args?: readonly string[];
  environment?: NodeJS.ProcessEnv;
  /** How many files may run beside each other, each in a process of its own. One if left out. */
  jobs?: number;
}

/** Runs TypeScript tests with mocha in plain Node. No file is no failure: the results then count nothing. */
export async function runMocha(options: MochaOptions): Promise<Results> {
  const size = (file: string): number => fs.statSync(path.resolve(root, file)).size;
  // The longest first, so that none of them is left for the end.
  const files = options.files
    .flatMap((file) => fs.globSync(file, { cwd: root }))
    .toSorted((a, b) => size(b) - size(a) || (a < b ? -1 : 1));
  if (files.length === 0) return noResults;
  const jobs = Math.min(options.jobs ?? 1, files.length);
  const resultsFile = path.join(out, `${options.name}.json`);
  fs.rmSync(resultsFile, { force: true });
  const args = [
    '--disable-warning=ExperimentalWarning',
    path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'),
    ...['--reporter', path.join(import.meta.dirname, 'resultsReporter.cjs')],
    ...['--timeout', String(options.timeoutInMs ?? 120_000)],
    ...(jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : []),
    ...(options.args ?? []),
    ...files,
  ];
  const { code } = await run(process.execPath, args, {
    cwd: root,
    echo: true,
    // Times read the same wherever the tests run.
    // What one process has compiled serves the others.
    env: {
      ...process.env,
      TZ: 'UTC',
      NODE_COMPILE_CACHE: path.join(out, 'compiled'),
      ...options.environment,
      MILLRACE_RESULTS_FILE: resultsFile,
    },
  });
  const results = readResults(resultsFile, `mocha wrote no results for ${options.name} and exited with code ${code}.`);
  if (code !== 0 && results.failed === 0) return checked([`${options.name} exited with code ${code}`]);
  return results;
}
