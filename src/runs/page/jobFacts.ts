import type { Job } from '../../api/schema/jobs/schemas.ts';
import { parameterKindOfTask, taskKindOf } from '../../api/schema/jobs/taskKinds.ts';
import type { Fields } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { formatDuration } from '../../shared/text.ts';
import { formatTime } from '../timeTexts.ts';
import type { PageFact, PageLink } from './pageProtocol.ts';
import { clusterWords, fact, librariesOf, scheduleWords, taskInWords, plainLinks } from './runFacts.ts';

type Settings = NonNullable<Job['settings']>;

/**
 * Describes a job's settings in words, without those that are not set.
 * @param place place of the task's file in the workspace, if it is there
 */
export function jobFacts(job: Job, place: PageLink['place'], nowMs: number): PageFact[] {
  const settings = job.settings ?? ({} as Settings);
  const task = taskInWords(settings);
  return [
    fact(l10n.t('Schedule'), plainLinks(scheduleInWords(settings))),
    fact(
      l10n.t('Task'),
      task === undefined
        ? undefined
        : [{ label: [task, parameterWords(settings)].filter(Boolean).join(' '), ...(place ? { place } : {}) }],
    ),
    fact(l10n.t('Cluster'), plainLinks(clusterWords(settings))),
    fact(l10n.t('Libraries'), librariesOf(settings)),
    fact(l10n.t('Retries'), plainLinks(retryWords(settings))),
    fact(
      l10n.t('Time limit'),
      plainLinks(settings.timeout_seconds ? formatDuration(settings.timeout_seconds * 1000) : undefined),
    ),
    fact(l10n.t('At the same time'), plainLinks(atOnceWords(settings))),
    fact(l10n.t('Mail'), plainLinks(mailWords(settings))),
    fact(l10n.t('Webhooks'), plainLinks(webhookWords(settings))),
    fact(l10n.t('Creator'), plainLinks(job.creator_user_name)),
    fact(l10n.t('Created'), plainLinks(job.created_time ? formatTime(job.created_time, nowMs) : undefined)),
    { name: l10n.t('Job ID'), values: [{ label: job.job_id }], copies: job.job_id },
  ].filter((each) => each !== undefined);
}

/** Returns the file that the task executes, as the settings name it. */
export function taskFileOf(job: Job): string | undefined {
  const kind = taskKindOf(job.settings);
  const task = (kind === undefined ? {} : ((job.settings as Fields)[kind] ?? {})) as Fields;
  const file = kind === 'notebook_task' ? task['notebook_path'] : task['python_file'];
  return typeof file === 'string' && file !== '' ? file : undefined;
}

function scheduleInWords({ schedule }: Settings): string | undefined {
  const words = scheduleWords(schedule);
  return words !== undefined && schedule?.pause_status === 'PAUSED' ? l10n.t('{0} (paused)', words) : words;
}

function parameterWords(settings: Settings): string {
  const kind = taskKindOf(settings);
  if (kind === undefined || !parameterKindOfTask[kind]) return '';
  const task = ((settings as Fields)[kind] ?? {}) as Fields;
  const given = kind === 'notebook_task' ? task['base_parameters'] : task['parameters'];
  const count = Array.isArray(given)
    ? given.length
    : typeof given === 'object' && given
      ? Object.keys(given).length
      : 0;
  if (count === 0) return '';
  return count === 1 ? l10n.t('with 1 parameter') : l10n.t('with {0} parameters', count);
}

function retryWords(settings: Settings): string | undefined {
  const { max_retries: max, min_retry_interval_millis: gapInMs, retry_on_timeout: afterTimeOut } = settings;
  if (!max) return undefined;
  const parts = [max < 0 ? l10n.t('without end') : l10n.t('up to {0}', max)];
  if (gapInMs) parts.push(l10n.t('at least {0} apart', formatDuration(gapInMs)));
  parts.push(afterTimeOut ? l10n.t('after a time-out too') : l10n.t('not after a time-out'));
  return parts.join(', ');
}

function atOnceWords({ max_concurrent_runs: max }: Settings): string | undefined {
  if (max === undefined) return undefined;
  if (max === 0) return l10n.t('none: every new run is skipped');
  return Number(max) === 1 ? l10n.t('at most 1 run') : l10n.t('at most {0} runs', max);
}

/** Returns the recipients of notifications, by event. */
function mailWords({ email_notifications: notifications }: Settings): string | undefined {
  return eventWords((notifications ?? {}) as Fields, (address) => (typeof address === 'string' ? address : undefined));
}

function webhookWords({ webhook_notifications: notifications }: Settings): string | undefined {
  return eventWords((notifications ?? {}) as Fields, (hook) => {
    const { id } = (hook ?? {}) as { id?: unknown };
    return typeof id === 'string' ? id : undefined;
  });
}

function eventWords(notifications: Fields, nameOf: (value: unknown) => string | undefined): string | undefined {
  const events: [string, string][] = [
    ['on_start', l10n.t('at the start')],
    ['on_success', l10n.t('on success')],
    ['on_failure', l10n.t('on failure')],
    ['on_duration_warning_threshold_exceeded', l10n.t('when it takes too long')],
  ];
  const parts = events.flatMap(([name, words]) => {
    const given = notifications[name];
    const names = Array.isArray(given) ? given.map(nameOf).filter((each) => each !== undefined) : [];
    return names.length === 0 ? [] : [l10n.t('{0} {1}', names.join(', '), words)];
  });
  return parts.length === 0 ? undefined : parts.join('; ');
}
