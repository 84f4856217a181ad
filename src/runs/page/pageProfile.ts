import type { Profile } from '../../connection/connection.ts';
import { l10n } from '../../shared/l10n.ts';

/** What a page needs to know about the profile of its run or job. */
export interface PageProfile {
  readonly name: string;
  readonly isLocal: boolean;
  readonly isProduction: boolean;
  readonly isReadOnly: boolean;
}

/** @param profile `undefined` if it no longer exists: then nothing can be changed */
export function pageProfile(profile: Profile | undefined): PageProfile {
  return {
    name: profile?.name ?? l10n.t('a profile that no longer exists'),
    isLocal: profile?.kind === 'local',
    isProduction: profile?.production ?? false,
    isReadOnly: profile?.readOnly ?? true,
  };
}
