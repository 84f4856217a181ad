import * as vscode from 'vscode';
import type { ProfileCommand } from '../../shared/commandIds.ts';
import { lazy } from '../../shared/lazy.ts';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import {
  buttonOn,
  localProfile,
  type Connection,
  type ConnectionService,
  type MutationQuestion,
  type Profile,
  type LocalServiceLauncher,
} from '../connection.ts';
import type { Connector } from '../connector.ts';
import { settingsTargetOf } from '../profileSettings.ts';
import { ProfileRegistry } from './profileRegistry.ts';
import type { ProfileServices } from './profileServices.ts';
import { ProfileStatus } from './profileStatus.ts';
import { SecretVault } from './secretVault.ts';
import { SignInQuestion } from './signInQuestion.ts';

export interface ConnectionOptions {
  readonly log: Logger;
  /** Called when the local service is first needed. */
  readonly launcher: () => Promise<LocalServiceLauncher>;
  /** Returns whether the local service may have anything to show. */
  readonly hasLocalData: () => boolean;
  readonly isProcessAlive: (id: number) => boolean;
}

/** The profiles, their status item and their commands. The client and everything else is loaded on first use. */
export class EditorConnections implements ConnectionService, vscode.Disposable {
  readonly #services: ProfileServices;
  readonly #connector = lazy(() => this.#createConnector());
  readonly #options: ConnectionOptions;
  readonly #disposables = new DisposableStore();

  constructor(context: vscode.ExtensionContext, options: ConnectionOptions) {
    this.#options = options;
    const registry = this.#disposables.add(new ProfileRegistry(context, options.log));
    const status = this.#disposables.add(new ProfileStatus(registry));
    this.#services = {
      context,
      log: options.log,
      registry,
      vault: new SecretVault(context.secrets),
      question: new SignInQuestion(status, options.log),
      disposables: this.#disposables,
      connector: this.#connector,
    };
    this.#disposables.add(vscode.workspace.onDidGrantWorkspaceTrust(() => registry.touch()));
  }

  get current(): Profile {
    return this.#services.registry.current;
  }

  get profiles(): readonly Profile[] {
    return this.#services.registry.profiles;
  }

  get isKnownEmpty(): boolean {
    return this.#isKnownEmpty(this.current);
  }

  /** Returns whether the local service was never used: it is not started or requested, and has no files. */
  #isKnownEmpty(profile: Profile): boolean {
    return (
      profile.kind === 'local' && !this.#connector.begun && vscode.workspace.isTrusted && !this.#options.hasLocalData()
    );
  }

  readonly onDidChange = (listener: (profile: Profile) => void): vscode.Disposable =>
    toEditorDisposable(this.#services.registry.onDidChange(listener));

  async connect(options: { signal?: AbortSignal } = {}): Promise<Connection> {
    const connector = await this.#services.connector();
    return connector.connect(this.current, options);
  }

  async connectIfUsed({ signal, byUser = false }: { signal?: AbortSignal; byUser?: boolean } = {}): Promise<
    Connection | undefined
  > {
    const connection = await this.#look(this.current, { signal, background: !byUser });
    return connection && byUser ? asked(connection) : connection;
  }

  async connectTo(
    profileId: string,
    { signal, byUser = false }: { signal?: AbortSignal; byUser?: boolean } = {},
  ): Promise<Connection | undefined> {
    const profile = this.profiles.find(({ id }) => id === profileId);
    if (!profile || !byUser) return profile && this.#look(profile, { signal, background: true });
    return asked(await (await this.#services.connector()).connect(profile, { signal }));
  }

  /** Connects to the local service for reading and writing, and starts it if it is stopped. */
  async connectLocal(): Promise<Connection> {
    return (await this.#connector()).connect(localProfile);
  }

  async #look(
    profile: Profile,
    options: { signal?: AbortSignal; background: boolean },
  ): Promise<Connection | undefined> {
    // Avoid loading code for an empty service.
    if (this.#isKnownEmpty(profile)) return undefined;
    const connector = await this.#connector();
    return (await connector.isUsed(profile)) ? connector.connect(profile, options) : undefined;
  }

  async confirmMutation<Other extends string = never>(
    what: string,
    connection: Connection,
    question: MutationQuestion<Other>,
  ): Promise<boolean | Other> {
    const { profile } = connection;
    if (profile.readOnly) {
      const { readOnlyError } = await import('../connectorFailures.ts');
      throw readOnlyError(profile, what);
    }
    return !profile.production || askOnProduction(profile, what, question);
  }

  /**
   * Runs a command.
   * @param argument a profile's ID, if the command was given one
   */
  async run(command: ProfileCommand, argument: unknown): Promise<void> {
    const { profileCommands } = await import('./profileCommands.ts');
    await profileCommands[command](this.#services, typeof argument === 'string' ? argument : undefined);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #createConnector(): Promise<Connector> {
    const { createConnector } = await import('./createConnector.ts');
    return createConnector(this.#services, this.#options);
  }
}

/** Returns a connection that skips the pause after a failure: the user wants to see whether the service is back. */
function asked(connection: Connection): Connection {
  connection.client.retryNow();
  return connection;
}

function toEditorDisposable(disposable: { dispose(): void }): vscode.Disposable {
  return new vscode.Disposable(() => disposable.dispose());
}

/**
 * Names the profile, its address and what a mutation changes there.
 * @returns whether to proceed, or the chosen alternative
 */
async function askOnProduction<Other extends string>(
  profile: Profile,
  what: string,
  { verb, detail, others = [] }: MutationQuestion<Other>,
): Promise<boolean | Other> {
  const proceed = buttonOn(verb, profile);
  const where = vscode.l10n.t('This changes the production workspace at {0}.', settingsTargetOf(profile));
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t('PRODUCTION "{0}": {1}?', profile.name, what),
    { modal: true, detail: detail === undefined ? where : `${detail}\n\n${where}` },
    ...others,
    proceed,
  );
  return choice === proceed || (others.find((other) => other === choice) ?? false);
}
