import type { Clock } from '../../shared/clock.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import { isProcessAlive } from '../../shared/node/isProcessAlive.ts';

/** How often the service checks whether anybody still needs it. */
const sweepEveryInMs = 5000;

/** Knows who uses the service, so that it can leave when nobody does. */
export interface UsageWatch extends Disposable {
  /** A window, by the process that it lives in. */
  attach(pid: number): void;
  leave(pid: number): void;
  /** How many windows live that have not left. */
  readonly windowCount: number;
  /** Any request counts as use. */
  seen(): void;
}

export interface UsageWatchOptions {
  readonly clock: Clock;
  /** How long nobody has to have asked anything; undefined: the service stays until it is stopped. */
  readonly idleInMs: number | undefined;
  /** Whether there is work that goes on without anybody. */
  readonly isBusy: () => boolean;
  /** Whether what the service serves was removed under it: then it has nothing to wait for. */
  readonly isGone?: () => boolean;
  readonly onIdle: () => void;
  readonly isAlive?: (pid: number) => boolean;
}

export function createUsageWatch(options: UsageWatchOptions): UsageWatch {
  const { clock, idleInMs = Infinity, isAlive = isProcessAlive } = options;
  const windows = new Set<number>();
  let hadWindows = false;
  let lastSeenAt = clock.now();
  let cancel: (() => void) | undefined;

  function sweep(): void {
    for (const pid of windows) if (!isAlive(pid)) windows.delete(pid);
    const everyoneLeft = hadWindows && windows.size === 0;
    // The last window's own last requests may still be coming in.
    const quietInMs = everyoneLeft ? sweepEveryInMs : idleInMs;
    if (options.isGone?.() || (clock.now() - lastSeenAt >= quietInMs && !options.isBusy())) options.onIdle();
    else arm();
  }

  function arm(): void {
    cancel = clock.schedule(sweepEveryInMs, sweep);
  }

  if (options.idleInMs !== undefined) arm();

  return {
    attach(pid) {
      windows.add(pid);
      hadWindows = true;
    },
    leave: (pid) => void windows.delete(pid),
    get windowCount() {
      return [...windows].filter(isAlive).length;
    },
    seen() {
      lastSeenAt = clock.now();
    },
    dispose: () => cancel?.(),
  };
}
