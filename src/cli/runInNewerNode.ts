import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { findNewerNode } from '../service/startup/newerNode.ts';

/**
 * Runs the same line again with a Node that can hold the local service: that of the PATH, or one that npm installed in a folder
 * around the program (the npm package `node`). The terminal's streams are the child's, and this process ends as it does.
 * @returns false if there is no such Node, and nothing was done
 */
export async function runInNewerNode(line: readonly string[]): Promise<boolean> {
  const script = process.argv[1];
  if (script === undefined) return false;
  const found = await findNewerNode(process.env, installedAround(script));
  if (!('path' in found)) return false;
  const child = spawn(found.path, [script, ...line], { stdio: 'inherit' });
  // A terminal's Ctrl+C reaches the child by itself; a second one would end it at once.
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
