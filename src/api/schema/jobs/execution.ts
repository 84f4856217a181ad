import * as z from 'zod';
import { field, identifier, int32 } from '../field.ts';
import { newCluster } from './cluster.ts';
import { library } from './library.ts';
import { jobNotificationSettings, webhookNotifications } from './notifications.ts';
import { taskFields } from './tasks.ts';

/** The fields of what a run executes and where: those of a job without `tasks`, of a one-time run, and of an entry of `tasks`. */
export const executionFields = {
  existing_cluster_id: field(
    identifier().optional(),
    'Identifier of an existing cluster that is used for the whole run. It may need a manual restart if ' +
      'it stops responding; new clusters are suggested for reliability.',
    { refersTo: 'cluster' },
  ),
  new_cluster: field(newCluster.optional(), 'Description of a cluster that is created for each run.'),
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

/** When an unsuccessful run is retried. */
export const retryFields = {
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
};
