import type * as vscode from 'vscode';
import type { DisposableStore } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import type { Connector } from '../connector.ts';
import type { ProfileRegistry } from './profileRegistry.ts';
import type { SecretVault } from './secretVault.ts';
import type { SignInQuestion } from './signInQuestion.ts';

/** What the commands of this folder work on. */
export interface ProfileServices {
  readonly context: vscode.ExtensionContext;
  readonly log: Logger;
  readonly registry: ProfileRegistry;
  readonly vault: SecretVault;
  readonly question: SignInQuestion;
  /** Goes when the extension goes. */
  readonly disposables: DisposableStore;
  connector(): Promise<Connector>;
}
