import * as z from 'zod';
import { field, firstNonAscii, int32, isAscii, text } from '../field.ts';

/** An e-mail address has at most 254 characters (RFC 5321), here ASCII only (Jobs API 2.0, JobEmailNotifications). */
const emailAddress = () =>
  z.string().superRefine((address, context) => {
    const refuse = (message: string, rule?: string): void =>
      context.addIssue({ code: 'custom', message, params: { rule } });
    if (address.length > 254) refuse('has more than 254 characters, which no e-mail address has');
    else if (!isAscii(address))
      refuse(`must hold ASCII characters only; ${firstNonAscii(address)} is not one`, 'asciiOnly');
    else if (!/^(?!-)[^\s@<>()[\]\\,;:"\0-\x1f\x7f]+@[^\s@<>()\\,;"\0-\x1f\x7f]+$/.test(address))
      refuse('must be an e-mail address, such as someone@example.com');
  });
const addresses = () => z.array(emailAddress()).optional();

/** Jobs API 2.0, JobEmailNotifications. */
export const jobEmailNotifications = z.looseObject({
  on_start: field(addresses(), 'E-mail addresses notified when a run starts. ASCII only.', { default: [] }),
  on_success: field(
    addresses(),
    'E-mail addresses notified on success: life-cycle state TERMINATED with a successful result state. ASCII only.',
    { default: [] },
  ),
  on_failure: field(
    addresses(),
    'E-mail addresses notified on unsuccessful completion: life-cycle state INTERNAL_ERROR, or result SKIPPED, FAILED or TIMED_OUT. ASCII only.',
    { default: [] },
  ),
  on_duration_warning_threshold_exceeded: field(
    addresses(),
    'E-mail addresses notified when the duration of a run exceeds the RUN_DURATION_SECONDS threshold of ' +
      '`health`; nothing is sent without such a rule. ASCII only.',
    { default: [] },
  ),
  no_alert_for_skipped_runs: field(
    z.boolean().optional(),
    'If true, no e-mail is sent to the on_failure recipients for skipped runs.',
    { default: false },
  ),
});

/** Jobs API 2.0, Webhook. */
const webhook = z.looseObject({
  id: field(text().min(1), 'Reference to a system notification destination.'),
});

const destinations = () =>
  z.array(webhook).max(3, { error: 'holds more than 3 destinations; at most 3 are allowed for each event' }).optional();

/** Jobs API 2.0, WebhookNotifications. */
export const webhookNotifications = z.looseObject({
  on_start: field(destinations(), 'Destinations called when a run starts. At most 3.', { default: [] }),
  on_success: field(destinations(), 'Destinations called when a run ends successfully. At most 3.', { default: [] }),
  on_failure: field(destinations(), 'Destinations called when a run fails. At most 3.', { default: [] }),
  on_duration_warning_threshold_exceeded: field(
    destinations(),
    'Destinations called when the duration of a run exceeds the RUN_DURATION_SECONDS threshold of `health`. At most 3.',
    { default: [] },
  ),
});

/** Jobs API 2.0, JobNotificationSettings. */
export const jobNotificationSettings = z.looseObject({
  no_alert_for_skipped_runs: field(
    z.boolean().optional(),
    'If true, nothing is sent to the on_failure recipients for skipped runs.',
    { default: false },
  ),
  no_alert_for_canceled_runs: field(
    z.boolean().optional(),
    'If true, nothing is sent to the on_failure recipients for cancelled runs.',
    { default: false },
  ),
  alert_on_last_attempt: field(
    z.boolean().optional(),
    'If true, nothing is sent to the on_start recipients for retried runs, and nothing to the on_failure recipients until the last retry.',
    { default: false },
  ),
});

/** The metric that the document defines. */
export const documentedMetric = 'RUN_DURATION_SECONDS';
/** The documented metric and those that real servers also accept. */
export const healthMetrics = [
  documentedMetric,
  'STREAMING_BACKLOG_BYTES',
  'STREAMING_BACKLOG_RECORDS',
  'STREAMING_BACKLOG_SECONDS',
  'STREAMING_BACKLOG_FILES',
] as const;

/** Jobs API 2.0, JobsHealthRules. */
const jobsHealthRule = z.looseObject({
  metric: field(
    z.enum(healthMetrics),
    'What is measured. Valid value: RUN_DURATION_SECONDS; the others are those of real servers.',
  ),
  operator: field(
    z.enum(['GREATER_THAN']).optional(),
    'How it is compared. Valid value: GREATER_THAN. Versions 2.1 and later call it `op`.',
  ),
  value: field(int32().min(0), 'Threshold of the rule.', { unit: 's' }),
});
export const jobsHealthRules = z.looseObject({
  rules: field(z.array(jobsHealthRule).optional(), 'The health rules of the job.'),
});
