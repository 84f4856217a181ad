import * as vscode from 'vscode';
import { languageId } from './languageId.ts';
import type { LanguageLoader } from './languageLoader.ts';

const kind = vscode.DocumentDropOrPasteEditKind.Text.append('yaml', 'fromJson');

/** JSON that is pasted becomes YAML; the paste menu still offers it as it is. */
export function registerPasteJson(loader: LanguageLoader): vscode.Disposable {
  return vscode.languages.registerDocumentPasteEditProvider(
    languageId,
    {
      async provideDocumentPasteEdits(file, ranges, data, _context, token) {
        const clipboard = await data.get('text/plain')?.asString();
        const [range] = ranges;
        if (clipboard === undefined || ranges.length !== 1 || !range || token.isCancellationRequested) return undefined;
        const { pasteJson } = await loader.load();
        const start = file.offsetAt(range.start);
        const text = file.getText();
        const yaml = pasteJson(clipboard, text.slice(0, start) + text.slice(file.offsetAt(range.end)), start);
        if (yaml === undefined) return undefined;
        // A snippet would take "$" and "}" for its own.
        return [new vscode.DocumentPasteEdit(yaml, vscode.l10n.t('Insert JSON as YAML'), kind)];
      },
    },
    { providedPasteEditKinds: [kind], pasteMimeTypes: ['text/plain'] },
  );
}
