import type { Client } from '../api/client/client.ts';
import type { EndpointTask } from '../api/schema/inference/endpoints.ts';
import type { Event } from '../shared/event.ts';

export interface EndpointRef {
  readonly name: string;
  readonly task: EndpointTask;
}

export type AuthKind = 'bearer' | 'basic' | 'header' | 'command' | 'none';

/** A workspace that the user works against. Secrets are never part of it. */
export interface Profile {
  /** Stable; secrets are stored under it. The built-in profile's is `local`. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'local' | 'remote';
  /** Without a trailing slash; absent for the local service, whose address is known once it runs. */
  readonly baseUrl?: string;
  readonly authKind: AuthKind;
  readonly headerName?: string;
  readonly userName?: string;
  readonly command?: string;
  readonly production: boolean;
  readonly readOnly: boolean;
  /** Endpoints that the user named, for services that cannot list them. */
  readonly endpoints: readonly EndpointRef[];
}

/** A profile with a client that speaks to it. */
export interface Connection {
  readonly profile: Profile;
  readonly client: Client;
}

/** What every feature uses to reach the service; none builds a client of its own. */
export interface ConnectionService {
  readonly current: Profile;
  readonly profiles: readonly Profile[];
  /** Fires with the new current profile, also when its settings changed. */
  readonly onDidChange: Event<Profile>;
  /** Whether the current profile has nothing to show, as far as that is known without asking or loading anything. */
  readonly isKnownEmpty: boolean;
  /** Starts the local service if the profile is Local. @throws AppError that says what to do */
  connect(options?: { signal?: AbortSignal }): Promise<Connection>;
  /**
   * Like `connect`, for looking only: undefined if that would start a local service that was never used and so has
   * nothing to show. Opening a view starts no process by this, and a service that the user has stopped stays stopped.
   * @param options.byUser the user asks for the look himself: what is stopped, or has failed to start, is started, and a service that
   * failed a moment ago is asked without a pause
   * @throws AppError `unavailable` while the local service is stopped by the user; what `connect` throws
   */
  connectIfUsed(options?: { signal?: AbortSignal; byUser?: boolean }): Promise<Connection | undefined>;
  /**
   * The connection of any profile, for looking only, as `connectIfUsed` does it for the current one.
   * @param options.byUser the user wants something done there: a local service that was never used or is stopped is started, and a
   * service that failed a moment ago is asked without a pause
   * @returns undefined if there is no such profile, or it has nothing to show
   */
  connectTo(profileId: string, options?: { signal?: AbortSignal; byUser?: boolean }): Promise<Connection | undefined>;
  /**
   * Names profile and target before a mutation: asks if the profile is production.
   * @param detail what the mutation changes, shown with the question
   * @param others what may be done in its place, as further buttons of that question
   * @returns false when the user declines; the one of the others that is wanted
   * @throws AppError `readOnly` when the profile refuses mutations
   */
  confirmMutation<Other extends string = never>(
    what: string,
    connection: Connection,
    detail?: string,
    others?: readonly Other[],
  ): Promise<boolean | Other>;
}

export const localProfile: Profile = {
  id: 'local',
  name: 'Local',
  kind: 'local',
  authKind: 'bearer',
  production: false,
  readOnly: false,
  endpoints: [],
};
