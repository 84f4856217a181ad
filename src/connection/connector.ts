import {
  createClient,
  shutdownReason,
  type Auth,
  type Client,
  type ClientOptions,
  type IntentStore,
  type ResumedIntent,
  type WorkspaceClient,
} from '../api/client/index.ts';
import { abortable } from '../shared/abortable.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { lazy } from '../shared/lazy.ts';
import type { Disposable } from '../shared/lifecycle.ts';
import type { Logger } from '../shared/log.ts';
import type { Connection, Profile, LocalServiceLauncher } from './connection.ts';
import { missingSecret, readOnlyError, replacedService, startFailure, stoppedByUser } from './connectorFailures.ts';
import { guardClient } from './guardedClient.ts';
import { originOf } from './profileSettings.ts';

/** The connector's dependencies on the editor. */
export interface ConnectorOptions {
  readonly log: Logger;
  launcher(): Promise<LocalServiceLauncher>;
  /** Returns the profile's secret for its current origin. */
  secretOf(profile: Profile): Promise<string | undefined>;
  /** Runs the profile's command and returns the token that it printed. */
  runCommand(profile: Profile): Promise<string>;
  isTrusted(): boolean;
  /** Called each time the service refuses the profile's credentials. */
  signInNeeded(profile: Profile, error: AppError): void;
  /** Called when the service accepts the sign-in again after refusals. */
  signInAccepted?(profile: Profile): void;
  /** Options for every client: transport, progress of retries. */
  readonly clientOptions?: Partial<ClientOptions>;
  /** Stores requested runs before they are sent. */
  readonly intents?: IntentStore;
  /** Called when it is known whether a run requested by an earlier editor process was started. */
  resumed?(profile: Profile, intent: ResumedIntent): void;
  readonly clock?: Clock;
}

interface Entry {
  readonly fingerprint: string;
  readonly connection: Promise<Connection>;
}

/** Pause after a failed start before the next attempt; each further failure doubles it. */
const firstPauseInMs = 2_000;
const maxPauseInMs = 60_000;
/** A service that exits sooner than this after its start counts as failed to start. */
const minLifeInMs = 10_000;

