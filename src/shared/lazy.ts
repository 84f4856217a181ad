/** A value that is created at its first use and then kept. */
export interface Lazy<T> {
  /** Returns the value. Concurrent calls share one start. A failed start is forgotten, so that the next call tries again. */
  (): Promise<T>;
  /** The pending or successful start; `undefined` before the first use. Starts nothing. */
  readonly begun: Promise<T> | undefined;
}

/**
 * Defers something heavy until it is needed: a chunk of code, a connection, a file.
 * @param start creates it; it may throw or reject
 */
export function lazy<T>(start: () => T | Promise<T>): Lazy<T> {
  let begun: Promise<T> | undefined;
  const get = (): Promise<T> => {
    if (begun) return begun;
    const attempt: Promise<T> = (async () => start())();
    begun = attempt;
    attempt.catch(() => {
      if (begun === attempt) begun = undefined;
    });
    return attempt;
  };
  return Object.defineProperty(get, 'begun', { get: () => begun }) as Lazy<T>;
}
