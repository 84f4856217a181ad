import * as vscode from 'vscode';
import { plainText } from '../../shared/plainText.ts';

type Settle = (answer: string | undefined) => void;

/** Changes that are shown and wait for a word: from their message, from the buttons of the comparison's title, or by its tab being closed. */
export class Reviews {
  /** By the URI of the text that is proposed: settles with the first action, or with none. */
  readonly #waiting = new Map<string, { readonly action: string | undefined; readonly settle: Settle }>();

  async ask(
    [now, after]: readonly [vscode.Uri, vscode.Uri],
    title: string,
    message: string,
    actions: readonly string[],
  ): Promise<string | undefined> {
    const key = after.toString();
    await vscode.commands.executeCommand('vscode.diff', now, after, title, { preview: false });
    const closed: vscode.Disposable[] = [];
    try {
      return await new Promise<string | undefined>((settle) => {
        this.#waiting.set(key, { action: actions[0], settle });
        closed.push(
          vscode.window.tabGroups.onDidChangeTabs((event) => {
            if (event.closed.some((tab) => isOf(tab, key))) settle(undefined);
          }),
        );
        const discard = vscode.l10n.t('Discard');
        void vscode.window.showInformationMessage(plainText(message), ...actions, discard).then((answer) => {
          // A message that is put away leaves the buttons of the title.
          if (answer === undefined) return;
          // It stays in sight when the title or the tab has decided.
          if (this.#waiting.get(key)?.settle === settle) settle(answer === discard ? undefined : answer);
          else if (answer !== discard)
            void vscode.window.showInformationMessage(
              vscode.l10n.t('This change is already decided, so nothing more was done.'),
            );
        });
      });
    } finally {
      this.#waiting.delete(key);
      for (const each of closed) each.dispose();
      await closeComparison(after);
    }
  }

  /** A button in the title of a comparison. */
  settle(uri: string | undefined, isWanted: boolean): void {
    const waiting = uri === undefined ? undefined : this.#waiting.get(uri);
    waiting?.settle(isWanted ? waiting.action : undefined);
  }
}

/** Closes the tabs that compare something with this text. */
export async function closeComparison(modified: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  await vscode.window.tabGroups.close(tabs.filter((tab) => isOf(tab, modified.toString())));
}

function isOf({ input }: vscode.Tab, modified: string): boolean {
  return input instanceof vscode.TabInputTextDiff && input.modified.toString() === modified;
}
