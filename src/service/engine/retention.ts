import type { Clock } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import type { Store } from '../store/store.ts';
import { limits } from './admission.ts';
import { removeRunFolder } from './runStart.ts';

const sweepEveryInMs = 60 * 60 * 1000;
/** Small, so that no request waits long. */
const batch = 200;

/** Removes runs and their files 60 days after their end (Jobs API 2.0, States and transitions, rule 4). */
export function startRetention(options: {
  store: Store;
  clock: Clock;
  logger: Logger;
  dataFolder: string;
}): Disposable {
  const { store, clock, logger, dataFolder } = options;
  let cancel = clock.schedule(1000, sweep);

  function sweep(): void {
    let hasMore = false;
    try {
      const runIds = store.runs.endedBefore(clock.now() - limits.retentionInMs, batch);
      hasMore = runIds.length === batch;
      const deleted = store.transaction(() => {
        store.creations.forgetBefore(clock.now() - 60 * 60 * 1000);
        return runIds.flatMap((runId) => store.runs.delete(runId));
      });
      for (const runId of deleted) removeRunFolder(dataFolder, runId, logger);
    } catch (error) {
      logger.error(`Old runs could not be removed: ${describeError(error)}`);
    }
    cancel = clock.schedule(hasMore ? 50 : sweepEveryInMs, sweep);
  }

  return { dispose: () => cancel() };
}
