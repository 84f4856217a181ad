/** Something that is made at its first use and then kept. */
export interface Lazy<T> {
  /** What was made; calls at the same time share one start. A start that fails is forgotten, so that the next call tries again. */
  (): Promise<T>;
  /** What was begun and has not failed; undefined before the first use. Starts nothing. */
  readonly begun: Promise<T> | undefined;
}

/**
 * Puts off what is heavy until it is needed: a chunk of code, a connection, a file.
 * @param start makes it; it may throw or reject
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
