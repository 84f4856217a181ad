import type { Clock } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import { createAlarm } from '../base/alarm.ts';
import type { Notifier } from '../engine/notifier.ts';
import type { OutboxMessage } from '../store/outboxStore.ts';
import type { Store } from '../store/store.ts';
import { noticeOfRun, type Notice } from './notice.ts';
import { eventOfEnd, recipientsOf, recipientsOfDeletion, type NotificationRecipient } from './recipients.ts';

/** Delivers one message; rejects if it should be tried again. */
export type Deliver = (message: OutboxMessage, notice: Notice) => Promise<void>;

export interface Outbox extends Notifier, Disposable {
  /** Resolves when what is being delivered now is. */
  idle(): Promise<void>;
}

const firstPauseInMs = 10_000;
const maxPauseInMs = 60 * 60 * 1000;
/** With the pauses above that is about nine hours; by then the news is old. */
const maxAttempts = 16;

/**
 * Stores notifications with the change they tell of and delivers each at least once, over restarts and failures of the
 * receiving side.
 */
export function createOutbox(options: { store: Store; clock: Clock; logger: Logger; deliver: Deliver }): Outbox {
  const { store, clock, logger, deliver } = options;
  let current: Promise<void> = Promise.resolve();
  let isDisposed = false;
  const alarm = createAlarm(
    clock,
    () => store.outbox.earliest(),
    () => (current = deliverDue()),
    (error) => logger.error(`A notification could not be handled: ${describeError(error)}`),
  );

  function insert(recipients: readonly NotificationRecipient[], notice: Notice): void {
    const payload = JSON.stringify(notice);
    for (const { kind, target } of recipients) store.outbox.insert({ kind, target, payload, createdAt: clock.now() });
  }

  async function deliverDue(): Promise<void> {
    for (const message of store.outbox.due(clock.now(), 20)) {
      if (isDisposed) return;
      try {
        await deliver(message, JSON.parse(message.payload) as Notice);
        store.outbox.delete(message.messageId);
      } catch (error) {
        const attempts = message.attempts + 1;
        const what = message.kind === 'email' ? 'An e-mail' : `A message to the destination ${message.target}`;
        if (attempts >= maxAttempts) {
          logger.error(
            `${what} could not be delivered in ${attempts} attempts and is given up: ${describeError(error)}`,
          );
          store.outbox.delete(message.messageId);
          continue;
        }
        const pauseInMs = Math.min(maxPauseInMs, firstPauseInMs * 2 ** (attempts - 1));
        logger.warn(`${what} could not be delivered, trying again in ${pauseInMs / 1000} s: ${describeError(error)}`);
        store.outbox.postpone(message.messageId, attempts, clock.now() + pauseInMs);
      }
    }
  }

  return {
    started: (run, settings) =>
      insert(recipientsOf('on_start', run, settings, false), noticeOfRun('on_start', run, settings)),
    over(run, settings, willRetry) {
      const event = eventOfEnd(run);
      insert(recipientsOf(event, run, settings, willRetry), noticeOfRun(event, run, settings));
    },
    lastsLong(run, settings) {
      const event = 'on_duration_warning_threshold_exceeded';
      insert(recipientsOf(event, run, settings, false), noticeOfRun(event, run, settings));
    },
    jobDeleted(jobId, settings) {
      insert(recipientsOfDeletion(settings), { event: 'job_deleted', jobId, jobName: settings.name ?? 'Untitled' });
    },
    wake: alarm.check,
    idle: () => current.catch(() => undefined),
    dispose() {
      isDisposed = true;
      alarm.dispose();
    },
  };
}
