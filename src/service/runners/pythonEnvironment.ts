import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { Python } from './python.ts';

/** How to make a virtual environment. */
export interface EnvironmentPlan {
  readonly folder: string;
  /** The Python whose packages are visible in it; it may belong to an environment itself. */
  readonly python: Python;
  /** Path of run_pip.py, which the environment's `pip` and `pip3` run. */
  readonly pipScript: string;
  /** Runs Python's own venv, on Windows only. @throws what `run` throws */
  readonly run: (command: string, parameters: string[]) => Promise<void>;
}

/**
 * Creates a virtual environment that also sees the packages of the Python that it is made from. Installing into it touches nothing outside
 * of its folder. Some systems package Python without venv, and venv takes a second; an environment is four small files.
 *
 * @returns its interpreter
 */
export async function makeEnvironment({ folder, python, pipScript, run }: EnvironmentPlan): Promise<string> {
  const packages = join(folder, python.packagesPath);
  const isWindows = process.platform === 'win32';
  const command = join(folder, ...(isWindows ? ['Scripts', 'python.exe'] : ['bin', 'python']));
  if (isWindows)
    await run(python.command, [
      '-m',
      'venv',
      '--without-pip',
      ...(python.seesSystem ? ['--system-site-packages'] : []),
      folder,
    ]);
  await mkdir(packages, { recursive: true });
  // `addsitedir` also reads the .pth files there, such as those of editable installs.
  if (python.parentPackages)
    await writeFile(
      join(packages, '_parent.pth'),
      `import site; site.addsitedir(${JSON.stringify(python.parentPackages)})\n`,
    );
  if (isWindows) return command;
  await mkdir(join(folder, 'bin'), { recursive: true });
  const [major, minor] = python.version.split('.');
  for (const name of ['python', 'python3', `python${major}.${minor}`])
    await symlink(python.baseCommand, join(folder, 'bin', name));
  for (const name of ['pip', 'pip3']) {
    const path = join(folder, 'bin', name);
    await writeFile(path, `#!/bin/sh\nexec ${[command, pipScript].map(quoteForShell).join(' ')} "$@"\n`);
    await chmod(path, 0o755);
  }
  await writeFile(
    join(folder, 'pyvenv.cfg'),
    [
      `home = ${dirname(python.baseCommand)}`,
      `include-system-site-packages = ${python.seesSystem}`,
      `version = ${python.version}`,
      '',
    ].join('\n'),
  );
  return command;
}

/** Returns the variables by which commands of a run find an environment's Python first. */
export function environmentVariables(command: string, own: Record<string, string>): Record<string, string> {
  const bin = dirname(command);
  const path = own['PATH'] ?? own['Path'];
  return {
    // Otherwise Spark starts its workers by name, which may be another Python.
    PYSPARK_PYTHON: command,
    PYSPARK_DRIVER_PYTHON: command,
    ...own,
    PATH: path ? bin + delimiter + path : bin,
    VIRTUAL_ENV: dirname(bin),
  };
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
