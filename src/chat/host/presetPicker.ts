import * as vscode from 'vscode';
import type { Parameters } from '../conversationEvent.ts';

const presetsKey = 'millrace.chat.presets';

type Presets = Readonly<Record<string, Parameters>>;

/**
 * Lets the user choose saved parameters, save the current ones under a name, or delete some.
 * @returns the chosen parameters, or `undefined` if those of the conversation stay as they are
 */
export async function pickPreset(memory: vscode.Memento, current: Parameters): Promise<Parameters | undefined> {
  const presets = memory.get<Presets>(presetsKey) ?? {};
  const items = Object.entries(presets).map(([label, parameters]) => ({
    label,
    description: Object.keys(parameters).join(', '),
    parameters,
  }));
  const save = { label: vscode.l10n.t('Save Current Values…'), iconPath: new vscode.ThemeIcon('save') };
  const remove = { label: vscode.l10n.t('Delete Presets…'), iconPath: new vscode.ThemeIcon('trash') };
  const title = vscode.l10n.t('Presets of Parameters and Instructions');
  const actions = [...(Object.keys(current).length > 0 ? [save] : []), ...(items.length > 0 ? [remove] : [])];
  const separator = { label: '', kind: vscode.QuickPickItemKind.Separator };
  const picked = await vscode.window.showQuickPick<vscode.QuickPickItem>([...items, separator, ...actions], {
    title,
    placeHolder: actions.length > 0 ? undefined : vscode.l10n.t('Set a parameter first, then save it here'),
  });
  if (picked === save) {
    const name = await vscode.window.showInputBox({ title, prompt: vscode.l10n.t('Name of the preset') });
    if (name?.trim()) await memory.update(presetsKey, { ...presets, [name.trim()]: current });
  } else if (picked === remove) {
    const gone = await vscode.window.showQuickPick(items, { title: remove.label, canPickMany: true });
    const kept = items.filter(({ label }) => !gone?.some((each) => each.label === label));
    await memory.update(presetsKey, Object.fromEntries(kept.map(({ label, parameters }) => [label, parameters])));
  }
  return items.find((item) => item === picked)?.parameters;
}
