import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { delay } from '../../shared/clock.ts';
import { keeperMarkName, markPrefix, runMarkName } from './childEnvironment.ts';
import type { ProcessIdentity } from './runner.ts';

/** One process that is alive. */
export interface ProcessEntry extends ProcessIdentity {
  readonly parentPid: number;
  /** Its process group and, on Linux, its session: the pid of the process that began it, which may be gone. */
  readonly groups: readonly number[];
  /** The value of the run's mark in its environment, if it can be read. */
  readonly mark?: string;
  /** Whether it is the keeper of a task (scripts/keeper.pl). */
  readonly isKeeper?: boolean;
}

/**
 * All processes of this machine that can be seen. Linux tells of them in /proc, macOS and the BSDs through `ps`, Windows
 * through its management interface, which tells no group and no environment.
 *
 * @param withMarks whether their environments are read, too
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

/** Undefined if the process ended, also while it was being read. */
async function readFromProc(pid: string, withMarks: boolean): Promise<ProcessEntry | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The command's name stands in parentheses and may hold anything, parentheses too.
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
  // In each language and time zone a start time is written in the same words.
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC0' };
  return parsePs(await run('ps', [withMarks ? environmentFlags : 'ax', ...columns], env), withMarks);
}

/** Reads what `ps -o pid=,ppid=,pgid=,stat=,lstart=,command=` prints, without what has ended and is only not waited for yet. */
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

/** Reads lines of pid, parent and start time. The system's own processes have no start time and are nobody's. */
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

/** The identity of a process that is alive, or undefined. */
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
 * Those of `all` that belong to the run: the given processes, everything below them or in a group or session that one of
 * them began, everything that carries a mark `isMarked` accepts, and everything below that. A given process that has ended
 * still counts for those that came from it, until its pid is another's.
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
    // A service that a task started by mistake on itself must not end itself.
    if (selected.has(entry.pid) || entry.pid === process.pid) continue;
    selected.set(entry.pid, entry);
    const { startTime } = entry;
    waiting.push(...(children.get(entry.pid) ?? []).filter((child) => !isOlder(child.startTime, startTime)));
  }
  return [...selected.values()];
}

/**
 * Whether a process began before the one that it names as its parent, which then is another with its parent's pid: Windows
 * goes on naming a parent that is gone. If start times are not numbers, a process whose parent ended names another.
 */
function isOlder(startTime: string, parentStartTime: string): boolean {
  return /^\d+$/.test(startTime) && /^\d+$/.test(parentStartTime) && BigInt(startTime) < BigInt(parentStartTime);
}

export interface KillOptions {
  /** The mark of the run, or the beginning of many marks if it ends in a colon. */
  readonly mark?: string;
  /** How long the processes have after TERM until they get KILL. Default 3000. */
  readonly graceInMs?: number;
  /** Processes that are left alone, and not counted: keepers, which end when they have nobody to keep. */
  readonly isSpared?: (entry: ProcessEntry) => boolean;
}

export interface KillResult {
  readonly ended: number;
  /** Those that are still there: another user's, or one that the system does not let go. */
  readonly left: ProcessIdentity[];
}

/** Beyond this a process that got KILL is held by the system. */
const killRounds = 40;

/**
 * Ends the given processes and all that came from them: TERM to each, then KILL to what is left after the grace period,
 * until none is left. The descendants are looked up before the first signal, since a process whose parent ended no
 * longer shows where it came from.
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
  // A process may be forking while it is killed, so look again; a process in a kernel wait may take a while to go.
  for (let round = 0; inReach(living).length > 0 && round < killRounds; round += 1) {
    signalAll(living, 'SIGKILL');
    await delay(Math.min(10 * (round + 1), 100));
    living = await listAll();
  }
  return { ended: known.size - living.length, left: living };
}

/** A process, told from a later one of the same pid. */
export function keyOf({ pid, startTime }: ProcessIdentity): string {
  return `${pid} ${startTime}`;
}

/** @returns false if the process is another user's */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    // One that is gone already is looked for again, and not found.
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

/**
 * After a restart: ends whatever an earlier service left running for this data folder. Finds processes by their mark,
 * so that one counts which was started a moment before the service died, and by the stored identities.
 */
export async function killLeftovers(
  dataFolder: string,
  stored: readonly ProcessIdentity[] = [],
  options: { graceInMs?: number } = {},
): Promise<KillResult> {
  const roots = stored.filter((each) => each.startTime !== '');
  const mark = markPrefix(dataFolder);
  // Keepers see that the service is gone and do the same: whoever kills them first loses what they keep.
  const first = await killTree(roots, {
    mark,
    graceInMs: options.graceInMs ?? 500,
    isSpared: (entry) => entry.isKeeper === true,
  });
  const last = await killTree(roots, { mark, graceInMs: 1000 });
  return { ended: first.ended + last.ended, left: last.left };
}

/** What a command prints; empty if it fails, since these only look. */
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
