import * as vscode from 'vscode';

/** Texts to compare with, kept while their tab may be open. */
export class ComparedTexts implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  #count = 0;

  /** @param folder above the name in the URI: the menus of the comparison's title depend on it */
  add(text: string, name: string, folder = ''): vscode.Uri {
    this.#count += 1;
    const uri = vscode.Uri.from({ scheme: 'millrace-compare', path: `${folder}/${this.#count}/${name}` });
    this.#texts.set(uri.toString(), text);
    // An old comparison that is opened again is rare; a window that keeps every text for ever is not wanted.
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > 20 && oldest !== undefined) this.#texts.delete(oldest);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? vscode.l10n.t('This comparison is no longer kept. Compare again.');
  }
}
