import * as vscode from 'vscode';
import type { Profile } from '../connection.ts';
import { settingsTargetOf } from '../profileSettings.ts';

/** Names the profile, its address and what a mutation changes there. @returns whether to do it, or the other answer that was chosen */
export async function askOnProduction<Other extends string>(
  profile: Profile,
  what: string,
  detail: string | undefined,
  others: readonly Other[],
): Promise<boolean | Other> {
  const proceed = vscode.l10n.t('Do It on {0}', profile.name);
  const where = vscode.l10n.t('This changes the production workspace at {0}.', settingsTargetOf(profile));
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t('PRODUCTION "{0}": {1}?', profile.name, what),
    { modal: true, detail: detail === undefined ? where : `${detail}\n\n${where}` },
    // The first one is what Enter chooses: nobody changes production by reflex.
    vscode.l10n.t('Change Nothing'),
    proceed,
    ...others,
  );
  return choice === proceed || (others.find((other) => other === choice) ?? false);
}
