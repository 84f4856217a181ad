import * as vscode from 'vscode';
import { Emitter } from '../../shared/event.ts';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import { plainText } from '../../shared/text.ts';
import { localProfile, type Profile } from '../connection.ts';
import { readProfiles, toSetting } from '../profileSettings.ts';

const section = 'millrace';
const currentKey = 'profile';
const folderKey = 'profileOfFolder';

/** The profiles in the user's settings, and the current one of this window. */
export class ProfileRegistry implements Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #log: Logger;
  readonly #disposables = new DisposableStore();
  readonly #changed = new Emitter<Profile>((error) => this.#log.error(String(error)));
  #profiles: readonly Profile[] = [localProfile];
  #current: Profile = localProfile;
  /** The reported problems, so that each is reported once. */
  #told = '';

  constructor(context: vscode.ExtensionContext, log: Logger) {
    this.#context = context;
    this.#log = log;
    this.#read();
    this.#current = this.#resolve();
    this.#disposables.add(this.#changed);
    this.#disposables.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('millrace.profiles') || event.affectsConfiguration('millrace.defaultProfile'))
          this.#reload();
      }),
    );
  }

  readonly onDidChange = (listener: (profile: Profile) => void): Disposable => this.#changed.event(listener);

  get current(): Profile {
    return this.#current;
  }

  get profiles(): readonly Profile[] {
    return this.#profiles;
  }

  /** The profile of a window without a choice of its own. */
  get default(): Profile {
    const wanted = userValue('defaultProfile');
    return (
      this.#profiles.find((profile) => profile.id === wanted) ??
      this.#profiles.find((profile) => profile.name === wanted) ??
      localProfile
    );
  }

  /** Makes a profile the current one of this window, and of its folders in later windows. */
  async choose(id: string): Promise<void> {
    await this.#context.workspaceState.update(currentKey, id);
    const folders = vscode.workspace.workspaceFolders ?? [];
    if (folders.length > 0) {
      const choices = { ...this.#context.globalState.get<Record<string, string>>(folderKey) };
      for (const folder of folders) choices[folder.uri.toString()] = id;
      await this.#context.globalState.update(folderKey, choices);
    }
    this.#reload();
  }

  /** Adds the profile to the user's settings, or replaces the one with its ID. */
  async save(profile: Profile): Promise<void> {
    const entries = this.#entries();
    const index = this.#profiles.findIndex((known) => known.id === profile.id);
    const place = index < 0 ? -1 : this.#entryOf(entries, profile.id);
    if (place < 0) entries.push(toSetting(profile));
    else entries[place] = toSetting(profile);
    await this.#write(entries);
  }

  async remove(id: string): Promise<void> {
    const entries = this.#entries();
    const place = this.#entryOf(entries, id);
    if (place < 0) return;
    entries.splice(place, 1);
    const wanted = userValue('defaultProfile');
    if (
      wanted !== undefined &&
      this.#profiles.some((profile) => profile.id === id && (profile.id === wanted || profile.name === wanted))
    )
      await this.makeDefault(localProfile);
    await this.#write(entries);
  }

  async makeDefault(profile: Profile): Promise<void> {
    await vscode.workspace
      .getConfiguration(section)
      .update(
        'defaultProfile',
        profile.id === localProfile.id ? undefined : profile.id,
        vscode.ConfigurationTarget.Global,
      );
  }

  /** Notifies listeners that the current profile may respond differently now: a new sign-in, a trusted workspace. */
  touch(): void {
    this.#changed.fire(this.#current);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  /** Returns the setting's entries; unusable ones stay as the user wrote them. */
  #entries(): unknown[] {
    const value: unknown = userValue('profiles');
    return Array.isArray(value) ? structuredCloneOf(value as unknown[]) : [];
  }

  #entryOf(entries: readonly unknown[], id: string): number {
    return entries.findIndex((entry) => readProfiles([entry]).profiles[1]?.id === id);
  }

  async #write(entries: readonly unknown[]): Promise<void> {
    await vscode.workspace
      .getConfiguration(section)
      .update('profiles', entries.length === 0 ? undefined : entries, vscode.ConfigurationTarget.Global);
    this.#reload();
  }

  /** Reads only the user's own settings: a workspace must not decide where a token is sent. */
  #read(): void {
    const { profiles, problems } = readProfiles(userValue('profiles'));
    this.#profiles = profiles;
    const wanted = userValue('defaultProfile');
    const isKnown = profiles.some(({ id, name }) => id === wanted || name === wanted);
    this.#tell(
      wanted === undefined || isKnown
        ? problems
        : [
            ...problems,
            vscode.l10n.t(
              'millrace.defaultProfile names no profile: {0}. Windows without a choice of their own use "{1}".',
              JSON.stringify(wanted),
              localProfile.name,
            ),
          ],
    );
  }

  /** Reports problems, because users would look for the cause of a silently missing profile elsewhere. */
  #tell(problems: readonly string[]): void {
    const text = problems.join('\n');
    if (text === this.#told) return;
    this.#told = text;
    for (const problem of problems) this.#log.warn(problem);
    const [first] = problems;
    if (first === undefined) return;
    const open = vscode.l10n.t('Open Settings');
    const message =
      problems.length === 1
        ? first
        : vscode.l10n.t('{0} The Millrace log has {1} more of this kind.', first, problems.length - 1);
    void vscode.window.showWarningMessage(plainText(message), open).then((choice) => {
      if (choice === open) void vscode.commands.executeCommand('workbench.action.openSettingsJson');
    });
  }

  #reload(): void {
    const before = JSON.stringify([this.#current, this.#profiles]);
    this.#read();
    this.#current = this.#resolve();
    if (JSON.stringify([this.#current, this.#profiles]) !== before) this.#changed.fire(this.#current);
  }

  #resolve(): Profile {
    const choices = this.#context.globalState.get<Record<string, string>>(folderKey);
    const wanted = [
      this.#context.workspaceState.get<string>(currentKey),
      ...(vscode.workspace.workspaceFolders ?? []).map((folder) => choices?.[folder.uri.toString()]),
    ];
    for (const id of wanted) {
      const found = id === undefined ? undefined : this.#profiles.find((profile) => profile.id === id);
      if (found) return found;
    }
    return this.default;
  }
}

/** Copies a setting, because the editor returns settings as read-only proxies. */
function structuredCloneOf(value: unknown[]): unknown[] {
  return JSON.parse(JSON.stringify(value)) as unknown[];
}

/**
 * Returns the user's own value of a setting, or `undefined` if there is none. Both settings have the scope `application`, so `get` ignores
 * workspace values; `inspect` double-checks this, but only if there is a value, because it costs more than the rest of the activation.
 */
function userValue(name: 'profiles' | 'defaultProfile'): unknown {
  const configuration = vscode.workspace.getConfiguration(section);
  const value: unknown = configuration.get(name);
  const isUnset =
    value === undefined || value === '' || value === localProfile.id || (Array.isArray(value) && value.length === 0);
  return isUnset ? undefined : configuration.inspect(name)?.globalValue;
}
