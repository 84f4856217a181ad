import type { Event } from '../shared/event.ts';

/** Starts, or attaches to, the local service of this machine. */
export interface LocalServiceLauncher {
  /** Resolves when the service answers; a service that runs already is used. @throws AppError that says what to do */
  start(options?: { signal?: AbortSignal }): Promise<{ url: string; token: string }>;
  /** Whether it runs or has anything stored: a service that was never used has nothing to show, so looking starts none. */
  isUsed(): boolean;
  /**
   * Whether the user has stopped it, here or in another window, and nobody has called `start` since. What only looks
   * leaves it so.
   */
  isStopped(): boolean;
  /** Fires when the service that `start` told of is gone. */
  readonly onDidExit: Event<unknown>;
  stop(): Promise<void>;
}
