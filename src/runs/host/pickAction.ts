import * as vscode from 'vscode';
import type { FromPage, PageAction } from '../page/pageProtocol.ts';

/** What is meant: of the actions that have no button, one is asked for. If none is chosen, one that does nothing. */
export async function pickAction(message: FromPage, more: readonly PageAction[]): Promise<FromPage> {
  if (message.type !== 'action' || message.id !== 'more') return message;
  const choice = await vscode.window.showQuickPick(more.map(({ id, label }) => ({ id, label })));
  return { type: 'action', id: choice?.id ?? '' };
}
