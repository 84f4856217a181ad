import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { delay } from '../../shared/clock.ts';
import { keeperMarkName, markPrefix, runMarkName } from './childEnvironment.ts';
import type { ProcessIdentity } from './runner.ts';

/** A running process. */
export interface ProcessEntry extends ProcessIdentity {
  readonly parentPid: number;
  /** Its process group and, on Linux, its session: the pid of the process that began it, which may have ended. */
  readonly groups: readonly number[];
  /** The run's mark in its environment, if it can be read. */
  readonly mark?: string;
  /** Whether it is the keeper of a task (scripts/keeper.pl). */
  readonly isKeeper?: boolean;
}

/**
 * Lists all visible processes of this machine: from /proc on Linux, `ps` on macOS and the BSDs, and the management interface on Windows,
 * which reports no group and no environment.
 *
 * @param withMarks whether to read their environments too
 */
export async function listProcesses(withMarks = false): Promise<ProcessEntry[]> {
  if (process.platform === 'linux') return listFromProc(withMarks);
  if (process.platform === 'win32') return listFromWindows();
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

/** Returns `undefined` if the process has ended, even while it was being read. */
async function readFromProc(pid: string, withMarks: boolean): Promise<ProcessEntry | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The command's name is in parentheses and may contain anything, including parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const environ = withMarks ? await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '') : '';
    return {
      pid: Number(pid),
      parentPid: Number(fields[1]),
      groups: [Number(fields[2]), Number(fields[3])],
      startTime: fields[19] ?? '',
      mark: variableOf(environ, runMarkName),
      isKeeper: variableOf(environ, keeperMarkName) !== undefined,
    };
  } catch {
    return undefined;
  }
}

function variableOf(environ: string, name: string): string | undefined {
  const start = environ.startsWith(`${name}=`) ? 0 : environ.indexOf(`\0${name}=`) + 1;
  if (start === 0 && !environ.startsWith(`${name}=`)) return undefined;
  return environ.slice(start + name.length + 1).split('\0', 1)[0];
}

async function listFromPs(withMarks: boolean): Promise<ProcessEntry[]> {
  const environmentFlags = process.platform === 'darwin' ? '-axEww' : 'axeww';
  const columns = ['-o', 'pid=,ppid=,pgid=,stat=,lstart=,command='];
  // So that a start time has the same text in every language and time zone.
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC0' };
  return parsePs(await run('ps', [withMarks ? environmentFlags : 'ax', ...columns], env), withMarks);
}

/** Parses the output of `ps -o pid=,ppid=,pgid=,stat=,lstart=,command=`, without ended processes that have not been reaped. */
export function parsePs(output: string, withMarks: boolean): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const line of output.split('\n')) {
    const [pid, parentPid, group, state, ...words] = line.trim().split(/\s+/);
    if (words.length < 6 || state?.startsWith('Z')) continue;
    const mark = withMarks
      ? words.find((word) => word.startsWith(`${runMarkName}=`))?.slice(runMarkName.length + 1)
      : undefined;
    entries.push({
      pid: Number(pid),
      parentPid: Number(parentPid),
      groups: [Number(group)],
      startTime: words.slice(0, 5).join(' '),
      mark,
    });
  }
  return entries;
}

async function listFromWindows(pid?: number): Promise<ProcessEntry[]> {
  const filter = pid === undefined ? '' : ` -Filter "ProcessId=${pid}"`;
  const script = `Get-CimInstance Win32_Process${filter} | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.CreationDate.ToFileTimeUtc())" }`;
  return parseWindowsList(await run('powershell', ['-NoProfile', '-NonInteractive', '-Command', script]));
}

/** Parses lines of pid, parent and start time. The system's own processes have no start time and are left out. */
export function parseWindowsList(output: string): ProcessEntry[] {
  return output
    .split('\n')
    .map((line) => line.trim().split(' '))
    .filter((words) => words.length === 3)
    .map(([pid, parentPid, startTime = '']) => ({
      pid: Number(pid),
      parentPid: Number(parentPid),
      groups: [],
      startTime,
    }));
}

/** Returns the identity of a running process, or `undefined`. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const entry =
    process.platform === 'linux'
      ? await readFromProc(String(pid), false)
      : (await (process.platform === 'win32' ? listFromWindows(pid) : listProcesses())).find(
          (each) => each.pid === pid,
        );
  return entry && { pid, startTime: entry.startTime };
}

/**
 * Returns those of `all` that belong to the run: the given processes, everything below them or in a group or session that one of them
 * began, everything with a mark that `isMarked` accepts, and everything below that. A given process that has ended still counts for its
 * descendants until its pid belongs to another process.
 */
