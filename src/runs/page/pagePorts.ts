import type { Job, Run } from '../../api/schema/jobs/schemas.ts';
import type { Connection, Profile } from '../../connection/connection.ts';
import type { Clock } from '../../shared/clock.ts';
import { l10n } from '../../shared/l10n.ts';
import type { Trace, TraceStep } from '../output/failingPlace.ts';
import type { RunView, ToPage } from './pageProtocol.ts';

/** What the page of a run needs from its environment. */
export interface RunPagePorts {
  readonly clock: Clock;
  readonly profile: () => Profile | undefined;
  /** @param byUser the user asked for it: a stopped local service is started */
  connect(options: { signal: AbortSignal; byUser: boolean }): Promise<Connection | undefined>;
  post(message: ToPage): void;
  /** Sets the tab's title and icon. */
  setTitle(title: string, state: RunView['state']): void;
  /** Returns the first step in the workspace with its lines, and which of the other steps are there. */
  locate(steps: readonly TraceStep[]): Promise<Located | undefined>;
  /** Returns the usual duration of such a run in milliseconds, if known. */
  usualMs(run: Run): number | undefined;
  /** Called when the run has ended and everything that it left has been read. */
  ended(run: Run, job: Job | undefined, trace: Trace | undefined): void;
}

export interface Located {
  readonly frame: NonNullable<RunView['frame']>;
  readonly callers: RunView['callers'];
  readonly hidden: NonNullable<RunView['hidden']>;
}

/** Options of the page's requests: the page itself retries. */
export type AskOptions = { readonly signal: AbortSignal; readonly retry: 'fail' };

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
