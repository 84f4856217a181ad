import { keyOf, listProcesses, selectTree, type ProcessEntry } from './processTree.ts';
import type { ProcessIdentity } from './runner.ts';

/** Remembers what came from a process while it still shows. */
export interface DescendantWatch {
  /** The process and all that were seen to come from it. */
  known(): ProcessIdentity[];
  stop(): void;
}

const checkEveryInMs = 1000;
/** On a machine with very many processes, on which looking takes long, it is done less often. */
const maxShare = 0.1;
const maxPauseInMs = 3000;
/** A task that starts a new process each moment does not fill the memory. */
const maxKnown = 10_000;

interface Watched {
  readonly root: ProcessIdentity;
  readonly known: Map<string, ProcessIdentity>;
}

const watched = new Set<Watched>();
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Looks again and again at the processes of this machine, once for all that are watched, and only while some are. What
 * loses its parent is known by then, unless it did so between two looks.
 */
export function watchDescendants(root: ProcessIdentity): DescendantWatch {
  const own: Watched = { root, known: new Map([[keyOf(root), root]]) };
  watched.add(own);
  checkLater(checkEveryInMs);
  return {
    known: () => [...own.known.values()],
    stop: () => void watched.delete(own),
  };
}

function checkLater(delayInMs: number): void {
  // Windows keeps the parent of a process whose parent ended, and its list is dear.
  if (timer !== undefined || process.platform === 'win32') return;
  timer = setTimeout(() => {
    check()
      .catch(() => checkEveryInMs)
      .then(
        (nextInMs) => {
          timer = undefined;
          if (watched.size > 0) checkLater(nextInMs);
        },
        () => undefined,
      );
  }, delayInMs);
  timer.unref();
}

async function check(): Promise<number> {
  if (watched.size === 0) return checkEveryInMs;
  const startAt = performance.now();
  const all = await listProcesses();
  for (const each of watched) note(each, all);
  return Math.min(maxPauseInMs, Math.max(checkEveryInMs, (performance.now() - startAt) / maxShare));
}

function note({ root, known }: Watched, all: readonly ProcessEntry[]): void {
  const living = selectTree(all, [...known.values()]);
  const groups = new Set(living.flatMap((entry) => entry.groups));
  // One that ended is known by what is left of its group; without that its pid may soon be a stranger's.
  for (const [key, { pid }] of known) if (pid !== root.pid && !groups.has(pid)) known.delete(key);
  for (const { pid, startTime } of living)
    if (known.size < maxKnown) known.set(keyOf({ pid, startTime }), { pid, startTime });
}
