import { describeError } from '../../shared/errors.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import type { ActiveRun } from './activeRun.ts';
import { createAlarm } from './alarm.ts';
import { createRun, type RunCreationOptions } from './runCreation.ts';
import type { RunRecord } from './runRecord.ts';
import type { RunWaiters } from './runWaiters.ts';
import { limits } from './workspaceLimits.ts';

/** The retries that wait for their moment. */
export interface RunRetries extends Disposable {
  /** To be called whenever a retry was stored. */
  check(): void;
  /** The attempt that failed stays the last. */
  drop(failed: RunRecord): void;
}

export interface RunRetriesOptions {
  creation: RunCreationOptions;
  waiters: RunWaiters;
  logger: Logger;
  /** Takes a retry that was stored into its care. */
  adopt: (run: ActiveRun) => void;
  onDidStart: () => void;
  isClosing: () => boolean;
}

export function createRunRetries(options: RunRetriesOptions): RunRetries {
  const { creation, waiters, logger } = options;
  const { store, clock } = creation;

  const alarm = createAlarm(
    clock,
    () => (options.isClosing() ? undefined : store.runs.earliestRetry()),
    startDue,
    (error) => logger.error(`A retry could not be started: ${describeError(error)}`),
  );

  function startDue(): void {
    for (const failed of store.runs.dueRetries(clock.now(), 100)) {
      if (creation.activeCount() >= limits.activeRuns) {
        store.runs.update({ ...failed, retryAt: clock.now() + 1000 });
        continue;
      }
      const next = store.transaction(() => storeRetry(failed));
      if (next) {
        waiters.pass(failed.runId, next.record.runId);
        options.adopt(next);
      } else waiters.tell(failed.runId, { ...failed, retryAt: undefined });
    }
    options.onDidStart();
  }

  /** @returns nothing if the job is gone, or what it ran with */
  function storeRetry(failed: RunRecord): ActiveRun | undefined {
    const plan = store.runs.plan(failed.runId);
    store.runs.update({ ...failed, retryAt: undefined });
    if (!plan || failed.jobId === undefined || !store.jobs.get(failed.jobId)) return undefined;
    return createRun(
      {
        jobId: failed.jobId,
        settings: plan.settings,
        parameters: plan.parameters,
        trigger: 'RETRY',
        parentRunId: failed.parentRunId,
        originalRunId: failed.originalRunId ?? failed.runId,
        attemptNumber: failed.attemptNumber + 1,
      },
      creation,
    );
  }

  return {
    check: alarm.check,
    drop(failed) {
      const final = { ...failed, retryAt: undefined };
      store.runs.update(final);
      waiters.tell(final.runId, final);
    },
    dispose: alarm.dispose,
  };
}
