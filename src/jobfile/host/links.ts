import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import type { FileReference } from '../services/jobFileService.ts';
import { withJson } from './languageId.ts';
import type { LanguageLoader } from './languageLoader.ts';
import { fileOf, localRoot } from './localRoot.ts';

/**
 * Paths of programs and notebooks lead to them, as links and by Go to Definition; an alias leads to its anchor. On other
 * services than the local one the same path is another file.
 */
export function registerLinks(loader: LanguageLoader, connections: ConnectionService): vscode.Disposable {
  const referencesOf = async (file: vscode.TextDocument): Promise<{ reference: FileReference; uri: vscode.Uri }[]> => {
    const folder = localRoot();
    if (!folder || connections.current.kind !== 'local') return [];
    const language = await loader.load();
    const found = language.fileReferences(loader.parsed(language, file)).map(async (reference) => {
      const uri = await fileOf(folder, reference);
      return uri ? [{ reference, uri }] : [];
    });
    return (await Promise.all(found)).flat();
  };
  const rangeOf = (file: vscode.TextDocument, { start, end }: { start: number; end: number }): vscode.Range =>
    new vscode.Range(file.positionAt(start), file.positionAt(end));
  return vscode.Disposable.from(
    vscode.languages.registerDocumentLinkProvider(withJson, {
      provideDocumentLinks: async (file) =>
        (await referencesOf(file)).map(({ reference, uri }) => new vscode.DocumentLink(rangeOf(file, reference), uri)),
    }),
    vscode.languages.registerDefinitionProvider(withJson, {
      async provideDefinition(file, position) {
        const offset = file.offsetAt(position);
        const language = await loader.load();
        const anchor = language.anchorOf(loader.parsed(language, file), offset);
        if (anchor) return new vscode.Location(file.uri, rangeOf(file, anchor));
        const found = (await referencesOf(file)).find(
          ({ reference }) => offset >= reference.start && offset <= reference.end,
        );
        return found && new vscode.Location(found.uri, new vscode.Range(0, 0, 0, 0));
      },
    }),
  );
}
