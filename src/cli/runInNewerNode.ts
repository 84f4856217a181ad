import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { findNewerNode } from '../service/startup/newerNode.ts';

/**
 * Restarts the command with a Node that can run the local service: from the PATH, or one that npm installed near the program (the npm
 * package `node`). The child inherits the terminal's streams, and this process exits with its status.
 * @returns false if there is no such Node and nothing was done
 */
export async function runInNewerNode(line: readonly string[]): Promise<boolean> {
  const script = process.argv[1];
  if (script === undefined) return false;
  const found = await findNewerNode(process.env, installedAround(script));
  if (!('path' in found)) return false;
  const child = spawn(found.path, [script, ...line], { stdio: 'inherit' });
  // The terminal sends Ctrl+C to the child as well; a second signal would kill it at once.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
  return true;
}

function installedAround(script: string): string[] {
  const paths: string[] = [];
  for (let folder = dirname(script); ; folder = dirname(folder)) {
    paths.push(join(folder, 'node_modules', '.bin', 'node'));
    if (folder === dirname(folder)) return paths;
  }
}
