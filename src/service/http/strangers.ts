import type { Socket } from 'node:net';

/** How long and how many connections may be open that have shown no token. */
export interface StrangerLimits {
  readonly maxCount: number;
  readonly timeoutInMs: number;
}

/** Those who connected and have not shown yet that they may call. */
export interface Strangers {
  /** A connection that came in. */
  add(socket: Socket): void;
  /** The connection carried a request that may be answered: it is a stranger no more. */
  welcome(socket: Socket): void;
  dispose(): void;
}

/**
 * Bounds what connections may take that have shown no token: each has little time for it, and if there are too many
 * the oldest goes. So nobody who only holds connections open keeps those out who may call.
 */
export function createStrangers(limits: StrangerLimits): Strangers {
  // In the order in which they came; a socket of TLS and the one below it have the same address.
  const waiting = new Map<string, { socket: Socket; until: number }>();
  const timer = setInterval(
    () => {
      const now = performance.now();
      for (const { socket, until } of waiting.values()) {
        if (until > now) break;
        socket.destroy();
      }
    },
    Math.min(1000, limits.timeoutInMs),
  );
  timer.unref();

  return {
    add(socket) {
      const address = addressOf(socket);
      waiting.set(address, { socket, until: performance.now() + limits.timeoutInMs });
      socket.once('close', () => waiting.delete(address));
      const [oldest] = waiting;
      if (oldest === undefined || waiting.size <= limits.maxCount) return;
      const [oldestAddress, stranger] = oldest;
      waiting.delete(oldestAddress);
      stranger.socket.destroy();
    },
    welcome: (socket) => void waiting.delete(addressOf(socket)),
    dispose: () => clearInterval(timer),
  };
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}
