import { describeError } from '../../shared/errors.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import { createAlarm } from '../base/alarm.ts';
import type { RunRecord } from '../store/runRecord.ts';
import type { ActiveRun, ActiveRuns } from './activeRuns.ts';
import type { Admission } from './admission.ts';
import type { Dispatcher } from './dispatcher.ts';
import { createRun, type RunCreationOptions } from './runCreation.ts';

/** Retries that wait until they are due. */
export interface RunRetries extends Disposable {
  /** Call it whenever a retry was stored. */
  check(): void;
  /** Drops the retry: the failed attempt is the last one. */
  drop(failed: RunRecord): void;
}

interface RunRetriesOptions extends RunCreationOptions {
  readonly admission: Admission;
  readonly logger: Logger;
  readonly active: ActiveRuns;
  readonly dispatcher: Dispatcher;
  readonly isClosing: () => boolean;
}

export function createRunRetries(options: RunRetriesOptions): RunRetries {
  const { store, clock, notifier, admission, logger, active, dispatcher, isClosing } = options;

  const alarm = createAlarm(
    clock,
    () => (isClosing() ? undefined : store.runs.earliestRetry()),
    startDue,
    (error) => logger.error(`A retry could not be started: ${describeError(error)}`),
  );

  function startDue(): void {
    for (const failed of store.runs.dueRetries(clock.now(), 100)) {
      if (admission.isFull()) {
        store.runs.update({ ...failed, retryAt: clock.now() + 1000 });
        continue;
      }
      const next = store.transaction(() => storeRetry(failed));
      if (next) {
        active.waiters.pass(failed.runId, next.record.runId);
        active.adopt(next);
      } else active.waiters.tell(failed.runId, { ...failed, retryAt: undefined });
    }
    notifier.wake();
    dispatcher.check();
  }

  /**
   * Stores the next attempt.
   * @returns nothing if the job or its settings are gone
   */
  function storeRetry(failed: RunRecord): ActiveRun | undefined {
    const plan = store.runParts.plan(failed.runId);
    store.runs.update({ ...failed, retryAt: undefined });
    const parent = failed.taskKey === undefined ? undefined : active.find(failed.parentRunId ?? '');
    const isWanted = failed.taskKey === undefined ? failed.jobId && store.jobs.get(failed.jobId) : parent;
    if (!plan || !isWanted || parent?.record.stopping) return undefined;
    return createRun(
      {
        jobId: failed.jobId,
        settings: plan.settings,
        parameters: plan.parameters,
        trigger: 'RETRY',
        parentRunId: failed.parentRunId,
        task: parent && { key: failed.taskKey ?? '', parent: parent.record, repairId: failed.repairId },
        originalRunId: failed.originalRunId ?? failed.runId,
        attemptNumber: failed.attemptNumber + 1,
      },
      options,
    );
  }

  return {
    check: alarm.check,
    drop(failed) {
      const final = { ...failed, retryAt: undefined };
      store.runs.update(final);
      active.waiters.tell(final.runId, final);
    },
    dispose: alarm.dispose,
  };
}
