import * as vscode from 'vscode';
import type { ProfileCommand } from '../../shared/commandIds.ts';
import { AppError } from '../../shared/errors.ts';
import { plainText } from '../../shared/text.ts';
import { checkConnection } from '../checkConnection.ts';
import { buttonOn, localProfile, type Profile } from '../connection.ts';
import { settingsTargetOf } from '../profileSettings.ts';
import { inputStep } from './inputStep.ts';
import { draftClient, type ProfileServices } from './profileServices.ts';
import { runProfileWizard, secretPrompt } from './profileWizard.ts';

type Handler = (services: ProfileServices, profileId: string | undefined) => Promise<void>;

/** Handlers of the commands `millrace.profile.*`; each accepts a profile's ID. */
export const profileCommands: Readonly<Record<ProfileCommand, Handler>> = {
  choose,
  add,
  edit,
  remove,
  signIn,
  diagnose,
};

interface ProfileItem extends vscode.QuickPickItem {
  readonly profile?: Profile;
  readonly run?: (services: ProfileServices) => Promise<void>;
}

async function choose(services: ProfileServices, profileId?: string): Promise<void> {
  const { registry } = services;
  if (profileId !== undefined && registry.profiles.some((profile) => profile.id === profileId))
    return use(services, profileId);
  const asDefault: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('star-empty'),
    tooltip: vscode.l10n.t('Use in windows without a profile of their own'),
  };
  const isDefault: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('star-full'),
    tooltip: vscode.l10n.t('Used in windows without a profile of their own'),
  };
  const change: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('edit'), tooltip: vscode.l10n.t('Edit') };
  const pick = vscode.window.createQuickPick<ProfileItem>();
  const items = (): ProfileItem[] => [
    ...registry.profiles.map((profile) => ({
      ...itemOf(profile, profile.id === registry.current.id),
      buttons: [
        profile.id === registry.default.id ? isDefault : asDefault,
        ...(profile.kind === 'local' ? [] : [change]),
      ],
    })),
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: `$(add) ${vscode.l10n.t('Add Profile…')}`, run: (all) => add(all) },
    ...(registry.current.kind === 'remote' && registry.current.authKind !== 'none'
      ? [
          {
            label: `$(key) ${vscode.l10n.t('Sign In Again…')}`,
            run: (all: ProfileServices) => signIn(all, registry.current.id),
          },
        ]
      : []),
    ...(registry.current.readOnly
      ? [
          {
            label: `$(unlock) ${vscode.l10n.t('Turn Off Read-Only…')}`,
            run: (all: ProfileServices) => allowChanges(all, registry.current),
          },
        ]
      : []),
    { label: `$(pulse) ${vscode.l10n.t('Diagnose Connection')}`, run: (all) => diagnose(all) },
  ];
  pick.title = vscode.l10n.t('Millrace Profile');
  pick.placeholder = vscode.l10n.t('Workspace for chat, jobs and commands');
  pick.matchOnDescription = true;
  pick.items = items();
  pick.activeItems = pick.items.filter((item) => item.profile?.id === registry.current.id);
  const chosen = await new Promise<ProfileItem | undefined>((resolve) => {
    pick.onDidAccept(() => resolve(pick.selectedItems[0]));
    pick.onDidHide(() => resolve(undefined));
    pick.onDidTriggerItemButton(({ item, button }) => {
      const { profile } = item;
      if (!profile) return;
      if (button === change) return resolve({ label: '', run: (all) => edit(all, profile.id) });
      registry.makeDefault(profile).then(
        () => (pick.items = items()),
        (error: unknown) => services.log.error(String(error)),
      );
    });
    pick.show();
  });
  pick.dispose();
  if (chosen?.run) await chosen.run(services);
  else if (chosen?.profile) await use(services, chosen.profile.id);
}

/** Selects a profile and immediately retries whatever failed before. */
async function use(services: ProfileServices, profileId: string): Promise<void> {
  (await services.connector()).forget(profileId);
  const isSame = services.registry.current.id === profileId;
  await services.registry.choose(profileId);
  if (isSame) services.registry.touch();
}

function itemOf(profile: Profile, isCurrent: boolean): ProfileItem {
  const marks = [
    ...(profile.production ? [vscode.l10n.t('PRODUCTION')] : []),
    ...(profile.readOnly ? [vscode.l10n.t('read-only')] : []),
    ...(isCurrent ? [vscode.l10n.t('current')] : []),
  ];
  return {
    label: `${profile.production ? '$(warning)' : profile.kind === 'local' ? '$(vm)' : '$(plug)'} ${profile.name}`,
    description: marks.join(' · '),
    detail: settingsTargetOf(profile),
    profile,
  };
}

/** Turns off read-only after one question, without the whole wizard. */
async function allowChanges(services: ProfileServices, profile: Profile): Promise<void> {
  const allow = buttonOn(vscode.l10n.t('Allow Changes'), profile);
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t('Turn off read-only of "{0}"?', profile.name),
    { modal: true, detail: settingsTargetOf(profile) },
    allow,
  );
  if (choice === allow) await services.registry.save({ ...profile, readOnly: false });
}

