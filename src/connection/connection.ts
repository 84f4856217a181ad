import type { Client } from '../api/client/client.ts';
import type { EndpointTask } from '../api/schema/inference/endpoints.ts';
import type { Event } from '../shared/event.ts';
import { l10n } from '../shared/l10n.ts';

export interface EndpointRef {
  readonly name: string;
  readonly task: EndpointTask;
}

export type AuthKind = 'bearer' | 'basic' | 'header' | 'command' | 'none';

/** A workspace that the user connects to. Never contains secrets. */
export interface Profile {
  /** Stable ID under which secrets are stored. The built-in profile's is `local`. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'local' | 'remote';
  /** Without a trailing slash; absent for the local service, whose address is known once it is running. */
  readonly baseUrl?: string;
  readonly authKind: AuthKind;
  readonly headerName?: string;
  readonly userName?: string;
  readonly command?: string;
  readonly production: boolean;
  readonly readOnly: boolean;
  /** Endpoints named by the user, for services that cannot list them. */
  readonly endpoints: readonly EndpointRef[];
}

/** A profile with its client. */
export interface Connection {
  readonly profile: Profile;
  readonly client: Client;
}

/** The access to the service for all features; none creates a client of its own. */
export interface ConnectionService {
  readonly current: Profile;
  readonly profiles: readonly Profile[];
  /** Fires with the new current profile, and when its settings change. */
  readonly onDidChange: Event<Profile>;
  /** Whether the current profile is known to be empty, without requesting or loading anything. */
  readonly isKnownEmpty: boolean;
  /**
   * Connects, and starts the local service if the profile is Local.
   * @throws AppError with the remedy
   */
  connect(options?: { signal?: AbortSignal }): Promise<Connection>;
  /**
   * Like `connect`, but for reading only: returns `undefined` if that would start a local service that was never used and so has nothing to
   * show. So opening a view starts no process, and a service that the user stopped stays stopped.
   * @param options.byUser whether the user requested it: a service that is stopped or failed to start is started, and one that just failed
   * is requested without a pause
   * @throws AppError `unavailable` while the local service is stopped by the user; any error of `connect`
   */
  connectIfUsed(options?: { signal?: AbortSignal; byUser?: boolean }): Promise<Connection | undefined>;
  /**
   * Connects to any profile for reading only, as `connectIfUsed` does for the current one.
   * @param options.byUser whether the user requested an action there: a local service that was never used or is stopped is started, and a
   * service that just failed is requested without a pause
   * @returns `undefined` if there is no such profile, or it has nothing to show
   */
  connectTo(profileId: string, options?: { signal?: AbortSignal; byUser?: boolean }): Promise<Connection | undefined>;
  /**
   * Names profile and target before a mutation, and asks if the profile is production.
   * @param options.verb the button, to which the profile's name is added: "Delete" becomes "Delete on Team"
   * @param options.detail what the mutation changes, shown with the question
   * @param options.others alternatives, shown as further buttons of that question
   * @returns false if the user declines, or the chosen alternative
   * @throws AppError `readOnly` if the profile refuses mutations
   */
  confirmMutation<Other extends string = never>(
    what: string,
    connection: Connection,
    options: MutationQuestion<Other>,
  ): Promise<boolean | Other>;
}

export interface MutationQuestion<Other extends string = never> {
  readonly verb: string;
  readonly detail?: string;
  readonly others?: readonly Other[];
}

/** Returns the text of a button that does something on a profile. */
export function buttonOn(verb: string, profile: Pick<Profile, 'name'>): string {
  return l10n.t('{0} on {1}', verb, profile.name);
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

/** Starts, or attaches to, the local service of this machine. */
export interface LocalServiceLauncher {
  /**
   * Starts the service, or uses one that is already running, and resolves when it responds.
   * @throws AppError with the remedy
   */
  start(options?: { signal?: AbortSignal }): Promise<{ url: string; token: string }>;
  /**
   * Returns whether the service is running or has stored data. An unused service has nothing to show, so merely viewing it does not start
   * it.
   */
  isUsed(): boolean;
  /** Returns whether the user stopped the service, in any window, and `start` was not called since. Background reads do not restart it. */
  isStopped(): boolean;
  /** Fires when the service returned by `start` has exited. */
  readonly onDidExit: Event<unknown>;
  stop(): Promise<void>;
}
