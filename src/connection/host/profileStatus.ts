import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';
import type { Profile } from '../connection.ts';
import { settingsTargetOf } from '../profileSettings.ts';
import { signInMark, type SignInState } from '../signInRefusals.ts';
import type { ProfileRegistry } from './profileRegistry.ts';

/** The current profile in the status bar: its name, and its special properties in words and in color. */
export class ProfileStatus implements Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #registry: ProfileRegistry;
  readonly #disposables = new DisposableStore();
  /** Profiles with a sign-in problem. */
  readonly #signIns = new Map<string, SignInState>();

  constructor(registry: ProfileRegistry) {
    this.#registry = registry;
    this.#item = this.#disposables.add(
      vscode.window.createStatusBarItem('millrace.profile', vscode.StatusBarAlignment.Left, 20),
    );
    this.#item.name = vscode.l10n.t('Millrace Profile');
    this.#disposables.add(registry.onDidChange(() => this.#show()));
    this.#show();
    this.#item.show();
  }

  setSignIn(profileId: string, state: SignInState): void {
    if ((this.#signIns.get(profileId) ?? 'fine') === state) return;
    this.#signIns.set(profileId, state);
    this.#show();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #show(): void {
    const profile = this.#registry.current;
    const signIn = this.#signIns.get(profile.id) ?? 'fine';
    const refused = signIn !== 'fine';
    const hasSignIn = profile.authKind !== 'none';
    const marks = marksOf(profile, signIn);
    this.#item.text = textOf(profile, refused);
    this.#item.tooltip = [
      vscode.l10n.t('Millrace profile: {0}', profile.name),
      settingsTargetOf(profile),
      ...marks,
      refused
        ? hasSignIn
          ? vscode.l10n.t('Click to sign in again')
          : vscode.l10n.t('Click to edit the profile')
        : vscode.l10n.t('Click to choose another profile'),
    ].join('\n');
    this.#item.accessibilityInformation = {
      label: [vscode.l10n.t('Millrace profile {0}', profile.name), ...marks].join(', '),
      role: 'button',
    };
    this.#item.backgroundColor = profile.production
      ? new vscode.ThemeColor('statusBarItem.errorBackground')
      : refused
        ? new vscode.ThemeColor('statusBarItem.warningBackground')
        : undefined;
    const mend = hasSignIn
      ? { command: 'millrace.profile.signIn', title: vscode.l10n.t('Sign In'), arguments: [profile.id] }
      : { command: 'millrace.profile.edit', title: vscode.l10n.t('Edit Profile'), arguments: [profile.id] };
    this.#item.command = refused ? mend : 'millrace.profile.choose';
  }
}

function textOf(profile: Profile, refused: boolean): string {
  const icon = refused ? '$(key)' : profile.production ? '$(warning)' : profile.kind === 'local' ? '$(vm)' : '$(plug)';
  // The editor would draw an icon name in a profile's name as an icon.
  const name = profile.name.replaceAll('$(', '$ (');
  const parts = [profile.production ? vscode.l10n.t('PRODUCTION: {0}', name) : `Millrace: ${name}`];
  if (profile.readOnly) parts.push(`$(lock) ${vscode.l10n.t('read-only')}`);
  if (refused)
    parts.push(profile.authKind === 'none' ? vscode.l10n.t('needs a sign-in') : vscode.l10n.t('sign in again'));
  return `${icon} ${parts.join(' · ')}`;
}

function marksOf(profile: Profile, signIn: SignInState): string[] {
  const signInProblem = signInMark(profile, signIn);
  return [
    ...(profile.production ? [vscode.l10n.t('Production: every change is confirmed by name')] : []),
    ...(profile.readOnly ? [vscode.l10n.t('Read-only: changes are refused')] : []),
    ...(signInProblem === undefined ? [] : [signInProblem]),
  ];
}
