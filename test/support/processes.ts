/**
 * Child processes that never outlive the script that started them: each runs in a process group of its own, which is
 * ended as a whole, and every descendant carries a mark in its environment by which leftovers are found.
 */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';

const markName = 'MILLRACE_RUN_MARK';
/** One mark for a whole run: set here if no parent script has set it. */
const mark = (process.env[markName] ??= randomUUID());

/**
 * The environment of a run inside this run, which goes on beside other parts of it: its mark begins with that of this run, so that this
 * one sees what the inner run leaves, and the inner run does not take the parts beside it for something that it left.
 */
export function markOfInnerRun(): Record<string, string> {
  return { [markName]: `${mark}/${randomUUID()}` };
}

const running = new Set<ChildProcess>();
let guarded = false;

/** Starts a command as the leader of a new process group; `stopGroup` or the end of this process ends the group. */
export function startGroup(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  guard();
  const child = spawn(command, [...args], { ...options, detached: process.platform !== 'win32' });
  running.add(child);
  child.once('exit', () => {
    signalGroup(child, 'SIGTERM');
    running.delete(child);
  });
  return child;
}

/** Asks the group to end, then after `graceInMs` ends it. Resolves when its leader is gone. */
export async function stopGroup(child: ChildProcess, graceInMs = 4000): Promise<void> {
  if (child.pid === undefined) return;
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    signalGroup(child, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceInMs);
    await gone;
    clearTimeout(timer);
  }
  signalGroup(child, 'SIGKILL');
  running.delete(child);
}

export interface RunOptions extends SpawnOptions {
  /** Show the output as it comes; it is returned in either case. */
  echo?: boolean;
  /** Text for the command's standard input. */
  input?: string;
}

export interface RunResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end. Never throws for a non-zero exit; a command that cannot be started has code 127. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { echo = false, input, ...spawnOptions } = options;
  const child = startGroup(command, args, {
    ...spawnOptions,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (echo) process.stdout.write(text);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (echo) process.stderr.write(text);
  });
  if (input !== undefined) child.stdin?.end(input);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 127, stdout, stderr: `${stderr}${error.message}\n` }));
    child.once('close', (code) => resolve({ code: code ?? 1, stdout, stderr }));
  });
}

/** As `run`, but a non-zero exit is an error that carries the command's last words. */
export async function runOrThrow(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  const result = await run(command, args, options);
  if (result.code !== 0) {
    const tail = `${result.stdout}\n${result.stderr}`.trim().split('\n').slice(-15).join('\n');
    throw new Error(`${command} ${args.join(' ')} ended with code ${result.code}:\n${tail}`);
  }
  return result;
}

export interface Leftover {
  pid: number;
  command: string;
}

/** Processes that descend from this run and are still alive, this one and its ancestors not counted. Linux only; elsewhere empty. */
function leftovers(): Leftover[] {
  if (process.platform !== 'linux') return [];
  const own = ancestors();
  const needle = `${markName}=${mark}`;
  const isOfThisRun = (entry: string): boolean => entry === needle || entry.startsWith(`${needle}/`);
  const found: Leftover[] = [];
  for (const name of fs.readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || own.has(pid)) continue;
    try {
      if (!fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').some(isOfThisRun)) continue;
      const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
      if (command !== '') found.push({ pid, command });
    } catch {
      // The process ended between the two looks, or is not ours to read.
    }
  }
  return found;
}

/** Waits up to `limitInMs` for every descendant to end, ends what is left and returns it: an empty list is success. */
export async function endLeftovers(limitInMs = 15_000): Promise<Leftover[]> {
  const end = Date.now() + limitInMs;
  let left = leftovers();
  while (left.length > 0 && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    left = leftovers();
  }
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself meanwhile.
    }
  }
  return left;
}

function ancestors(): Set<number> {
  const pids = new Set<number>();
  let pid = process.pid;
  while (pid > 1 && !pids.has(pid)) {
    pids.add(pid);
    try {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
      pid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    } catch {
      break;
    }
  }
  return pids;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

function guard(): void {
  if (guarded) return;
  guarded = true;
  process.on('exit', () => {
    for (const child of running) signalGroup(child, 'SIGKILL');
  });
}
