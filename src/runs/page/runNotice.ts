import type { Run } from '../../api/schema/jobs/schemas.ts';
import type { Profile } from '../../connection/connection.ts';
import type { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { emptyRunView, type PageNotice, type RunView } from './pageProtocol.ts';

interface Circumstances {
  /** Whether the page retries by itself. */
  readonly mayPass: boolean;
  /** Whether the service no longer has the run. */
  readonly isGone: boolean;
  readonly profile: Profile | undefined;
}

/** Returns why the page of a run cannot be kept up to date, and what to do. */
export function runNotice(failure: AppError, { mayPass, isGone, profile }: Circumstances): PageNotice {
  if (isGone && profile)
    return {
      text: l10n.t('{0} no longer has this run.', profile.name),
      detail: l10n.t('Below is the last known state.'),
      actions: [],
    };
  // The user cannot mistype its address, because it has none.
  const isAway = failure.kind === 'network' && profile?.kind === 'local';
  return {
    text: isAway ? l10n.t('The local service does not answer.') : failure.message,
    detail: mayPass ? [isAway ? '' : failure.remedy, l10n.t('Retrying.')].filter(Boolean).join(' ') : failure.remedy,
    actions: [{ id: 'retry', label: l10n.t('Retry Now'), icon: 'refresh', primary: true }],
  };
}

/** Returns the notice for a run whose service reports no state, so that nobody can tell whether it goes on. */
export function withoutState(run: Run, profile: Profile | undefined): { notice?: PageNotice } {
  if (run.state?.life_cycle_state || run.end_time) return {};
  return {
    notice: {
      text: l10n.t('{0} reports no state for this run.', profile?.name ?? l10n.t('The service')),
      detail: l10n.t('It is read again every few seconds.'),
      actions: [],
    },
  };
}

/** Returns the text beside a growing output. */
export function goingWords(isLive: boolean): string {
  return isLive ? l10n.t('as it comes') : l10n.t('read every few seconds');
}

/** Returns the texts beside and below a finished output. */
export function endWords(isCut: boolean): { note: string; end: string } {
  return isCut
    ? { note: l10n.t('first 5 MB'), end: l10n.t('The service returns at most 5 MB.') }
    : { note: '', end: l10n.t('End of output.') };
}

/** Says which output could not be read. */
export function unreadOutput(runId: string, taskKey: string | undefined): string {
  return taskKey === undefined
    ? l10n.t('The output of run {0} could not be read.', runId)
    : l10n.t('The output of the task {0} could not be read.', taskKey);
}

/** Returns the page of a run about which nothing is known yet. */
export function unknownRunView(
  runId: string,
  { profile, notice, output }: Pick<RunView, 'notice' | 'output'> & { profile: string | undefined },
): RunView {
  return {
    ...emptyRunView,
    title: l10n.t('Run {0}', runId),
    subtitle: profile ?? l10n.t('a profile that no longer exists'),
    notice,
    output,
  };
}