/** Creates connections and keeps one for each profile. Starts the local service if needed, never in a tight loop. */
export class Connector implements Disposable {
  readonly #options: ConnectorOptions;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  /** Keyed by `commandKeyOf`. */
  readonly #commandTokens = new Map<string, Promise<string>>();
  /** Keys of the clients whose interrupted runs were resumed: a profile's new address has a key of its own. */
  readonly #resumed = new Set<string>();
  /** Profiles whose sign-in was refused since the last successful call. */
  readonly #refused = new Set<string>();
  readonly #ended = new AbortController();
  readonly #createdAt: number;
  readonly #launcher = lazy(async () => {
    const launcher = await this.#options.launcher();
    this.#exitSubscription = launcher.onDidExit(() => this.#localExited(launcher));
    return launcher;
  });
  #exitSubscription: Disposable | undefined;
  #localStartedAt: number | undefined;
  #localToken: string | undefined;
  #localFailure: { error: AppError; untilInMs: number; count: number } | undefined;

  constructor(options: ConnectorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#createdAt = this.#clock.now();
  }

  /**
   * Returns the connection of the current profile settings; concurrent calls share one start. After the local service failed to start or
   * exited early, `background` calls wait for the pause, and they never start a service that the user stopped; calls for the user try at
   * once.
   * @throws AppError `untrusted`, `unavailable` and any error of the launcher
   */
  async connect(profile: Profile, options: { signal?: AbortSignal; background?: boolean } = {}): Promise<Connection> {
    this.#requireTrust(profile);
    // Before the shared attempt: a concurrent call for the user must still start the service.
    if (options.background && profile.kind === 'local' && (await this.#launcher()).isStopped()) throw stoppedByUser();
    const fingerprint = JSON.stringify(profile);
    let entry = this.#entries.get(profile.id);
    if (entry?.fingerprint !== fingerprint) {
      const connection =
        profile.kind === 'local' ? this.#openLocal(profile, options.background ?? false) : this.#openRemote(profile);
      entry = { fingerprint, connection };
      this.#entries.set(profile.id, entry);
      const opened = entry;
      connection.catch(() => this.#drop(profile.id, opened));
    }
    return abortable(entry.connection, options.signal);
  }

  /** Returns whether the profile's service may have anything to show: see `ConnectionService.connectIfUsed`. */
  async isUsed(profile: Profile): Promise<boolean> {
    if (profile.kind !== 'local' || this.#entries.has(profile.id)) return true;
    this.#requireTrust(profile);
    return (await this.#launcher()).isUsed();
  }

  /** Forgets the state of a profile: its connection, its printed token and earlier start failures. */
  forget(profileId: string): void {
    this.#entries.delete(profileId);
    for (const key of this.#commandTokens.keys())
      if ((JSON.parse(key) as unknown[])[0] === profileId) this.#commandTokens.delete(key);
    if (profileId === 'local') this.#localFailure = undefined;
  }

  dispose(): void {
    this.#ended.abort(shutdownReason);
    this.#entries.clear();
    this.#commandTokens.clear();
    this.#exitSubscription?.dispose();
  }

  #requireTrust(profile: Profile): void {
    if (this.#options.isTrusted()) return;
    const remedy = l10n.t('Trust this workspace, or choose a remote profile that runs no program.');
    if (profile.kind === 'local')
      throw new AppError(
        'untrusted',
        l10n.t(
          'The local service runs programs on this machine, so it does not start while the workspace is not trusted.',
        ),
        { remedy },
      );
    if (profile.authKind === 'command')
      throw new AppError(
        'untrusted',
        l10n.t(
          'The profile "{0}" signs in with a command, which does not run while the workspace is not trusted. Nothing was sent.',
          profile.name,
        ),
        { remedy },
      );
  }

  #drop(profileId: string, entry: Entry): void {
    if (this.#entries.get(profileId) === entry) this.#entries.delete(profileId);
  }

  async #openLocal(profile: Profile, background: boolean): Promise<Connection> {
    const failure = this.#localFailure;
    if (background && failure && this.#clock.now() < failure.untilInMs) throw failure.error;
    try {
      const launcher = await this.#launcher();
      const { url, token } = await launcher.start();
      // Another profile may have been selected in the meantime: the service keeps running.
      if (token !== this.#localToken) this.#localStartedAt = this.#clock.now();
      this.#localToken = token;
      return { profile, client: this.#client(profile, url, { kind: 'bearer', token }) };
    } catch (error) {
      const startError = startFailure(error);
      this.#localStartFailed(startError);
      throw startError;
    }
  }

  #localExited(launcher: LocalServiceLauncher): void {
    this.#entries.delete('local');
    if (launcher.isStopped()) {
      this.#localFailure = undefined;
      return;
    }
    const livedInMs = this.#localStartedAt === undefined ? Infinity : this.#clock.now() - this.#localStartedAt;
    if (livedInMs >= minLifeInMs) {
      this.#localFailure = undefined;
      return;
    }
    this.#localStartFailed(
      new AppError(
        'unavailable',
        l10n.t('The local service stopped {0} s after its start.', Math.round(livedInMs / 1000)),
        {
          remedy: l10n.t(
            'Check the log of the local service (Millrace: Show Log of the Local Service), then try again.',
          ),
        },
      ),
    );
  }

  #localStartFailed(error: AppError): void {
    if (error.kind === 'aborted') return;
    const count = (this.#localFailure?.count ?? 0) + 1;
    this.#localFailure = {
      error,
      count,
      untilInMs: this.#clock.now() + Math.min(firstPauseInMs * 2 ** (count - 1), maxPauseInMs),
    };
  }

  // Async, so that an invalid base URL rejects too.
  async #openRemote(profile: Profile): Promise<Connection> {
    return { profile, client: this.#client(profile, profile.baseUrl ?? '', this.#authOf(profile)) };
  }

  #client(profile: Profile, baseUrl: string, auth: Auth): Client {
    const { log, clientOptions, intents } = this.#options;
    // The key includes the address: a request for one server is never sent to another. The local service changes only its port.
    const key = profile.kind === 'local' ? profile.id : `${profile.id} ${baseUrl}`;
    const client = createClient({
      logger: log,
      clock: this.#clock,
      ...clientOptions,
      baseUrl,
      auth,
      profile: key,
      intents: intents && olderOnly(intents, this.#createdAt),
    });
    this.#resume(profile, client, key);
    return guardClient(client, {
      ...(profile.readOnly ? { refuse: (operation: string) => readOnlyError(profile, operation) } : {}),
      signInGeneration: () => this.#commandTokens.get(commandKeyOf(profile)),
      recover: (error, signInGeneration) => this.#recover(profile, error, signInGeneration),
      ...(profile.kind === 'local' ? { reword: replacedService } : {}),
      succeeded: () => {
        if (this.#refused.has(profile.id) && this.#isPresent(profile) && this.#refused.delete(profile.id))
          this.#options.signInAccepted?.(profile);
      },
    });
  }

  /** Resumes once, in the background, the requests that the end of an earlier process interrupted. */
  #resume(profile: Profile, client: WorkspaceClient, key: string): void {
    if (!this.#options.intents || profile.readOnly || this.#resumed.has(key)) return;
    this.#resumed.add(key);
    client.resumeIntents({ signal: this.#ended.signal }).then(
      (intents) => {
        for (const intent of intents) this.#options.resumed?.(profile, intent);
      },
      (error: unknown) =>
        this.#options.log.error(l10n.t('Could not look for interrupted runs: {0}', toAppError(error).message)),
    );
  }

  #authOf(profile: Profile): Auth {
    const secret = async (): Promise<string> => {
      const found = await this.#options.secretOf(profile);
      if (found === undefined) throw missingSecret(profile);
      return found;
    };
    switch (profile.authKind) {
      case 'none':
        return { kind: 'none' };
      case 'basic':
        return { kind: 'basic', userName: profile.userName ?? '', password: secret };
      case 'header':
        return { kind: 'header', name: profile.headerName ?? '', value: secret };
      case 'command':
        return { kind: 'bearer', token: () => this.#commandToken(profile) };
      case 'bearer':
        return { kind: 'bearer', token: secret };
    }
  }

  /** Returns the token of one command run, which serves every call to its origin until the service refuses the token. */
  #commandToken(profile: Profile): Promise<string> {
    this.#requireTrust(profile);
    const key = commandKeyOf(profile);
    const known = this.#commandTokens.get(key);
    if (known) return known;
    const token = this.#options.runCommand(profile);
    this.#commandTokens.set(key, token);
    token.catch(() => {
      if (this.#commandTokens.get(key) === token) this.#commandTokens.delete(key);
    });
    return token;
  }

  async #recover(profile: Profile, error: AppError, signInGeneration: unknown): Promise<boolean> {
    if (profile.kind === 'local') {
      // The service on that port is not the one that was started: the next connect starts or attaches again.
      if (error.kind === 'unauthenticated' || error.kind === 'network') this.#entries.delete(profile.id);
      return false;
    }
    if (error.kind !== 'unauthenticated') return false;
    if (profile.authKind === 'command' && error.status === 401) {
      const renewed = await this.#renewCommandToken(profile, signInGeneration);
      if (renewed) return true;
    }
    // A late response to a request from before the profile was changed does not concern the current profile.
    if (!this.#isPresent(profile)) return false;
    this.#refused.add(profile.id);
    this.#options.signInNeeded(profile, error);
    return false;
  }

  /** Returns whether the profile is, as far as known, unchanged since its client was created. */
  #isPresent(profile: Profile): boolean {
    const entry = this.#entries.get(profile.id);
    return entry === undefined || entry.fingerprint === JSON.stringify(profile);
  }

  /** Runs the command again, once for all failed calls: with a command, an expired token is the normal case. */
  async #renewCommandToken(profile: Profile, refused: unknown): Promise<boolean> {
    const key = commandKeyOf(profile);
    const current = this.#commandTokens.get(key);
    // The call started before the first token existed: that token was refused.
    const stale = refused ?? current;
    if (current !== undefined && current === stale) this.#commandTokens.delete(key);
    try {
      return (await this.#commandToken(profile)) !== (await (stale as Promise<string> | undefined));
    } catch (error) {
      this.#options.log.warn(
        l10n.t('The command of profile "{0}" printed no new token: {1}', profile.name, toAppError(error).message),
      );
      return false;
    }
  }
}

/** Returns the cache key of a printed token: its command, and the origin for which it was printed. */
function commandKeyOf(profile: Profile): string {
  return JSON.stringify([profile.id, originOf(profile), profile.command]);
}

/** Lists only intents from before this process: its own are still in progress. */
function olderOnly(store: IntentStore, createdBefore: number): IntentStore {
  return {
    save: (intent) => store.save(intent),
    settle: (token) => store.settle(token),
    list: async () => (await store.list()).filter((intent) => intent.createdAt < createdBefore),
  };
}
