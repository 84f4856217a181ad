import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';

type Work = (this: unknown, ...given: unknown[]) => Promise<unknown>;
type Steps = Record<string, Work>;

/**
 * What an action does to files, in order. Each step takes a while, so that one which is not waited for shows: what comes next is told as
 * `next while step`, and if nothing comes, it is told again as `step afterwards`.
 */
export async function fileSteps(action: () => Promise<unknown>): Promise<string[]> {
  const steps: string[] = [];
  const underWay: string[] = [];
  const slow = (name: string, original: Work): Work =>
    async function (...given) {
      steps.push(underWay.length === 0 ? name : `${name} while ${underWay.join(', ')}`);
      underWay.push(name);
      try {
        for (let turns = 0; turns < 3; turns += 1) await turn();
        const result = await original.apply(this, given);
        // Every file has a `close` of its own.
        if (name === 'open') (result as Steps)['close'] = slow('close', (result as Steps)['close'] as Work);
        return result;
      } finally {
        underWay.splice(underWay.indexOf(name), 1);
      }
    };
  const handle = await open(import.meta.filename);
  const ofFiles = fs.promises as unknown as Steps;
  const ofHandles = Object.getPrototypeOf(handle) as Steps;
  await handle.close();
  const usual = [
    [ofFiles, ['mkdir', 'open', 'rename', 'rm', 'utimes']],
    [ofHandles, ['appendFile', 'writeFile', 'sync', 'datasync']],
  ] as const;
  const restored = usual.flatMap(([of, names]) =>
    names.map((name) => {
      const original = of[name] as Work;
      of[name] = slow(name, original);
      return () => void (of[name] = original);
    }),
  );
  syncBuiltinESMExports();
  try {
    await action();
    steps.push(...underWay.map((name) => `${name} afterwards`));
    while (underWay.length > 0) await turn();
  } finally {
    for (const restore of restored) restore();
    syncBuiltinESMExports();
  }
  return steps;
}
