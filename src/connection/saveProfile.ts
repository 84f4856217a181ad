import { AppError, describeError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { sentence } from '../shared/text.ts';
import type { Profile } from './connection.ts';

/** Stores secrets, each bound to its profile and to the origin for which it was entered. */
export interface SecretKeeper {
  get(profile: Profile): Promise<string | undefined>;
  /**
   * Stores a secret.
   * @throws AppError `unavailable` if it was not stored
   */
  store(profile: Profile, secret: string): Promise<void>;
  /** Removes the secret of the profile at its current origin. */
  remove(profile: Profile): Promise<void>;
  /** Removes all secrets of the profile except the one of `except`. */
  forget(profileId: string, except?: Profile): Promise<void>;
}

export interface SaveOptions {
  readonly vault: SecretKeeper;
  /** Writes the profile to the settings. */
  save(profile: Profile): Promise<void>;
  /** Reports what is left to do after the profile was saved. */
  warn(message: string): void;
}

/**
 * Saves a profile with its secret so that it is complete at any moment: the new secret is stored before the profile, and the old secret is
 * removed only after the settings are written.
 * @param secret `undefined` for a profile that signs in without one
 * @throws AppError `unavailable` if nothing was changed, neither the settings nor the stored secrets
 */
export async function saveProfile(profile: Profile, secret: string | undefined, options: SaveOptions): Promise<void> {
  const { vault, warn } = options;
  const before = secret === undefined ? undefined : await vault.get(profile);
  if (secret !== undefined) await vault.store(profile, secret);
  try {
    await options.save(profile);
  } catch (error) {
    if (secret !== undefined) await takeBack(profile, before, options);
    throw new AppError(
      'unavailable',
      l10n.t(
        'The profile "{0}" was not saved, because the settings could not be written: {1} The earlier settings still apply.',
        profile.name,
        sentence(describeError(error)),
      ),
      {
        cause: error,
        remedy: l10n.t('Correct or save the settings file (Preferences: Open User Settings (JSON)), then try again.'),
      },
    );
  }
  try {
    await vault.forget(profile.id, secret === undefined ? undefined : profile);
  } catch (error) {
    warn(
      l10n.t(
        'The profile "{0}" is saved, but an earlier sign-in could not be deleted from the secret storage: {1} It is not used. Remove the profile to try again.',
        profile.name,
        sentence(describeError(error)),
      ),
    );
  }
}

async function takeBack(profile: Profile, before: string | undefined, { vault, warn }: SaveOptions): Promise<void> {
  try {
    if (before === undefined) await vault.remove(profile);
    else await vault.store(profile, before);
  } catch (error) {
    warn(
      l10n.t(
        'The sign-in entered for the profile "{0}" could not be undone: {1} Sign in again when prompted.',
        profile.name,
        sentence(describeError(error)),
      ),
    );
  }
}
