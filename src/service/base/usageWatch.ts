import type { Clock } from '../../shared/clock.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import { isProcessAlive } from '../../shared/node/isProcessAlive.ts';

/** How often the service checks whether it is still needed, unless it may be idle for less. */
const sweepEveryInMs = 5000;

/** Tracks who uses the service, so that it can exit when nobody does. */
export interface UsageWatch extends Disposable {
  /** Registers a window by its process. */
  attach(pid: number): void;
  leave(pid: number): void;
  /** Number of registered windows that are still alive. */
  readonly windowCount: number;
  /** Records a request. Every request counts as use. */
  seen(): void;
}

export interface UsageWatchOptions {
  readonly clock: Clock;
  /** How long the service must be unused before it exits. `undefined`: it runs until it is stopped. */
  readonly idleInMs: number | undefined;
  /** Whether there is work that continues without a user. */
  readonly isBusy: () => boolean;
  /** Whether the served folder was removed, so that there is nothing to wait for. */
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
    // The last window's final requests may still arrive.
    const quietInMs = everyoneLeft ? sweepEveryInMs : idleInMs;
    if (options.isGone?.() || (clock.now() - lastSeenAt >= quietInMs && !options.isBusy())) options.onIdle();
    else arm();
  }

  function arm(): void {
    cancel = clock.schedule(Math.max(250, Math.min(sweepEveryInMs, idleInMs)), sweep);
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
