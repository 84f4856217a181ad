import type { Event } from '../shared/event.ts';

/** Starts, or attaches to, the local service of this machine. */
export interface LocalServiceLauncher {
  /**
   * Starts the service, or uses one that is already running, and resolves when it responds.
   * @throws AppError with the remedy
   */
  start(options?: { signal?: AbortSignal }): Promise<{ url: string; token: string }>;
  /**
   * Returns whether the service is running or has stored data. An unused service has nothing to show, so merely viewing it does not start
   * it.
   */
  isUsed(): boolean;
  /** Returns whether the user stopped the service, in any window, and `start` was not called since. Background reads do not restart it. */
  isStopped(): boolean;
  /** Fires when the service returned by `start` has exited. */
  readonly onDidExit: Event<unknown>;
  stop(): Promise<void>;
}
