import { Buffer } from 'node:buffer';
import * as vscode from 'vscode';
import { plainText } from '../../shared/text.ts';
import type { ChatService } from '../chatService.ts';
import type { Conversation } from '../conversation.ts';
import { toJson, toMarkdown } from '../exportConversation.ts';
import type { ChatServices } from './chatCommands.ts';

type PresentFailure = ChatServices['presentFailure'];

const untitled = (): string => vscode.l10n.t('Untitled chat');

export async function renameConversation(service: ChatService, id: string, title: string): Promise<void> {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename Chat'),
    value: title,
    prompt: vscode.l10n.t('New name of the chat'),
  });
  if (name?.trim()) await service.renameConversation(id, name);
}

/** Deletes at once and offers to undo it, instead of asking for confirmation. */
export async function deleteConversation(
  service: ChatService,
  id: string,
  title: string,
  presentFailure: PresentFailure,
): Promise<void> {
  await service.deleteConversation(id);
  const undo = vscode.l10n.t('Undo');
  // Not awaited: the message stays until the user closes it.
  void vscode.window
    .showInformationMessage(plainText(vscode.l10n.t('"{0}" was deleted.', title || untitled())), undo)
    .then((answer) => {
      if (answer === undo)
        service.restoreConversation(id).catch((error: unknown) => presentFailure(error, 'millrace.chat.delete'));
    });
}

export async function exportConversation(conversation: Conversation): Promise<void> {
  const name =
    (conversation.title || 'conversation')
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 60) || 'conversation';
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Chat'),
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, `${name}.md`) } : {}),
    filters: { [vscode.l10n.t('Markdown')]: ['md'], [vscode.l10n.t('JSON with All Variants')]: ['json'] },
  });
  if (!target) return;
  const text = target.path.endsWith('.json') ? toJson(conversation) : toMarkdown(conversation);
  await vscode.workspace.fs.writeFile(target, Buffer.from(text, 'utf8'));
  await vscode.window.showTextDocument(target);
}
