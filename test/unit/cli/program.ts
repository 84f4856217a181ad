import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { buildProgram } from '../service/support/builtService.ts';

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface StartedProgram {
  child: ChildProcess;
  ended: Promise<Ended>;
}

/**
 * Starts the built program in a folder, with a home of its own.
 * @param flags for Node
 * @param input file descriptor of its standard input
 */
export async function startProgram(
  folder: string,
  line: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  flags: readonly string[] = [],
  input?: number,
): Promise<StartedProgram> {
  const script = await buildProgram();
  const { MILLRACE_TOKEN: _token, MILLRACE_DATA: _data, MILLRACE_ROOT: _root, ...inherited } = process.env;
  const home = { HOME: folder, XDG_STATE_HOME: `${folder}/state`, LOCALAPPDATA: `${folder}/state` };
  const child = spawn(process.execPath, [...flags, script, ...line], {
    cwd: folder,
    stdio: [input ?? 'ignore', 'pipe', 'pipe'],
    env: { ...inherited, ...home, ...environment },
  });
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('The program has no output.');
  const read = [stdout, stderr].map((stream) => text(stream).catch(() => ''));
  const ended = Promise.all([once(child, 'exit') as Promise<[number | null]>, ...read]);
  return { child, ended: ended.then(([[code], out = '', err = '']) => ({ code, out, err })) };
}

export async function runProgram(
  folder: string,
  line: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  return (await startProgram(folder, line, environment)).ended;
}
