import * as vscode from 'vscode';
import type { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { plainText } from '../../shared/text.ts';
import type { Profile } from '../connection.ts';
import { refusalText, SignInRefusals } from '../signInRefusals.ts';
import type { ProfileStatus } from './profileStatus.ts';

/** Shows a refused sign-in for as long as it is refused, and asks once for a new one. */
export class SignInQuestion {
  readonly #status: ProfileStatus;
  readonly #log: Logger;
  readonly #refusals = new SignInRefusals();

  constructor(status: ProfileStatus, log: Logger) {
    this.#status = status;
    this.#log = log;
  }

  ask(profile: Profile, error: AppError): void {
    const isNews = this.#refusals.add(profile, error.status);
    this.#show(profile.id);
    if (!isNews) return;
    this.#log.warn(error.message);
    const [mend, command] =
      profile.authKind === 'none'
        ? [vscode.l10n.t('Edit Profile'), 'millrace.profile.edit']
        : [vscode.l10n.t('Sign In Again'), 'millrace.profile.signIn'];
    const diagnose = vscode.l10n.t('Diagnose Connection');
    void vscode.window.showWarningMessage(plainText(refusalText(profile, error)), mend, diagnose).then((choice) => {
      if (choice === mend) void vscode.commands.executeCommand(command, profile.id);
      else if (choice === diagnose) void vscode.commands.executeCommand('millrace.profile.diagnose', profile.id);
    });
  }

  /** Records that the service accepted a call of the profile. */
  accepted(profile: Profile): void {
    this.#refusals.accepted(profile.id);
    this.#show(profile.id);
  }

  /** Records that the profile has a new sign-in, so that the next refusal is reported. */
  settled(profileId: string): void {
    this.#refusals.forget(profileId);
    this.#show(profileId);
  }

  #show(profileId: string): void {
    this.#status.setSignIn(profileId, this.#refusals.stateOf(profileId));
  }
}
