import fs from 'node:fs';
import { run } from './processes.ts';

/**
 * Installs a Debian package, saying what and why. Returns why it could not be done, or undefined when it was:
 * only root can, and only if there is apt-get.
 */
export async function installDebianPackage(
  name: string,
  why: string,
  say: (line: string) => void = console.log,
): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get'))
    return 'it can be installed by itself only as root where there is apt-get';
  say(`Installing Debian's package ${name} with apt-get: ${why} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['install', '-y', '--no-install-recommends', name];
  let result = await run('apt-get', install, { env });
  if (result.code !== 0) {
    // A new machine has no package lists yet.
    await run('apt-get', ['update'], { env });
    result = await run('apt-get', install, { env });
  }
  return result.code === 0 ? undefined : `apt-get failed: ${result.stderr.trim().split('\n').slice(-3).join(' ')}`;
}

/**
 * The local service runs jobs with the machine's Python, and tests make environments with it: installs what is missing if it can,
 * otherwise says what will not work. Debian and Ubuntu package Python without ensurepip, which comes with python3-venv.
 */
export async function ensurePython(say: (line: string) => void = console.log): Promise<void> {
  await ensureVenv(say);
  if ((await run('python3', ['-c', 'import pip'])).code === 0) return;
  const failure = await installDebianPackage(
    'python3-pip',
    'debugged runs take their debugger from PyPI with pip',
    say,
  );
  if (failure !== undefined) say(`Python has no pip, and ${failure}. Tests of the debugger are skipped.`);
}

async function ensureVenv(say: (line: string) => void): Promise<void> {
  if ((await run('python3', ['-c', 'import venv, ensurepip'])).code === 0) return;
  const failure = await installDebianPackage(
    'python3-venv',
    'the local service runs Python files and notebooks with Python, and installs libraries',
    say,
  );
  if (failure === undefined) return;
  const isThere = (await run('python3', ['--version'])).code === 0;
  say(
    isThere
      ? `python3 has no venv, and ${failure}. Tests that make an environment will fail until python3-venv is installed.`
      : `There is no python3, and ${failure}. Runs of Python files and notebooks will fail until Python 3 is installed.`,
  );
}
