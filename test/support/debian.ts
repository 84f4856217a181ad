import fs from 'node:fs';
import { run } from './processes.ts';

let installing: Promise<unknown> = Promise.resolve();
let python: Promise<void> | undefined;

/**
 * Installs a Debian package, saying what and why. Returns why it could not be done, or undefined when it was:
 * only root can, and only if there is apt-get.
 */
export function installDebianPackage(
  name: string,
  why: string,
  say: (line: string) => void = console.log,
): Promise<string | undefined> {
  // Two apt-get at once: the second fails, because the first holds the lock.
  const installed = installing.then(() => install(name, why, say));
  installing = installed;
  return installed;
}

async function install(name: string, why: string, say: (line: string) => void): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get'))
    return 'it can only be installed automatically as root and with apt-get';
  say(`Installing Debian's package ${name} with apt-get: ${why} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const parameters = ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '--no-install-recommends', name];
  let result = await run('apt-get', parameters, { env });
  if (result.code !== 0) {
    // A new machine has no package lists yet.
    await run('apt-get', ['update'], { env });
    result = await run('apt-get', parameters, { env });
  }
  return result.code === 0 ? undefined : `apt-get failed: ${result.stderr.trim().split('\n').slice(-3).join(' ')}`;
}

/**
 * The local service runs jobs with the machine's Python, and tests make environments with it: installs what is missing if it can,
 * otherwise says what will not work. Debian and Ubuntu package Python without ensurepip, which comes with python3-venv.
 */
export function ensurePython(say: (line: string) => void = console.log): Promise<void> {
  python ??= installPython(say);
  return python;
}

async function installPython(say: (line: string) => void): Promise<void> {
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
