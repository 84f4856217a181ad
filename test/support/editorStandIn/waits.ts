import { settle } from '../fakeClock.ts';

/** Holds what a function of the editor does until it is let go on. @returns whether the work is done before and after */
export async function waits(target: object, name: string, run: () => Promise<unknown>): Promise<boolean[]> {
  const real = (target as Record<string, (...args: unknown[]) => unknown>)[name];
  const { promise, resolve } = Promise.withResolvers<void>();
  Object.assign(target, {
    [name]: async (...args: unknown[]) => {
      await promise;
      return real?.apply(target, args);
    },
  });
  try {
    let done = false;
    const work = run().then(() => (done = true));
    await settle();
    const early = done;
    resolve();
    await work;
    return [early, done];
  } finally {
    Object.assign(target, { [name]: real });
  }
}
