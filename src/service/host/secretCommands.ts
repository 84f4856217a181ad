import * as vscode from 'vscode';
import { AppError } from '../../shared/errors.ts';
import type { ServiceConfiguration } from '../startup/serviceConfiguration.ts';
import { mailPasswordName, secretNamePattern, secretNamesIn, storageKeyOf } from './serviceSecrets.ts';

/** Asks for the mail server's password and stores it in the editor's secret storage. An empty password removes it. */
export async function setMailPassword(storage: vscode.SecretStorage): Promise<void> {
  await askAndKeep(storage, mailPasswordName, vscode.l10n.t('Password of the mail server in millrace.local.smtp'));
}

/** Does the same for a secret that destinations refer to as `${secret:name}`. */
export async function setSecret(storage: vscode.SecretStorage): Promise<void> {
  const name = await chooseName(storage);
  if (name !== undefined) await askAndKeep(storage, name, vscode.l10n.t('Value of the secret "{0}"', name));
}

async function chooseName(storage: vscode.SecretStorage): Promise<string | undefined> {
  const names = secretNamesIn(
    vscode.workspace.getConfiguration('millrace.local').get<ServiceConfiguration['destinations']>('destinations'),
  );
  const items = await Promise.all(
    names.map(async (name) => ({
      label: name,
      description:
        (await storage.get(storageKeyOf(name))) === undefined ? vscode.l10n.t('not set') : vscode.l10n.t('set'),
    })),
  );
  if (items.length > 0) {
    const other = { label: vscode.l10n.t('Another name…'), description: '' };
    const picked = await vscode.window.showQuickPick([...items, other], {
      title: vscode.l10n.t('Secret of the Local Service'),
    });
    if (picked === undefined) return undefined;
    if (picked !== other) return picked.label;
  }
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Secret of the Local Service'),
    prompt: vscode.l10n.t('Name that ${secret:name} refers to in millrace.local.destinations'),
    ignoreFocusOut: true,
    validateInput: (text) =>
      secretNamePattern.test(text) ? undefined : vscode.l10n.t('1 to 64 letters, digits, "-", "_" and "."'),
  });
}

async function askAndKeep(storage: vscode.SecretStorage, name: string, prompt: string): Promise<void> {
  const value = await vscode.window.showInputBox({
    title: vscode.l10n.t('Secret of the Local Service'),
    prompt: vscode.l10n.t('{0}. Leave it empty to remove it.', prompt),
    password: true,
    ignoreFocusOut: true,
  });
  if (value === undefined) return;
  const key = storageKeyOf(name);
  if (value === '') {
    await storage.delete(key);
    void vscode.window.showInformationMessage(vscode.l10n.t('The secret "{0}" was removed.', name));
    return;
  }
  await storeSecret(storage, key, value, name);
  void vscode.window.showInformationMessage(
    vscode.l10n.t(
      'The secret "{0}" is stored in the editor\'s secret storage. The local service uses it from its next start.',
      name,
    ),
  );
}

/** @throws AppError if the storage does not work, which it does not report itself */
export async function storeSecret(
  storage: vscode.SecretStorage,
  key: string,
  value: string,
  name: string,
): Promise<void> {
  await storage.store(key, value);
  if ((await storage.get(key)) !== value) {
    throw new AppError(
      'unavailable',
      vscode.l10n.t('The editor\'s secret storage did not store the secret "{0}". It is not stored anywhere.', name),
      {
        remedy: vscode.l10n.t(
          'Unlock or set up the keyring of this system (see "Configure keyring settings in VS Code"), then set it again.',
        ),
      },
    );
  }
}
