import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';

const execute = promisify(execFile);
const cacheFolder = resolve('.cache', 'engines');
const isWindows = process.platform === 'win32';

/** A virtual environment with these packages of PyPI, made once and kept in .cache/engines; or the reason why there is none. */
export async function engineEnvironment(
  name: string,
  packages: readonly string[],
): Promise<{ python: string } | { reason: string }> {
  const folder = join(cacheFolder, name);
  const python = join(folder, ...(isWindows ? ['Scripts', 'python.exe'] : ['bin', 'python']));
  const marker = join(folder, 'installed.txt');
  const wanted = packages.join('\n');
  if ((await readFile(marker, 'utf8').catch(() => '')) === wanted) return { python };
  try {
    const uv = await ensureUv();
    await rm(folder, { recursive: true, force: true });
    console.log(`      installing ${packages.join(', ')} into ${folder}`);
    await execute(uv, ['venv', '--quiet', '--seed', '--no-python-downloads', '--python', 'python3', folder]);
    await execute(uv, ['pip', 'install', '--quiet', '--python', python, ...packages], { timeout: 180_000 });
    await writeFile(marker, wanted);
    return { python };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    const { killed, message } = error as Error & { killed?: boolean };
    return {
      reason: `${packages.join(', ')} cannot be installed here: ${killed === true ? 'it takes longer than three minutes' : message.trim().split('\n').at(-1)}`,
    };
  }
}

/** Installs what pip takes ten times as long for: it also compiles each file of a package, of which a test loads a few. */
async function ensureUv(): Promise<string> {
  const folder = join(cacheFolder, 'uv');
  const uv = join(folder, 'bin', isWindows ? 'uv.exe' : 'uv');
  if (existsSync(uv)) return uv;
  await mkdir(cacheFolder, { recursive: true });
  await execute('python3', ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--target', folder, 'uv']);
  return uv;
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
