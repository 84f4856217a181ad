import * as z from 'zod';
import { field, int32, oneOf, text } from '../field.ts';
import { executionFields, retryFields } from './execution.ts';
import { jobEmailNotifications, jobsHealthRules } from './notifications.ts';
import { refineJobSettings, refineSubmit } from './rules.ts';
import { listFields } from './taskList.ts';

const formats = ['SINGLE_TASK', 'MULTI_TASK'] as const;

/** Jobs API 2.1, QueueSettings. */
const queue = z.looseObject({
  enabled: field(z.boolean(), 'Whether runs wait instead of being skipped.'),
});

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

/** The fields of JobSettings in the document's order, then those of version 2.1, without the rules between them. */
export const jobSettingsFields = {
  name: field(text().optional(), 'Name of the job. At most 4,096 characters.', { default: 'Untitled' }),
  ...executionFields,
  email_notifications: field(
    jobEmailNotifications.optional(),
    'E-mail addresses notified when runs start, end, fail or last too long and when the job is deleted.',
    { default: 'no e-mail is sent' },
  ),
  ...retryFields,
  schedule: field(cronSchedule.optional(), 'Periodic schedule.', { default: 'the job runs only when it is started' }),
  max_concurrent_runs: field(
    int32().min(0).max(1000, { error: 'must not exceed 1000' }).optional(),
    'Maximum number of concurrent runs. 0 makes every new run skipped. Affects only new runs.',
    { default: 1 },
  ),
  health: field(jobsHealthRules.optional(), 'Health rules.'),
  description: field(z.string().optional(), 'Description of the job. Version 2.1.'),
  ...listFields,
  format: field(
    oneOf(formats).optional(),
    'Whether the settings have `tasks` (MULTI_TASK) or one task of their own (SINGLE_TASK). Follows from the settings. Version 2.1.',
  ),
  queue: field(queue.optional(), 'Whether runs wait when the job has its maximum number of active runs. Version 2.1.'),
  tags: field(
    z.record(text(), z.string()).optional(),
    'Tags of the job, passed on to the clusters of its runs. Version 2.1.',
  ),
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
  ...executionFields,
  ...listFields,
};
export { refineSubmit };
