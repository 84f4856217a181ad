import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { out, root } from './paths.ts';
import { run } from './processes.ts';
import { readResults, type Results } from './results.ts';

export interface MochaOptions {
  /** Name of the stage, and of its results file in out/. */
  name: string;
  /** Files or globs, relative to the repository. */
  files: readonly string[];
  /** Until a test counts as hung; no measure of speed, since a busy machine makes every test slow. Two minutes. */
  timeoutInMs?: number;
  /** Further arguments for mocha, such as `-g`, `title`. */
  args?: readonly string[];
  environment?: NodeJS.ProcessEnv;
  /**
   * How many files may run beside each other, each in a process of its own, which prints its lines when it is through. No more than the
   * machine has processors; one after another if left out.
   */
  jobs?: number;
  /** Leaves its lines out of the console. */
  quiet?: boolean;
}

/** Runs TypeScript tests with mocha in plain Node. No file is not a failure: the results then count nothing. */
export async function runMocha(options: MochaOptions): Promise<Results> {
  const present = options.files.flatMap((file) => fs.globSync(file, { cwd: root })).toSorted();
  const jobs = Math.min(options.jobs ?? 1, os.availableParallelism(), present.length);
  if (present.length === 0) return { passed: 0, failed: 0, skipped: 0, failures: [], lines: [] };
  const resultsFile = path.join(out, `${options.name}.json`);
  fs.rmSync(resultsFile, { force: true });
  const args = [
    '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
    '--disable-warning=ExperimentalWarning',
    path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'),
    ...[
      '--reporter',
      path.join(import.meta.dirname, 'resultsReporter.cjs'),
      '--timeout',
      String(options.timeoutInMs ?? 120_000),
    ],
    ...(jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : []),
    ...(options.args ?? []),
    ...present,
  ];
  const { code } = await run(process.execPath, args, {
    cwd: root,
    echo: options.quiet !== true,
    // Times read the same wherever the tests run.
    env: { ...process.env, TZ: 'UTC', ...options.environment, MILLRACE_RESULTS_FILE: resultsFile },
  });
  const results = readResults(resultsFile, `mocha wrote no results for ${options.name} and ended with code ${code}.`);
  if (code !== 0 && results.failed === 0)
    return { ...results, failed: 1, failures: [{ title: `${options.name} ended with code ${code}`, error: '' }] };
  return results;
}
