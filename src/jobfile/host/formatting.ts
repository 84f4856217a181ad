import * as vscode from 'vscode';
import { isOn } from './editorSettings.ts';
import { languageId } from './languageId.ts';
import type { LanguageLoader } from './languageLoader.ts';

/** Format Document for job files. Spaces are all it changes. */
export function registerFormatting(loader: LanguageLoader): vscode.Disposable {
  return vscode.languages.registerDocumentFormattingEditProvider(languageId, {
    async provideDocumentFormattingEdits(file, _options, token) {
      if (!isOn('format', file)) return [];
      const language = await loader.load();
      if (token.isCancellationRequested) return [];
      // The user's own width: what the editor has guessed from this file is what it is to be laid out from.
      const indent = vscode.workspace.getConfiguration('editor', file).get('tabSize', 2);
      return language
        .format(loader.parsed(language, file), { indent })
        .map(({ start, end, text }) =>
          vscode.TextEdit.replace(new vscode.Range(file.positionAt(start), file.positionAt(end)), text),
        );
    },
  });
}
