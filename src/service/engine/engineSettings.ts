import type { ListedTaskKind, RunCondition } from '../../api/schema/jobs/schemas.ts';
import { parseJson } from '../../shared/json.ts';
import { requestWithoutNulls } from '../base/requestWithoutNulls.ts';
import type { RunnerClusterSpec, RunnerTask } from '../runners/runner.ts';
import { joinMembers, rawMembers } from '../store/rawJson.ts';

/** The part of JobSettings, or of a submitted run, that the engine acts on. It was validated when it was stored. */
export interface EngineSettings extends RunnerClusterSpec {
  readonly name?: string;
  readonly run_name?: string;
  readonly notebook_task?: RunnerTask['notebook_task'];
  readonly spark_jar_task?: RunnerTask['spark_jar_task'];
  readonly spark_python_task?: RunnerTask['spark_python_task'];
  readonly spark_submit_task?: RunnerTask['spark_submit_task'];
  readonly pipeline_task?: RunnerTask['pipeline_task'];
  readonly run_job_task?: { job_id: string | number | bigint; job_parameters?: Record<string, string> };
  readonly python_wheel_task?: RunnerTask['python_wheel_task'];
  readonly condition_task?: { op: string; left: string; right: string };
  readonly for_each_task?: { inputs: string; concurrency?: number; task: { task_key: string } };
  readonly tasks?: readonly ListedTask[];
  readonly parameters?: readonly { name: string; default?: string }[];
  readonly timeout_seconds?: number;
  readonly max_retries?: number;
  readonly min_retry_interval_millis?: number;
  readonly retry_on_timeout?: boolean;
  readonly max_concurrent_runs?: number;
  readonly schedule?: { quartz_cron_expression: string; timezone_id: string; pause_status?: string };
  readonly health?: { rules?: { metric: string; value: number }[] };
  readonly email_notifications?: Partial<Record<NotificationEvent, string[]>> & { no_alert_for_skipped_runs?: boolean };
  readonly webhook_notifications?: Partial<Record<NotificationEvent, { id: string }[]>>;
  readonly notification_settings?: {
    no_alert_for_skipped_runs?: boolean;
    no_alert_for_canceled_runs?: boolean;
    alert_on_last_attempt?: boolean;
  };
}

/** The part of an entry of `tasks` that decides about its place in the graph. */
export interface ListedTask extends Pick<EngineSettings, ListedTaskKind> {
  readonly task_key: string;
  readonly depends_on?: readonly { task_key: string; outcome?: string }[];
  readonly run_if?: RunCondition;
}

/** The event lists of both kinds of notification (Jobs API 2.0, Events). */
export type NotificationEvent = 'on_start' | 'on_success' | 'on_failure' | 'on_duration_warning_threshold_exceeded';

/** Returns whether the task can run under the debugger: a Python file or a notebook. */
export function isDebuggable(settings: Pick<EngineSettings, 'spark_python_task' | 'notebook_task'>): boolean {
  return Boolean(settings.spark_python_task ?? settings.notebook_task);
}

/** Parses stored settings. */
export function parseSettings(text: string): EngineSettings {
  return requestWithoutNulls(parseJson(text)) as EngineSettings;
}

/** Returns the settings, as JSON text, with another time-out. */
export function withTimeout(settings: string, timeoutInSeconds: number | undefined): string {
  const members = rawMembers(settings);
  members.set('timeout_seconds', String(timeoutInSeconds ?? 0));
  return joinMembers(members);
}

/** Returns the threshold of the RUN_DURATION_SECONDS rule in milliseconds, the smallest if there are several. */
export function durationWarningInMs(settings: EngineSettings): number | undefined {
  const values = (settings.health?.rules ?? [])
    .filter((rule) => rule.metric === 'RUN_DURATION_SECONDS')
    .map((rule) => rule.value * 1000);
  return values.length > 0 ? Math.min(...values) : undefined;
}
