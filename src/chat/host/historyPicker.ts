import * as vscode from 'vscode';
import { formatLastUse } from '../../shared/dateTimeFormat.ts';
import { lazy } from '../../shared/lazy.ts';
import type { ChatService } from '../chatService.ts';
import type { ConversationSummary } from '../history.ts';
import { dateGroup, excerptOf } from '../historyText.ts';
import type { ChatServices } from './chatCommands.ts';
import { deleteConversation, renameConversation } from './conversationCommands.ts';

interface ConversationItem extends vscode.QuickPickItem {
  readonly conversation?: ConversationSummary;
}

/** Minimum search length: shorter texts occur in nearly every conversation. */
const minSearched = 3;

/** Shows the conversations by day with full-text search. The user can open one, or rename and delete it from its row. */
export async function showHistory(
  service: ChatService,
  showView: () => Promise<void>,
  presentFailure: ChatServices['presentFailure'],
): Promise<void> {
  const buttons: vscode.QuickInputButton[] = [
    { iconPath: new vscode.ThemeIcon('edit'), tooltip: vscode.l10n.t('Rename') },
    { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Delete') },
  ];
  const picker = vscode.window.createQuickPick<ConversationItem>();
  picker.title = vscode.l10n.t('Chats');
  picker.placeholder = vscode.l10n.t('Search titles and messages');
  picker.matchOnDetail = true;
  const words = new Map<string, string>();
  let conversations: ConversationSummary[] = [];
  const draw = (): void => {
    const current = service.currentConversation?.id;
    const isSearch = picker.value.trim().length >= minSearched;
    const items: ConversationItem[] = [];
    let group: string | undefined;
    for (const conversation of conversations) {
      const { id, title, updatedAtMs } = conversation;
      const itsGroup = dateGroup(updatedAtMs, Date.now(), vscode.env.language);
      if (itsGroup !== group) items.push({ label: itsGroup, kind: vscode.QuickPickItemKind.Separator });
      group = itsGroup;
      const detail = isSearch ? excerptOf(words.get(id) ?? '', picker.value.trim()) : undefined;
      items.push({
        conversation,
        iconPath: new vscode.ThemeIcon(iconOf(service, conversation)),
        label: title || vscode.l10n.t('Untitled chat'),
        description: [
          formatLastUse(updatedAtMs, Date.now(), vscode.env.language),
          ...stateOf(service, conversation, current),
        ].join(', '),
        ...(detail !== undefined && { detail, alwaysShow: true }),
        buttons,
      });
    }
    picker.items = items;
  };
  const fill = async (): Promise<void> => {
    picker.busy = true;
    conversations = (await service.listConversations()).filter((conversation) => conversation.hasContent);
    picker.busy = false;
    draw();
  };
  /** Read the texts only when the first search needs them. */
  const readAll = lazy(async (): Promise<void> => {
    picker.busy = true;
    try {
      for (const { id } of conversations) words.set(id, await service.wordsOf(id));
    } finally {
      picker.busy = false;
    }
  });
  const guard = (work: Promise<void>): void =>
    void work.catch((error: unknown) => presentFailure(error, 'millrace.chat.history'));
  picker.onDidChangeValue((value) => {
    if (value.trim().length < minSearched && words.size === 0) return;
    guard(readAll().then(draw));
  });
  picker.onDidAccept(() => {
    const conversation = picker.selectedItems[0]?.conversation;
    picker.hide();
    // Focus the view only now: earlier, that would have closed the list.
    if (conversation) guard(service.openConversation(conversation.id).then(showView));
  });
  picker.onDidTriggerItemButton(({ item: { conversation }, button }) => {
    if (!conversation) return;
    const { id, title } = conversation;
    if (button === buttons[0]) guard(renameConversation(service, id, title));
    else guard(deleteConversation(service, id, title, presentFailure).then(fill));
  });
  picker.onDidHide(() => picker.dispose());
  picker.show();
  await fill();
}

function stateOf(service: ChatService, { id, isCutOff }: ConversationSummary, current: string | undefined): string[] {
  if (service.isWriting(id)) return [vscode.l10n.t('writing')];
  if (service.isUnread(id)) return [vscode.l10n.t('new answer')];
  return [...(isCutOff ? [vscode.l10n.t('cut off')] : []), ...(id === current ? [vscode.l10n.t('shown')] : [])];
}

/** Returns an icon for every conversation, so that the titles are aligned. */
function iconOf(service: ChatService, { id, isCutOff }: ConversationSummary): string {
  if (service.isWriting(id)) return 'loading~spin';
  if (service.isUnread(id)) return 'circle-filled';
  return isCutOff ? 'warning' : 'comment';
}
