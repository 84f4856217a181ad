import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';

const execute = promisify(execFile);
const cacheFolder = resolve('.cache', 'engines');

/** A virtual environment with these packages of PyPI, made once and kept in .cache/engines. */
export async function engineEnvironment(
  name: string,
  packages: readonly string[],
): Promise<{ python: string } | { reason: string }> {
  const folder = join(cacheFolder, name);
  const python = join(folder, ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']));
  const marker = join(folder, 'installed.txt');
  const wanted = packages.join('\n');
  if ((await readFile(marker, 'utf8').catch(() => '')) === wanted) return { python };
  try {
    await mkdir(cacheFolder, { recursive: true });
    await rm(folder, { recursive: true, force: true });
    console.log(`      installing ${packages.join(', ')} into ${folder}`);
    await execute('python3', ['-m', 'venv', folder]);
    await execute(python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...packages], {
      maxBuffer: 16 * 1024 * 1024,
    });
    await writeFile(marker, wanted);
    return { python };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    return {
      reason: `${packages.join(', ')} cannot be installed here: ${(error as Error).message.trim().split('\n').at(-1)}`,
    };
  }
}

/**
 * The same for what pip takes minutes to choose and install: uv does it, in at most a minute.
 * @returns the reason if it takes longer
 */
export async function largeEngineEnvironment(
  name: string,
  packages: readonly string[],
): Promise<{ python: string } | { reason: string }> {
  const environment = await engineEnvironment(name, ['uv']);
  if ('reason' in environment) return environment;
  const { python } = environment;
  const marker = join(cacheFolder, name, 'installed-by-uv.txt');
  const wanted = packages.join('\n');
  if ((await readFile(marker, 'utf8').catch(() => '')) === wanted) return environment;
  try {
    await execute(python, ['-m', 'uv', 'pip', 'install', '--quiet', '--python', python, ...packages], {
      timeout: 60_000,
    });
    await writeFile(marker, wanted);
    return environment;
  } catch (error) {
    const { killed, message } = error as Error & { killed?: boolean };
    return {
      reason: `${packages.join(', ')} cannot be installed here: ${killed === true ? 'it takes longer than a minute' : message.trim().split('\n').at(-1)}`,
    };
  }
}

/** A folder with these packages of npm in its node_modules, made once and kept beside the environments. */
export async function nodePackages(
  name: string,
  packages: readonly string[],
): Promise<{ folder: string } | { reason: string }> {
  const folder = join(cacheFolder, name);
  const marker = join(folder, 'installed.txt');
  const wanted = packages.join('\n');
  if ((await readFile(marker, 'utf8').catch(() => '')) === wanted) return { folder };
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    console.log(`      installing ${packages.join(', ')} into ${folder}`);
    await execute('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
      cwd: folder,
      timeout: 120_000,
    });
    await writeFile(marker, wanted);
    return { folder };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    return {
      reason: `${packages.join(', ')} of npm cannot be installed here: ${(error as Error).message.trim().split('\n')[0]}`,
    };
  }
}

/** Skips the suite in plain words; a machine without the registry still gets the rest. */
export function skipBecause(context: Context, reason: string): never {
  console.log(`      skipped: ${reason}`);
  return context.skip();
}

export async function commandWorks(command: string, parameters: readonly string[]): Promise<boolean> {
  return execute(command, [...parameters]).then(
    () => true,
    () => false,
  );
}
