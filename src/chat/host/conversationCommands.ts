import { Buffer } from 'node:buffer';
import * as vscode from 'vscode';
import { dateTimeFormat } from '../../shared/dateTimeFormat.ts';
import { plainText } from '../../shared/plainText.ts';
import type { ChatService } from '../chatService.ts';
import type { Conversation } from '../conversation.ts';
import { toJson, toMarkdown } from '../exportConversation.ts';
import type { ConversationSummary } from '../history.ts';
import type { ChatServices } from './chatCommands.ts';

type PresentFailure = ChatServices['presentFailure'];

interface ConversationItem extends vscode.QuickPickItem {
  conversation: ConversationSummary;
}

const untitled = (): string => vscode.l10n.t('Untitled conversation');

/** The list of conversations: open one, or rename and delete from its row. */
export async function showHistory(
  service: ChatService,
  showView: () => Promise<void>,
  presentFailure: PresentFailure,
): Promise<void> {
  const renameButton: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('edit'),
    tooltip: vscode.l10n.t('Rename'),
  };
  const deleteButton: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('trash'),
    tooltip: vscode.l10n.t('Delete'),
  };
  const picker = vscode.window.createQuickPick<ConversationItem>();
  picker.title = vscode.l10n.t('Conversations');
  picker.placeholder = vscode.l10n.t('Choose a conversation to open');
  picker.matchOnDescription = true;
  const fill = async (): Promise<void> => {
    picker.busy = true;
    const current = service.currentConversation?.id;
    picker.items = (await service.listConversations())
      .filter((conversation) => conversation.hasContent)
      .map((conversation) => ({
        conversation,
        label: conversation.title || untitled(),
        description: [
          dateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' }).format(conversation.updatedAtMs),
          ...(conversation.id === current ? [vscode.l10n.t('shown')] : []),
        ].join(' · '),
        buttons: [renameButton, deleteButton],
      }));
    picker.busy = false;
  };
  const guard = (work: Promise<void>): void =>
    void work.catch((error: unknown) => presentFailure(error, 'millrace.chat.history'));
  picker.onDidAccept(() => {
    const item = picker.selectedItems[0];
    picker.hide();
    // The view takes the focus only now: before, it would have closed the list.
    if (item) guard(service.openConversation(item.conversation.id).then(showView));
  });
  picker.onDidTriggerItemButton(({ item, button }) => {
    const { id, title } = item.conversation;
    if (button === renameButton) guard(renameConversation(service, id, title));
    else guard(deleteConversation(service, id, title, presentFailure).then(fill));
  });
  picker.onDidHide(() => picker.dispose());
  picker.show();
  await fill();
}

export async function renameConversation(service: ChatService, id: string, title: string): Promise<void> {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename Conversation'),
    value: title,
    prompt: vscode.l10n.t('New name of the conversation'),
  });
  if (name?.trim()) await service.renameConversation(id, name);
}

/** Deletes at once and offers to undo it, instead of asking before. */
export async function deleteConversation(
  service: ChatService,
  id: string,
  title: string,
  presentFailure: PresentFailure,
): Promise<void> {
  await service.deleteConversation(id);
  const undo = vscode.l10n.t('Undo');
  // Not awaited: the message stays until the user is done with it.
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
    title: vscode.l10n.t('Export Conversation'),
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, `${name}.md`) } : {}),
    filters: { [vscode.l10n.t('Markdown')]: ['md'], [vscode.l10n.t('JSON, with all variants')]: ['json'] },
  });
  if (!target) return;
  const text = target.path.endsWith('.json') ? toJson(conversation) : toMarkdown(conversation);
  await vscode.workspace.fs.writeFile(target, Buffer.from(text, 'utf8'));
  await vscode.window.showTextDocument(target);
}
