import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import { plainText } from '../../shared/plainText.ts';
import { readRunLink } from '../../shared/runLink.ts';

/**
 * Opens runs that links from outside name, as those in mails and webhooks of the local service do. Whoever has written the link is not
 * known, so the user is asked first; nothing is changed on a service by it.
 */
export class RunLinks implements vscode.UriHandler {
  readonly #connections: Pick<ConnectionService, 'current' | 'profiles'>;

  constructor(connections: Pick<ConnectionService, 'current' | 'profiles'>) {
    this.#connections = connections;
  }

  async handleUri(uri: vscode.Uri): Promise<void> {
    const linked = readRunLink(uri);
    if (!linked) {
      void vscode.window.showWarningMessage(
        vscode.l10n.t('A link that was opened names no run, so nothing was done. It may have been cut off.'),
      );
      return;
    }
    const { profileId, runId } = linked;
    const profile = this.#connections.profiles.find(({ id }) => id === profileId);
    if (!profile) {
      void vscode.window.showWarningMessage(
        vscode.l10n.t(
          'The link is for the profile "{0}", which does not exist. Nothing was done.',
          plainText(profileId),
        ),
      );
      return;
    }
    const open = vscode.l10n.t('Open');
    const isCurrent = this.#connections.current.id === profileId;
    const choice = await vscode.window.showInformationMessage(
      vscode.l10n.t('Open run {0} of "{1}"?', runId, profile.name),
      {
        modal: true,
        detail: [
          vscode.l10n.t('A link asks for it. The run is only read, with the sign-in of this profile.'),
          ...(isCurrent ? [] : [vscode.l10n.t('This window changes to the profile.')]),
        ].join(' '),
      },
      open,
    );
    if (choice !== open) return;
    if (!isCurrent) await vscode.commands.executeCommand('millrace.profile.choose', profileId);
    await vscode.commands.executeCommand('millrace.openRun', { profileId, runId });
  }
}
