import { randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';

/** Stamps that change whenever something in their list does. They never repeat after a restart. */
interface Stamps {
  readonly jobs: string;
  readonly runs: string;
}

/** Counts changes in the store, so that clients need not read lists to find them unchanged. */
export interface Changes {
  readonly stamps: Stamps;
  /** Records that a job or run was created, changed or removed. A rolled-back change counts too: an extra read does no harm. */
  add(list: keyof Stamps): void;
  /** Resolves with the stamps as soon as one differs from the known one, or when the time is up, or the caller gives up. */
  wait(known: Stamps, limit: { clock: Clock; durationInMs: number; signal: AbortSignal }): Promise<Stamps>;
}

export function createChanges(): Changes {
  const start = randomBytes(6).toString('base64url');
  const counts = { jobs: 0, runs: 0 };
  const waiters = new Set<() => void>();
  let isTelling = false;
  const stamps = (): Stamps => ({ jobs: `${start}-${counts.jobs}`, runs: `${start}-${counts.runs}` });

  return {
    get stamps() {
      return stamps();
    },
    add(list) {
      counts[list] += 1;
      if (isTelling || waiters.size === 0) return;
      isTelling = true;
      // In a later turn: by then the transaction has ended, and all its changes are reported at once.
      setImmediate(() => {
        isTelling = false;
        for (const tell of [...waiters]) tell();
      });
    },
    wait(known, { clock, durationInMs, signal }) {
      const now = stamps();
      if (known.jobs !== now.jobs || known.runs !== now.runs || signal.aborted) return Promise.resolve(now);
      return new Promise((resolve) => {
        const done = (): void => {
          waiters.delete(done);
          cancel();
          signal.removeEventListener('abort', done);
          resolve(stamps());
        };
        const cancel = clock.schedule(durationInMs, done);
        signal.addEventListener('abort', done, { once: true });
        waiters.add(done);
      });
    },
  };
}
