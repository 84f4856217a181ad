import * as vscode from 'vscode';
import { AppError } from '../../shared/errors.ts';
import type { Profile } from '../connection.ts';
import { originOf } from '../profileSettings.ts';
import type { SecretKeeper } from '../saveProfile.ts';

/**
 * Stores profile secrets in the editor's secret storage. A secret is bound to its profile and to the origin for which it was entered, so
 * that a changed base URL never receives it.
 */
export class SecretVault implements SecretKeeper {
  readonly #storage: vscode.SecretStorage;

  constructor(storage: vscode.SecretStorage) {
    this.#storage = storage;
  }

  async get(profile: Profile): Promise<string | undefined> {
    return this.#storage.get(keyOf(profile));
  }

  /**
   * Stores a secret and reads it back.
   * @throws AppError `unavailable` if the storage did not keep it
   */
  async store(profile: Profile, secret: string): Promise<void> {
    const refuse = (cause?: unknown): AppError =>
      new AppError(
        'unavailable',
        vscode.l10n.t(
          'The editor\'s secret storage did not store the sign-in of profile "{0}". It is not stored anywhere.',
          profile.name,
        ),
        {
          cause,
          remedy: vscode.l10n.t(
            'Unlock or set up the keyring of this system (see "Configure keyring settings in VS Code"), then sign in again.',
          ),
        },
      );
    let kept: string | undefined;
    try {
      await this.#storage.store(keyOf(profile), secret);
      kept = await this.#storage.get(keyOf(profile));
    } catch (error) {
      throw refuse(error);
    }
    if (kept !== secret) throw refuse();
  }

  async remove(profile: Profile): Promise<void> {
    await this.#storage.delete(keyOf(profile));
  }

  /** Removes all secrets ever stored for the profile, at any origin, except the one of `except`. */
  async forget(profileId: string, except?: Profile): Promise<void> {
    const prefix = prefixOf(profileId);
    const kept = except && keyOf(except);
    for (const key of await this.#storage.keys())
      if (key.startsWith(prefix) && key !== kept) await this.#storage.delete(key);
  }
}

function prefixOf(profileId: string): string {
  // Encoded, so that no ID can be confused with another ID followed by part of an origin.
  return `profile:${encodeURIComponent(profileId)}@`;
}

function keyOf(profile: Profile): string {
  return prefixOf(profile.id) + originOf(profile);
}
