import type { EngineSettings, NotificationEvent } from '../engine/engineSettings.ts';
import type { RunRecord } from '../store/runRecord.ts';

export interface NotificationRecipient {
  readonly kind: 'email' | 'webhook';
  /** The e-mail address, or the id of the notification destination. */
  readonly target: string;
}

/** Which event the end of a run is (Jobs API 2.0, Events). */
export function eventOfEnd(run: RunRecord): 'on_success' | 'on_failure' {
  return run.lifeCycle === 'TERMINATED' && run.result === 'SUCCESS' ? 'on_success' : 'on_failure';
}

/**
 * The recipients that are left by the suppression rules: no_alert_for_skipped_runs of both structures, no_alert_for_canceled_runs,
 * and alert_on_last_attempt (Jobs API 2.0, Notification structures).
 *
 * @param willRetry whether another attempt follows
 */
export function recipientsOf(
  event: NotificationEvent,
  run: RunRecord,
  settings: EngineSettings,
  willRetry: boolean,
): NotificationRecipient[] {
  // Its job was deleted, which was told; nobody can look at the run any more.
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

/** Jobs API 2.0, Endpoints rule 1: deleting a job tells the addresses of its email_notifications. */
export function recipientsOfDeletion({ email_notifications: email }: EngineSettings): NotificationRecipient[] {
  const addresses = [
    email?.on_start,
    email?.on_success,
    email?.on_failure,
    email?.on_duration_warning_threshold_exceeded,
  ].flatMap((list) => list ?? []);
  return [...new Set(addresses)].map((target) => ({ kind: 'email', target }));
}
