import { parseJson } from '../../shared/json.ts';
import { requestWithoutNulls } from '../base/requestWithoutNulls.ts';
import type { RunnerClusterSpec, RunnerTask } from '../runners/runner.ts';
import { joinMembers, rawMembers } from '../store/rawJson.ts';

/** The part of JobSettings, or of a submitted run, that the engine acts on. It was checked when it was stored. */
export interface EngineSettings extends RunnerClusterSpec {
  name?: string;
  run_name?: string;
  notebook_task?: RunnerTask['notebook_task'];
  spark_jar_task?: RunnerTask['spark_jar_task'];
  spark_python_task?: RunnerTask['spark_python_task'];
  spark_submit_task?: RunnerTask['spark_submit_task'];
  pipeline_task?: RunnerTask['pipeline_task'];
  run_job_task?: { job_id: string | number | bigint };
  timeout_seconds?: number;
  max_retries?: number;
  min_retry_interval_millis?: number;
  retry_on_timeout?: boolean;
  max_concurrent_runs?: number;
  schedule?: { quartz_cron_expression: string; timezone_id: string; pause_status?: string };
  health?: { rules?: { metric: string; operator: string; value: number }[] };
  email_notifications?: Partial<Record<NotificationEvent, string[]>> & { no_alert_for_skipped_runs?: boolean };
  webhook_notifications?: Partial<Record<NotificationEvent, { id: string }[]>>;
  notification_settings?: {
    no_alert_for_skipped_runs?: boolean;
    no_alert_for_canceled_runs?: boolean;
    alert_on_last_attempt?: boolean;
  };
}

/** The event lists of both kinds of notification (Jobs API 2.0, Events). */
export type NotificationEvent = 'on_start' | 'on_success' | 'on_failure' | 'on_duration_warning_threshold_exceeded';

/** Stored settings as values. */
export function parseSettings(text: string): EngineSettings {
  return requestWithoutNulls(parseJson(text)) as EngineSettings;
}

/** The settings, as JSON text, with another time-out. */
export function withTimeout(settings: string, timeoutInSeconds: number | undefined): string {
  const members = rawMembers(settings);
  members.set('timeout_seconds', String(timeoutInSeconds ?? 0));
  return joinMembers(members);
}

/** The threshold of the RUN_DURATION_SECONDS rule, in milliseconds; the smallest if there are several. */
export function durationWarningInMs(settings: EngineSettings): number | undefined {
  const values = (settings.health?.rules ?? [])
    .filter((rule) => rule.metric === 'RUN_DURATION_SECONDS')
    .map((rule) => rule.value * 1000);
  return values.length > 0 ? Math.min(...values) : undefined;
}