export function selectTree(
  all: readonly ProcessEntry[],
  roots: readonly ProcessIdentity[],
  isMarked: (mark: string) => boolean = () => false,
): ProcessEntry[] {
  const children = Map.groupBy(all, (entry) => entry.parentPid);
  const living = new Map(all.map((entry) => [entry.pid, entry]));
  const rootStarts = new Map<number, string>();
  for (const { pid, startTime } of roots) {
    const other = living.get(pid);
    if (!other || startTime === '' || other.startTime === startTime) rootStarts.set(pid, startTime);
  }
  const isBelowRoot = (entry: ProcessEntry): boolean => {
    const start = rootStarts.get(entry.parentPid);
    return start !== undefined && !isOlder(entry.startTime, start);
  };
  const selected = new Map<number, ProcessEntry>();
  const waiting = all.filter(
    (entry) =>
      rootStarts.has(entry.pid) ||
      isBelowRoot(entry) ||
      entry.groups.some((group) => rootStarts.has(group)) ||
      (entry.mark !== undefined && isMarked(entry.mark)),
  );
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    // A service that a task started on its own data by mistake must not end itself.
    if (selected.has(entry.pid) || entry.pid === process.pid) continue;
    selected.set(entry.pid, entry);
    const { startTime } = entry;
    waiting.push(...(children.get(entry.pid) ?? []).filter((child) => !isOlder(child.startTime, startTime)));
  }
  return [...selected.values()];
}

/**
 * Returns whether a process began before the one that it names as its parent, which then is another process with the same pid: Windows
 * keeps naming a parent that has ended. Elsewhere start times are not numbers, and a process whose parent ended names another.
 */
function isOlder(startTime: string, parentStartTime: string): boolean {
  return /^\d+$/.test(startTime) && /^\d+$/.test(parentStartTime) && BigInt(startTime) < BigInt(parentStartTime);
}

export interface KillOptions {
  /** The run's mark, or, if it ends in a colon, the prefix of many marks. */
  readonly mark?: string;
  /** How long the processes have between TERM and KILL. Default: 3000. */
  readonly graceInMs?: number;
  /** Processes to leave alone and not to count: keepers, which exit when they have nothing to keep. */
  readonly isSpared?: (entry: ProcessEntry) => boolean;
}

export interface KillResult {
  readonly ended: number;
  /** Processes that are still there: another user's, or ones that the system does not release. */
  readonly left: ProcessIdentity[];
}

/** After so many rounds, a process that got KILL is held by the system. */
const killRounds = 40;

/**
 * Ends the given processes and all their descendants: TERM to each, then KILL to the rest after the grace period, until none is left.
 * Descendants are looked up before the first signal, because a process whose parent has ended no longer shows its origin.
 */
export async function killTree(roots: readonly ProcessIdentity[], options: KillOptions = {}): Promise<KillResult> {
  const { mark, graceInMs = 3000, isSpared = () => false } = options;
  const isMarked = (value: string): boolean =>
    mark !== undefined && (mark.endsWith(':') ? value.startsWith(mark) : value === mark);
  const known = new Map<string, ProcessEntry>();
  const outOfReach = new Set<string>();
  const listAll = async (): Promise<ProcessEntry[]> => {
    const found = selectTree(await listProcesses(mark !== undefined), [...roots, ...known.values()], isMarked).filter(
      (entry) => !isSpared(entry),
    );
    for (const entry of found) known.set(keyOf(entry), entry);
    return found;
  };
  const inReach = (entries: readonly ProcessEntry[]): ProcessEntry[] =>
    entries.filter((entry) => !outOfReach.has(keyOf(entry)));
  const signalAll = (entries: readonly ProcessEntry[], name: NodeJS.Signals): void => {
    for (const entry of entries) if (!signal(entry.pid, name)) outOfReach.add(keyOf(entry));
  };

  let living = await listAll();
  signalAll(living, 'SIGTERM');
  for (
    let waitedInMs = 0, step = 10;
    inReach(living).length > 0 && waitedInMs < graceInMs;
    waitedInMs += step, step = Math.min(step * 2, 100)
  ) {
    await delay(step);
    living = await listAll();
  }
  // A process may fork while it is killed, so look again; a process in a kernel wait may take a while to end.
  for (let round = 0; inReach(living).length > 0 && round < killRounds; round += 1) {
    signalAll(living, 'SIGKILL');
    await delay(Math.min(10 * (round + 1), 100));
    living = await listAll();
  }
  return { ended: known.size - living.length, left: living };
}

/** Returns a key that tells a process from a later one with the same pid. */
export function keyOf({ pid, startTime }: ProcessIdentity): string {
  return `${pid} ${startTime}`;
}

/** @returns false if the process belongs to another user */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    // A process that has ended is not found in the next round.
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

/**
 * Ends whatever an earlier service left running for this data folder, after a restart. Finds processes by their mark, which covers those
 * started just before the service died, and by the stored identities.
 */
export async function killLeftovers(
  dataFolder: string,
  stored: readonly ProcessIdentity[] = [],
  options: { graceInMs?: number } = {},
): Promise<KillResult> {
  const roots = stored.filter((each) => each.startTime !== '');
  const mark = markPrefix(dataFolder);
  // Keepers notice that the service is gone and do the same: killing them first would lose what they keep.
  const first = await killTree(roots, {
    mark,
    graceInMs: options.graceInMs ?? 500,
    isSpared: (entry) => entry.isKeeper === true,
  });
  const last = await killTree(roots, { mark, graceInMs: 1000 });
  return { ended: first.ended + last.ended, left: last.left };
}

/** Returns the output of a command, or an empty string if it fails. */
function run(command: string, parameters: string[], env = process.env): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      command,
      parameters,
      { env, maxBuffer: 64 * 1024 * 1024, windowsHide: true, timeout: 10_000 },
      (_error, stdout) => resolve(stdout),
    );
  });
}
