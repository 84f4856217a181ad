import type { Clock } from '../../shared/clock.ts';
import { describeError } from '../../shared/errors.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import { createAlarm } from '../base/alarm.ts';
import type { Notifier } from '../engine/activeRuns.ts';
import type { EngineSettings, NotificationEvent } from '../engine/engineSettings.ts';
import type { RunRecord } from '../store/runRecord.ts';
import type { OutboxMessage, Store } from '../store/store.ts';
import { type Notice, noticeOfRun } from './notice.ts';

/** Delivers a message; rejects if it should be retried. */
export type Deliver = (message: OutboxMessage, notice: Notice) => Promise<void>;

export interface Outbox extends Notifier, Disposable {
  /** Resolves when the current deliveries are done. */
  idle(): Promise<void>;
}

const firstPauseInMs = 10_000;
const maxPauseInMs = 60 * 60 * 1000;
/** With the pauses above that is about nine hours; by then the news is old. */
const maxAttempts = 16;

/**
 * Stores notifications together with the change that they report, and delivers each at least once, across restarts and failures of the
 * receiver.
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
            `${what} could not be delivered in ${attempts} attempts and was dropped: ${describeError(error)}`,
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

interface NotificationRecipient {
  readonly kind: 'email' | 'webhook';
  /** The e-mail address, or the ID of the notification destination. */
  readonly target: string;
}

/** Returns the event for the end of a run (Jobs API 2.0, Events). */
export function eventOfEnd(run: RunRecord): 'on_success' | 'on_failure' {
  return run.lifeCycle === 'TERMINATED' && run.result === 'SUCCESS' ? 'on_success' : 'on_failure';
}

/**
 * Returns the recipients after the suppression rules: no_alert_for_skipped_runs of both structures, no_alert_for_canceled_runs, and
 * alert_on_last_attempt (Jobs API 2.0, Notification structures).
 *
 * @param willRetry whether another attempt follows
 */
export function recipientsOf(
  event: NotificationEvent,
  run: RunRecord,
  settings: EngineSettings,
  willRetry: boolean,
): NotificationRecipient[] {
  // Its job was deleted, which was reported, and nobody can open the run any more.
  if (run.hidden) return [];
  const { email_notifications: email, webhook_notifications: webhook, notification_settings: rules } = settings;
  if (rules?.alert_on_last_attempt === true) {
    if (event === 'on_start' && run.attemptNumber > 0) return [];
    if (event === 'on_failure' && willRetry) return [];
  }
  const isFailure = event === 'on_failure';
  if (isFailure && run.stopping === 'CANCELED' && rules?.no_alert_for_canceled_runs === true) return [];
  const isSkipped = isFailure && run.lifeCycle === 'SKIPPED';
  if (isSkipped && rules?.no_alert_for_skipped_runs === true) return [];
  const addresses = isSkipped && email?.no_alert_for_skipped_runs === true ? [] : (email?.[event] ?? []);
  return [
    ...[...new Set(addresses)].map((target) => ({ kind: 'email' as const, target })),
    ...[...new Set((webhook?.[event] ?? []).map(({ id }) => id))].map((target) => ({
      kind: 'webhook' as const,
      target,
    })),
  ];
}

/** Returns the recipients of a job's deletion: the addresses of its email_notifications (Jobs API 2.0, Endpoints rule 1). */
function recipientsOfDeletion({ email_notifications: email }: EngineSettings): NotificationRecipient[] {
  const addresses = [
    email?.on_start,
    email?.on_success,
    email?.on_failure,
    email?.on_duration_warning_threshold_exceeded,
  ].flatMap((list) => list ?? []);
  return [...new Set(addresses)].map((target) => ({ kind: 'email', target }));
}
