import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../../support/paths.ts';

export interface SourceEnded {
  readonly code: number | null;
  readonly out: string;
  readonly said: string;
}

export interface SourceOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly folder?: string;
  /** Flags of Node. */
  readonly flags?: readonly string[];
  /** File descriptor of the standard input. */
  readonly input?: number;
  /** Done once the program is there. */
  readonly meanwhile?: (child: ChildProcess) => void | Promise<void>;
}

/** Runs the program `millrace` from its sources, without a build, to its end. */
export async function runSource(
  line: readonly string[],
  { environment, folder, flags = [], input, meanwhile }: SourceOptions = {},
): Promise<SourceEnded> {
  const script = join(root, 'src', 'cli', 'main.ts');
  const quiet = '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON';
  const child = spawn(process.execPath, [quiet, ...flags, script, ...line], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: [input ?? 'ignore', 'pipe', 'pipe'],
  });
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('The program has no output.');
  const read = Promise.all([text(stdout).catch(() => ''), text(stderr).catch(() => '')]);
  const ended = once(child, 'close') as Promise<[number | null]>;
  await meanwhile?.(child);
  const [[code], [out, said]] = await Promise.all([ended, read]);
  return { code, out, said };
}
