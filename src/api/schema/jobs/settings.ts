import * as z from 'zod';
import { field, int32, oneOf, text } from '../field.ts';
import { newCluster } from './cluster.ts';
import { library } from './library.ts';
import {
  jobEmailNotifications,
  jobNotificationSettings,
  jobsHealthRules,
  webhookNotifications,
} from './notifications.ts';
import { refineJobSettings, refineSubmit } from './rules.ts';
import { taskFields } from './tasks.ts';

const pauseStatuses = ['PAUSED', 'UNPAUSED'] as const;

/** Jobs API 2.0, CronSchedule. */
const cronSchedule = z.looseObject({
  quartz_cron_expression: field(
    text().min(1),
    'When the job runs, as a Quartz cron expression: seconds, minutes, hours, day of month, month, day ' +
      'of week and, if wanted, year. `0 30 2 ? * MON-FRI` is 02:30 on working days. At most 4,096 ' +
      'characters.',
    { refersTo: 'cron' },
  ),
  timezone_id: field(text().min(1), 'Time zone in which the schedule is resolved, such as `Europe/Berlin` or `UTC`.', {
    refersTo: 'timezone',
  }),
  pause_status: field(oneOf(pauseStatuses).optional(), 'Whether the schedule is paused.', { default: 'UNPAUSED' }),
});

const clusterFields = {
  existing_cluster_id: field(
    text().min(1).optional(),
    'Identifier of an existing cluster that is used for the whole run. It may need a manual restart if ' +
      'it stops responding; new clusters are suggested for reliability.',
    { refersTo: 'cluster' },
  ),
  new_cluster: field(newCluster.optional(), 'Description of a cluster that is created for each run.'),
};

const sharedFields = {
  ...clusterFields,
  ...taskFields,
  libraries: field(z.array(library).optional(), 'Libraries installed on the cluster.', { default: [] }),
  webhook_notifications: field(
    webhookNotifications.optional(),
    'System destinations notified when runs start, end, fail or last too long.',
  ),
  notification_settings: field(
    jobNotificationSettings.optional(),
    'Settings that apply to both `email_notifications` and `webhook_notifications`.',
  ),
  timeout_seconds: field(int32().min(0).optional(), 'Time-out for each run; 0 means none.', {
    default: 'no time-out',
    unit: 's',
  }),
};

/** The fields of JobSettings in the document's order, without the rules between them. */
export const jobSettingsFields = {
  name: field(text().optional(), 'Name of the job. At most 4,096 characters.', { default: 'Untitled' }),
  ...sharedFields,
  email_notifications: field(
    jobEmailNotifications.optional(),
    'E-mail addresses notified when runs start, end, fail or last too long and when the job is deleted.',
    { default: 'no e-mail is sent' },
  ),
  max_retries: field(
    int32().min(-1, { error: 'must be -1 (retry indefinitely), 0 (never) or the number of retries' }).optional(),
    'Maximum retries of an unsuccessful run (result FAILED, or life-cycle state INTERNAL_ERROR). -1 retries indefinitely, 0 never.',
    { default: 'never' },
  ),
  min_retry_interval_millis: field(
    int32().min(0).optional(),
    'Minimum interval between the start of the failed run and the start of the retry.',
    { default: 'immediate retry', unit: 'ms' },
  ),
  retry_on_timeout: field(z.boolean().optional(), 'Whether a run is retried after a time-out.', { default: false }),
  schedule: field(cronSchedule.optional(), 'Periodic schedule.', { default: 'the job runs only when it is started' }),
  max_concurrent_runs: field(
    int32().min(0).max(1000, { error: 'must not exceed 1000' }).optional(),
    'Maximum number of concurrent runs. 0 makes every new run skipped. Affects only new runs.',
    { default: 1 },
  ),
  health: field(jobsHealthRules.optional(), 'Health rules.'),
};

/** Shape without the rules between fields, which `jobSettings` adds. */
export const jobSettingsShape = z.looseObject(jobSettingsFields);

/** Jobs API 2.0, JobSettings: the body of create and `new_settings` of reset, with every rule of the document. */
export const jobSettings = jobSettingsShape.check(refineJobSettings);
export type JobSettings = z.output<typeof jobSettings>;

/** `new_settings` of update: a part of JobSettings, so the server checks the rules that need the whole. */
export const partialJobSettings = jobSettingsShape;

/** The settings of a one-time run (Jobs API 2.0, runs/submit), without the idempotency token. */
export const submitFields = {
  run_name: field(z.string().optional(), 'Name of the run. At most 4096 bytes in UTF-8.', { default: 'Untitled' }),
  ...sharedFields,
};
export { refineSubmit };
