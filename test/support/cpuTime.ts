import { median } from './bench.ts';

/** CPU milliseconds of this process, all threads, that `action` takes. */
export async function cpuOf(action: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Median CPU milliseconds of each action, taken in turns, so that a busy machine disturbs all of them alike.
 * @param rounds how often each is taken
 */
export async function compareCpu<K extends string>(
  actions: Record<K, () => unknown>,
  rounds: number,
): Promise<Record<K, number>> {
  const names = Object.keys(actions) as K[];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -2; round < rounds; round++) {
    for (const name of names) {
      globalThis.gc?.();
      const time = await cpuOf(actions[name]);
      if (round >= 0) times.get(name)?.push(time);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as Record<K, number>;
}
