import type { Profile } from '../../connection/connection.ts';
import type { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import type { PageNotice } from './pageProtocol.ts';

interface Circumstances {
  /** The look is taken again by itself. */
  readonly mayPass: boolean;
  /** The service had the run and has it no more. */
  readonly isGone: boolean;
  readonly profile: Profile | undefined;
}

/** Why the page of a run cannot be kept true, and what can be done. */
export function runNotice(failure: AppError, { mayPass, isGone, profile }: Circumstances): PageNotice {
  if (isGone && profile)
    return {
      text: l10n.t('{0} no longer has this run.', profile.name),
      detail: l10n.t('Below is the last known state.'),
      actions: [],
    };
  // It has no address that the user could mistype.
  const isAway = failure.kind === 'network' && profile?.kind === 'local';
  return {
    text: isAway ? l10n.t('The local service does not answer.') : failure.message,
    detail: mayPass ? [isAway ? '' : failure.remedy, l10n.t('Retrying.')].filter(Boolean).join(' ') : failure.remedy,
    actions: [{ id: 'retry', label: l10n.t('Retry Now'), icon: 'refresh', primary: true }],
  };
}

/** What stands beside an output that grows. */
export function goingWords(isLive: boolean): string {
  return isLive ? l10n.t('as it comes') : l10n.t('read every few seconds');
}

/** What stands beside and below an output that is over. */
export function endWords(isCut: boolean): { note: string; end: string } {
  return isCut
    ? { note: l10n.t('first 5 MB'), end: l10n.t('The service returns at most 5 MB.') }
    : { note: '', end: l10n.t('End of output.') };
}
