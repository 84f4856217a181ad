import type * as vscode from 'vscode';
import type { Client } from '../../api/client/index.ts';
import type { DisposableStore } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import type { Profile } from '../connection.ts';
import type { Connector } from '../connector.ts';
import { createDraftClient } from '../createDraftClient.ts';
import { nodeFetch } from './nodeFetch.ts';
import type { ProfileRegistry } from './profileRegistry.ts';
import type { SecretVault } from './secretVault.ts';
import type { SignInQuestion } from './signInQuestion.ts';
import { runTokenCommand } from './tokenCommand.ts';

/** Dependencies of the commands in this folder. */
export interface ProfileServices {
  readonly context: vscode.ExtensionContext;
  readonly log: Logger;
  readonly registry: ProfileRegistry;
  readonly vault: SecretVault;
  readonly question: SignInQuestion;
  /** Disposed with the extension. */
  readonly disposables: DisposableStore;
  connector(): Promise<Connector>;
}

/** Creates a client of an unsaved profile with the editor's transport. */
export function draftClient(profile: Profile, secret: string, log: Logger): Client {
  return createDraftClient(profile, secret, { log, fetch: nodeFetch, runCommand: runTokenCommand });
}
