import * as vscode from 'vscode';
import type { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import type { Profile } from '../connection.ts';
import type { ProfileStatus } from './profileStatus.ts';

/** Asks once for a new sign-in, however many calls fail for want of it, and not again before something changed. */
export class SignInQuestion {
  readonly #status: ProfileStatus;
  readonly #log: Logger;
  /** The profile as it was when it was asked about: a changed one may be asked about again. */
  readonly #asked = new Map<string, string>();

  constructor(status: ProfileStatus, log: Logger) {
    this.#status = status;
    this.#log = log;
  }

  ask(profile: Profile, error: AppError): void {
    const fingerprint = JSON.stringify(profile);
    if (this.#asked.get(profile.id) === fingerprint) return;
    this.#asked.set(profile.id, fingerprint);
    this.#status.setRefused(profile.id, true);
    this.#log.warn(error.message);
    const signIn = vscode.l10n.t('Sign In Again');
    const diagnose = vscode.l10n.t('Diagnose Connection');
    const message =
      error.status === undefined
        ? vscode.l10n.t('There is no sign-in for profile "{0}" on this machine. Nothing is read from the service until you sign in.', profile.name)
        : vscode.l10n.t('The service does not accept the sign-in of profile "{0}" any more. Nothing is read from it until you sign in again.', profile.name);
    void vscode.window.showWarningMessage(message, signIn, diagnose).then((choice) => {
      if (choice === signIn) void vscode.commands.executeCommand('millrace.profile.signIn', profile.id);
      else if (choice === diagnose) void vscode.commands.executeCommand('millrace.profile.diagnose', profile.id);
    });
  }

  /** The profile has a new sign-in: the next refusal is news. */
  settled(profileId: string): void {
    this.#asked.delete(profileId);
    this.#status.setRefused(profileId, false);
  }
}
