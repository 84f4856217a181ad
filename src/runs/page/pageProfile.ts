import type { Profile } from '../../connection/connection.ts';
import { l10n } from '../../shared/l10n.ts';

/** What a page has to know of the profile that its run or job is on. */
export interface PageProfile {
  readonly name: string;
  readonly isLocal: boolean;
  readonly isProduction: boolean;
  readonly isReadOnly: boolean;
}

/** @param profile undefined if it is gone: then nothing may be changed */
export function pageProfile(profile: Profile | undefined): PageProfile {
  return {
    name: profile?.name ?? l10n.t('a profile that no longer exists'),
    isLocal: profile?.kind === 'local',
    isProduction: profile?.production ?? false,
    isReadOnly: profile?.readOnly ?? true,
  };
}
