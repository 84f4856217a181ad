import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { delay } from '../../shared/clock.ts';
import { markPrefix, runMarkName } from './childEnvironment.ts';
import type { ProcessIdentity } from './runner.ts';

/** One process that is alive. */
export interface ProcessEntry extends ProcessIdentity {
  parentPid: number;
  /** The value of the run's mark in its environment, where it can be read. */
  mark?: string;
}

/**
 * All processes of this machine that can be seen, with their marks where `withMarks` is asked for. Empty on Windows,
 * where `taskkill /T` walks the tree itself.
 */
export async function listProcesses(withMarks = false): Promise<ProcessEntry[]> {
  if (process.platform === 'linux') return listFromProc(withMarks);
  if (process.platform === 'win32') return [];
  return listFromPs(withMarks);
}

async function listFromProc(withMarks: boolean): Promise<ProcessEntry[]> {
  const entries: ProcessEntry[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const entry = await readFromProc(name, withMarks);
    if (entry) entries.push(entry);
  }
  return entries;
}

/** Undefined where the process ended, also while it was being read. */
async function readFromProc(pid: string, withMarks: boolean): Promise<ProcessEntry | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The command's name stands in parentheses and may hold anything, parentheses too.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const mark = withMarks ? markOf(await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')) : undefined;
    return { pid: Number(pid), parentPid: Number(fields[1]), startTime: fields[19] ?? '', mark };
  } catch {
    return undefined;
  }
}

function markOf(environ: string): string | undefined {
  const start = environ.startsWith(`${runMarkName}=`) ? 0 : environ.indexOf(`\0${runMarkName}=`) + 1;
  if (start === 0 && !environ.startsWith(`${runMarkName}=`)) return undefined;
  return environ.slice(start + runMarkName.length + 1).split('\0', 1)[0];
}

async function listFromPs(withMarks: boolean): Promise<ProcessEntry[]> {
  const environmentFlags = process.platform === 'darwin' ? '-axEww' : 'axeww';
  const output = await run('ps', [withMarks ? environmentFlags : 'ax', '-o', 'pid=,ppid=,lstart=,command=']);
  const entries: ProcessEntry[] = [];
  for (const line of output.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s(.*)$/.exec(line);
    if (!match || match[4]!.includes('<defunct>')) continue;
    const mark = withMarks ? new RegExp(`\\s${runMarkName}=(\\S+)`).exec(match[4]!)?.[1] : undefined;
    entries.push({ pid: Number(match[1]), parentPid: Number(match[2]), startTime: match[3]!, mark });
  }
  return entries;
}

/** The identity of a process that is alive, or undefined. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  if (process.platform === 'win32') return { pid, startTime: await windowsStartTime(pid) };
  const entry = process.platform === 'linux'
    ? await readFromProc(String(pid), false)
    : (await listProcesses()).find((each) => each.pid === pid);
  return entry && { pid, startTime: entry.startTime };
}

async function windowsStartTime(pid: number): Promise<string> {
  const script = `(Get-Process -Id ${pid} -ErrorAction SilentlyContinue).StartTime.ToFileTimeUtc()`;
  return (await run('powershell', ['-NoProfile', '-Command', script])).trim();
}

/**
 * Those of `all` that belong to the run: the given processes, everything below them, everything that carries a mark
 * `isMarked` accepts, and everything below that. A given process counts only if its start time is the same.
 */
export function selectTree(
  all: readonly ProcessEntry[],
  roots: readonly ProcessIdentity[],
  isMarked: (mark: string) => boolean = () => false,
): ProcessEntry[] {
  const children = Map.groupBy(all, (entry) => entry.parentPid);
  const selected = new Map<number, ProcessEntry>();
  const waiting = all.filter((entry) =>
    roots.some((root) => root.pid === entry.pid && (root.startTime === '' || root.startTime === entry.startTime))
    || (entry.mark !== undefined && isMarked(entry.mark)));
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    // A service that a task started by mistake on itself must not end itself.
    if (selected.has(entry.pid) || entry.pid === process.pid) continue;
    selected.set(entry.pid, entry);
    waiting.push(...(children.get(entry.pid) ?? []));
  }
  return [...selected.values()];
}

export interface KillOptions {
  /** The mark of the run, or the beginning of many marks where it ends in a colon. */
  mark?: string;
  /** How long the processes have after TERM until they get KILL. Default 3000. */
  graceInMs?: number;
}

/**
 * Ends the given processes and all that came from them: TERM to each, then KILL to what is left after the grace period,
 * until none is left. The descendants are looked up before the first signal, since a process whose parent ended no
 * longer shows where it came from.
 *
 * @returns how many processes got a signal
 */
export async function killTree(roots: readonly ProcessIdentity[], options: KillOptions = {}): Promise<number> {
  if (process.platform === 'win32') return killTreeOnWindows(roots);
  const { mark, graceInMs = 3000 } = options;
  const isMarked = (value: string): boolean => mark !== undefined && (mark.endsWith(':') ? value.startsWith(mark) : value === mark);
  const known = new Map<string, ProcessEntry>();
  const alive = async (): Promise<ProcessEntry[]> => {
    const all = await listProcesses(mark !== undefined);
    const living = selectTree(all, [...roots, ...known.values()], isMarked);
    for (const entry of living) known.set(`${entry.pid} ${entry.startTime}`, entry);
    return living;
  };

  let living = await alive();
  for (const entry of living) signal(entry.pid, 'SIGTERM');
  for (let waitedInMs = 0, step = 10; living.length > 0 && waitedInMs < graceInMs; waitedInMs += step, step = Math.min(step * 2, 100)) {
    await delay(step);
    living = await alive();
  }
  // A process may be forking while it is killed, so look again; a process in a kernel wait may take a while to go.
  for (let round = 0; living.length > 0 && round < 40; round += 1) {
    for (const entry of living) signal(entry.pid, 'SIGKILL');
    await delay(Math.min(10 * (round + 1), 100));
    living = await alive();
  }
  return known.size;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Already gone.
  }
}

async function killTreeOnWindows(roots: readonly ProcessIdentity[]): Promise<number> {
  let count = 0;
  for (const root of roots) {
    if (root.startTime !== '' && (await windowsStartTime(root.pid)) !== root.startTime) continue;
    await run('taskkill', ['/PID', String(root.pid), '/T', '/F']);
    count += 1;
  }
  return count;
}

/**
 * After a restart: ends whatever an earlier service left running for this data folder. Finds processes by their mark,
 * so that one counts which was started a moment before the service died, and by the stored identities.
 *
 * @returns how many processes were ended
 */
export function killLeftovers(dataFolder: string, stored: readonly ProcessIdentity[] = [], options: { graceInMs?: number } = {}): Promise<number> {
  return killTree(stored.filter((each) => each.startTime !== ''), { mark: markPrefix(dataFolder), graceInMs: options.graceInMs ?? 500 });
}

/** What a command prints; empty where it fails, since these only look. */
function run(command: string, parameters: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, parameters, { maxBuffer: 64 * 1024 * 1024, windowsHide: true, timeout: 10_000 }, (_error, stdout) => resolve(stdout));
  });
}