async function add(services: ProfileServices): Promise<void> {
  const profile = await runProfileWizard(services);
  if (!profile) return;
  await use(services, profile.id);
  void vscode.window.showInformationMessage(
    vscode.l10n.t('The profile "{0}" is saved and active. Connection verified.', profile.name),
  );
}

async function edit(services: ProfileServices, profileId?: string): Promise<void> {
  const profile = await remoteProfile(services, profileId, vscode.l10n.t('Edit Profile'));
  const saved = profile && (await runProfileWizard(services, profile));
  if (saved) await settled(services, saved.id);
}

async function remove(services: ProfileServices, profileId?: string): Promise<void> {
  const profile = await remoteProfile(services, profileId, vscode.l10n.t('Remove Profile'));
  if (!profile) return;
  const action = vscode.l10n.t('Remove');
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t('Remove the profile "{0}"?', profile.name),
    {
      modal: true,
      detail: vscode.l10n.t(
        'Its sign-in is deleted from this machine. Nothing changes at {0}.',
        settingsTargetOf(profile),
      ),
    },
    action,
  );
  if (choice !== action) return;
  // Remove the secret first: without its profile, it could never be found again.
  await services.vault.forget(profile.id);
  await services.registry.remove(profile.id);
  services.question.settled(profile.id);
  (await services.connector()).forget(profile.id);
}

async function signIn(services: ProfileServices, profileId?: string): Promise<void> {
  const profile = await remoteProfile(
    services,
    profileId ?? (services.registry.current.kind === 'remote' ? services.registry.current.id : undefined),
    vscode.l10n.t('Sign In to Profile'),
  );
  if (!profile) return;
  const title = vscode.l10n.t('Sign In to "{0}"', profile.name);
  if (profile.authKind === 'none') {
    const change = vscode.l10n.t('Edit Profile');
    const choice = await vscode.window.showInformationMessage(
      plainText(vscode.l10n.t('The profile "{0}" has no sign-in. Edit the profile to add one.', profile.name)),
      change,
    );
    if (choice === change) await edit(services, profile.id);
    return;
  }
  if (profile.authKind === 'command') {
    (await services.connector()).forget(profile.id);
    const check = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title },
      async () => {
        if (!vscode.workspace.isTrusted) {
          throw new AppError(
            'untrusted',
            vscode.l10n.t(
              'The profile "{0}" signs in with a command, which does not run while the workspace is not trusted.',
              profile.name,
            ),
            { remedy: vscode.l10n.t('Trust this workspace, or choose another profile.') },
          );
        }
        return checkConnection(draftClient(profile, '', services.log));
      },
    );
    if (!check.ok) throw new AppError(check.error.kind, check.message, { cause: check.error });
    return settled(services, profile.id);
  }
  let secret = '';
  const answer = await inputStep({
    title,
    step: 1,
    totalSteps: 1,
    prompt: secretPrompt(profile),
    password: true,
    async check(text, signal) {
      if (text.trim() === '')
        return { message: vscode.l10n.t('Enter a new one, or press Escape to keep the stored one.') };
      secret = profile.authKind === 'basic' ? text : text.trim();
      const check = await checkConnection(draftClient(profile, secret, services.log), { signal });
      // A service that is down now may work tomorrow; a refused sign-in will not.
      return check.ok ? undefined : { message: check.message, soft: check.place !== 'signIn' };
    },
  });
  if (answer.kind !== 'value') return;
  await services.vault.store(profile, secret);
  await settled(services, profile.id);
  void vscode.window.showInformationMessage(vscode.l10n.t('Signed in to "{0}".', profile.name));
}

async function settled(services: ProfileServices, profileId: string): Promise<void> {
  services.question.settled(profileId);
  (await services.connector()).forget(profileId);
  if (services.registry.current.id === profileId) services.registry.touch();
}

async function diagnose(services: ProfileServices, profileId?: string): Promise<void> {
  const { diagnoseConnection } = await import('./diagnose.ts');
  const profile = services.registry.profiles.find((known) => known.id === profileId) ?? services.registry.current;
  await diagnoseConnection(services, profile);
}

/** Returns the profile with the ID, otherwise one that the user picks. The built-in profile cannot be changed. */
async function remoteProfile(
  services: ProfileServices,
  profileId: string | undefined,
  title: string,
): Promise<Profile | undefined> {
  const profiles = services.registry.profiles.filter((profile) => profile.id !== localProfile.id);
  const known = profiles.find((profile) => profile.id === profileId);
  if (known) return known;
  if (profiles.length === 0) {
    const action = vscode.l10n.t('Add Profile');
    const choice = await vscode.window.showInformationMessage(
      vscode.l10n.t(
        'There is only the built-in profile "{0}", which needs no sign-in and cannot be changed.',
        localProfile.name,
      ),
      action,
    );
    if (choice === action) await add(services);
    return undefined;
  }
  const choice = await vscode.window.showQuickPick(
    profiles.map((profile) => itemOf(profile, profile.id === services.registry.current.id)),
    { title, placeHolder: vscode.l10n.t('Choose a profile'), matchOnDetail: true },
  );
  return choice?.profile;
}
