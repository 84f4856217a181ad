import { randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';

/** What tells whether the lists have changed: each stamp is another one once something in its list is. Never the same after a restart. */
interface Stamps {
  readonly jobs: string;
  readonly runs: string;
}

/** Counts what is stored anew, so that whoever shows the lists need not read them to find that they are as before. */
export interface Changes {
  readonly stamps: Stamps;
  /** A job or run was made, changed or removed. What is rolled back counts too: one look too many does no harm. */
  add(list: keyof Stamps): void;
  /** Resolves with the stamps as soon as one is not the known one, or when the time is up, or the caller gives up. */
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
      // In a later turn: by then the transaction is over, and all that it changed is told at once.
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
