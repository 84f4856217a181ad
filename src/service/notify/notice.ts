import { stringifyJson } from '../../shared/json.ts';
import { runLink } from '../../shared/runLink.ts';
import type { EngineSettings, NotificationEvent } from '../engine/engineSettings.ts';
import type { RunRecord } from '../store/runRecord.ts';

/** The editor's profile for this service. */
const profileId = 'local';

/** Content of a notification, as it is stored until delivery. IDs are decimal strings. */
export interface Notice {
  readonly event: NotificationEvent | 'job_deleted';
  readonly jobId?: string;
  readonly jobName: string;
  readonly run?: {
    runId: string;
    taskKey?: string;
    numberInJob: number;
    attemptNumber: number;
    trigger: string;
    lifeCycle: string;
    result?: string;
    message: string;
    startTime: number;
    endTime: number;
  };
}

export function noticeOfRun(event: NotificationEvent, run: RunRecord, settings: EngineSettings): Notice {
  return {
    event,
    jobId: run.jobId,
    jobName: settings.name ?? run.runName,
    run: {
      runId: run.runId,
      taskKey: run.taskKey,
      numberInJob: run.numberInJob,
      attemptNumber: run.attemptNumber,
      trigger: run.trigger,
      lifeCycle: run.lifeCycle,
      result: run.result,
      message: run.message,
      startTime: run.createdAt,
      endTime: run.endedAt ?? 0,
    },
  };
}

const exact = (id: string | undefined): bigint | undefined => (id === undefined ? undefined : BigInt(id));

/** Builds the body of a webhook call: `{event_type, job: {job_id, name}, run: {run_id, …}}`. */
export function webhookBody(notice: Notice, pageUrl: (runId: string) => string): string {
  const { run } = notice;
  return stringifyJson({
    event_type: `jobs.${notice.event}`,
    job: { job_id: exact(notice.jobId), name: notice.jobName },
    run: run && {
      run_id: exact(run.runId),
      task_key: run.taskKey,
      number_in_job: run.numberInJob,
      attempt_number: run.attemptNumber,
      trigger: run.trigger,
      state: { life_cycle_state: run.lifeCycle, result_state: run.result, state_message: run.message },
      start_time: run.startTime,
      end_time: run.endTime,
      run_page_url: pageUrl(run.runId),
      editor_url: runLink({ profileId, runId: run.runId }),
    },
  });
}

const words: Record<Notice['event'], string> = {
  on_start: 'has started',
  on_success: 'succeeded',
  on_failure: 'did not succeed',
  on_duration_warning_threshold_exceeded: 'lasts longer than expected',
  job_deleted: 'was deleted',
};

/** Builds subject and text of an e-mail. */
export function emailText(notice: Notice, pageUrl: (runId: string) => string): { subject: string; text: string } {
  const { run } = notice;
  const job =
    notice.jobId === undefined ? `One-time run "${notice.jobName}"` : `Job "${notice.jobName}" (${notice.jobId})`;
  if (!run)
    return {
      subject: `${job} ${words[notice.event]}`,
      text: `${job} ${words[notice.event]}. Its runs can no longer be seen; active ones are being ended.\n`,
    };
  const state = run.result === undefined ? run.lifeCycle : `${run.lifeCycle}, ${run.result}`;
  const which = run.taskKey === undefined ? `run ${run.runId}` : `task ${run.taskKey} (run ${run.runId})`;
  const subject = `${job}: ${which} ${words[notice.event]}`;
  const lines = [
    `${subject}.`,
    '',
    `State:   ${state}`,
    ...(run.message === '' ? [] : [`Message: ${run.message}`]),
    `Attempt: ${run.attemptNumber}, triggered ${run.trigger}`,
    `Started: ${new Date(run.startTime).toISOString()}`,
    ...(run.endTime === 0 ? [] : [`Ended:   ${new Date(run.endTime).toISOString()}`]),
    '',
    pageUrl(run.runId),
    `In VS Code: ${runLink({ profileId, runId: run.runId })}`,
    '',
  ];
  return { subject, text: lines.join('\n') };
}
