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
import type { Connection, Profile } from './connection.ts';
import { missingSecret, readOnlyError, replacedService, startFailure, stoppedByUser } from './connectorFailures.ts';
import { guardClient } from './guardedClient.ts';
import type { LocalServiceLauncher } from './localServiceLauncher.ts';
import { originOf } from './profileSettings.ts';

/** What the connector needs from the editor. */
export interface ConnectorOptions {
  readonly log: Logger;
  launcher(): Promise<LocalServiceLauncher>;
  /** The secret that belongs to the profile at its present origin. */
  secretOf(profile: Profile): Promise<string | undefined>;
  /** Runs the profile's command and returns the token that it printed. */
  runCommand(profile: Profile): Promise<string>;
  isTrusted(): boolean;
  /** The service refuses the credentials that the profile has; asked for as often as it happens. */
  signInNeeded(profile: Profile, error: AppError): void;
  /** The service answers again after its refusals. */
  signInAccepted?(profile: Profile): void;
  /** Options that every client gets: transport, progress of retries. */
  readonly clientOptions?: Partial<ClientOptions>;
  /** Where runs that are asked for are noted before they are sent. */
  readonly intents?: IntentStore;
  /** A run that an earlier process of the editor had asked for is started now, or is not. */
  resumed?(profile: Profile, intent: ResumedIntent): void;
  readonly clock?: Clock;
}

interface Entry {
  readonly fingerprint: string;
  readonly connection: Promise<Connection>;
}

/** A start that fails is not tried again before this; each further failure doubles it. */
const firstPauseInMs = 2_000;
const maxPauseInMs = 60_000;
/** A service that dies sooner than this after its start counts as one that did not start. */
const minLifeInMs = 10_000;

/** Makes connections and keeps one for each profile. Starts the local service if it is needed, never in a tight loop. */
export class Connector implements Disposable {
  readonly #options: ConnectorOptions;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  /** By `commandKeyOf`. */
  readonly #commandTokens = new Map<string, Promise<string>>();
  /** Keys of the clients whose interrupted runs were looked for: a profile's new address has its own. */
  readonly #resumed = new Set<string>();
  /** Profiles whose sign-in was refused since a call succeeded. */
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
   * The connection of the profile as it is now; calls at the same time share one start. After a local service that did
   * not start or live, `background` calls wait for the pause to pass, and they never start one that the user has stopped;
   * what the user asks for is tried at once.
   * @throws AppError `untrusted`, `unavailable` and whatever the launcher says
   */
  async connect(profile: Profile, options: { signal?: AbortSignal; background?: boolean } = {}): Promise<Connection> {
    this.#requireTrust(profile);
    // Before the shared attempt: a user who asks for it at the same time gets a service.
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

  /** Whether asking the profile's service tells anything: see `ConnectionService.connectIfUsed`. */
  async isUsed(profile: Profile): Promise<boolean> {
    if (profile.kind !== 'local' || this.#entries.has(profile.id)) return true;
    this.#requireTrust(profile);
    return (await this.#launcher()).isUsed();
  }

  /** Forgets what is known of a profile: its connection, its printed token and earlier failures to start. */
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
      // Another profile may have been chosen meanwhile: it goes on.
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
    // With the address: what was asked of one server is never sent to another. The local one changes its port only.
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

  /** Finishes once, beside everything else, what the end of an earlier process has interrupted. */
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

  /** One run of the command serves every call to its origin until the service refuses its token. */
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
      // Whatever runs there now is not what was started: the next connect starts or attaches anew.
      if (error.kind === 'unauthenticated' || error.kind === 'network') this.#entries.delete(profile.id);
      return false;
    }
    if (error.kind !== 'unauthenticated') return false;
    if (profile.authKind === 'command' && error.status === 401) {
      const renewed = await this.#renewCommandToken(profile, signInGeneration);
      if (renewed) return true;
    }
    // A late answer to what was sent before the profile was changed says nothing of the profile as it is now.
    if (!this.#isPresent(profile)) return false;
    this.#refused.add(profile.id);
    this.#options.signInNeeded(profile, error);
    return false;
  }

  /** Whether the profile is still as it was when its client was made, as far as is known here. */
  #isPresent(profile: Profile): boolean {
    const entry = this.#entries.get(profile.id);
    return entry === undefined || entry.fingerprint === JSON.stringify(profile);
  }

  /** An expired token is the normal case with a command: it is run again, once for all the calls that failed. */
  async #renewCommandToken(profile: Profile, refused: unknown): Promise<boolean> {
    const key = commandKeyOf(profile);
    const current = this.#commandTokens.get(key);
    // The call began before the first token was there: that one has been refused.
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

/** A printed token belongs to what printed it, and to the origin that it was printed for. */
function commandKeyOf(profile: Profile): string {
  return JSON.stringify([profile.id, originOf(profile), profile.command]);
}

/** Lists what was there before this process: what it stores itself is under way. */
function olderOnly(store: IntentStore, createdBefore: number): IntentStore {
  return {
    save: (intent) => store.save(intent),
    settle: (token) => store.settle(token),
    list: async () => (await store.list()).filter((intent) => intent.createdAt < createdBefore),
  };
}
