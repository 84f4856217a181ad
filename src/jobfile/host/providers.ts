import * as vscode from 'vscode';
import type { Completion, JobSymbol, QuickFix } from '../services/jobFileService.ts';
import type { Diagnostics } from './diagnostics.ts';
import { isJson, languageId, type LanguageLoader, withJson } from './languageLoader.ts';
import { localRoot } from './localRoot.ts';

const itemKinds: Readonly<Record<Completion['kind'], vscode.CompletionItemKind>> = {
  field: vscode.CompletionItemKind.Property,
  value: vscode.CompletionItemKind.Value,
  reference: vscode.CompletionItemKind.Reference,
  file: vscode.CompletionItemKind.File,
  template: vscode.CompletionItemKind.Snippet,
};

const symbolKinds: Readonly<Record<JobSymbol['kind'], vscode.SymbolKind>> = {
  mapping: vscode.SymbolKind.Object,
  list: vscode.SymbolKind.Array,
  text: vscode.SymbolKind.String,
  number: vscode.SymbolKind.Number,
  boolean: vscode.SymbolKind.Boolean,
  empty: vscode.SymbolKind.Null,
};

/** Registers completion, hovers, outline and quick fixes of job files. */
export function registerProviders(loader: LanguageLoader, marks: Diagnostics): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.languages.registerCompletionItemProvider(
      withJson,
      {
        async provideCompletionItems(file, position, token) {
          const { complete } = await loader.load();
          const items = await complete(file.getText(), file.offsetAt(position), {
            signal: signalOf(token),
          });
          // The editor's JSON language completes fields and values from the schema, but knows no jobs, clusters and files.
          const shown = isJson(file) ? items.filter(({ kind }) => kind === 'reference' || kind === 'file') : items;
          return new vscode.CompletionList(
            shown.map((item) => completionItem(file, position, item)),
            items.some(({ isPartial }) => isPartial === true),
          );
        },
      },
      ' ',
      ':',
      '"',
      '/',
      '-',
      '{',
      '.',
    ),
    vscode.languages.registerHoverProvider(withJson, {
      async provideHover(file, position, token) {
        const language = await loader.load();
        const found = await language.hover(loader.parsed(language, file), file.offsetAt(position), {
          signal: signalOf(token),
        });
        return (
          found &&
          new vscode.Hover(
            new vscode.MarkdownString(found.text),
            new vscode.Range(file.positionAt(found.start), file.positionAt(found.end)),
          )
        );
      },
    }),
    vscode.languages.registerDocumentSymbolProvider(languageId, {
      async provideDocumentSymbols(file) {
        const language = await loader.load();
        return language.symbols(loader.parsed(language, file)).map((symbol) => documentSymbol(file, symbol));
      },
    }),
    registerRename(loader),
    vscode.languages.registerCodeActionsProvider(
      withJson,
      {
        async provideCodeActions(file, range, context) {
          const language = await loader.load();
          const document = loader.parsed(language, file);
          const forms = language.otherForm(document, file.offsetAt(range.start)).map((form) => {
            const action = new vscode.CodeAction(form.title, vscode.CodeActionKind.RefactorRewrite);
            action.edit = workspaceEdit(file, form);
            return action;
          });
          const fixes = marks.problemsOf(file, context.diagnostics).flatMap(({ diagnostic, problem }) => {
            const actionOf = (title: string, edit: vscode.WorkspaceEdit, isPreferred?: boolean): vscode.CodeAction => {
              const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
              action.edit = edit;
              action.diagnostics = [diagnostic];
              action.isPreferred = isPreferred;
              return action;
            };
            const newFile = problem.data?.newFile;
            const creation = newFile === undefined ? undefined : createFile(newFile);
            return [
              ...(creation ? [actionOf(vscode.l10n.t('Create {0}', newFile ?? ''), creation, true)] : []),
              ...language
                .quickFixes(problem, document)
                .map((fix) => actionOf(fix.title, workspaceEdit(file, fix), fix.isPreferred)),
            ];
          });
          return [...fixes, ...forms];
        },
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.RefactorRewrite] },
    ),
  );
}

/** Registers Rename Symbol and Find All References for the names of tasks, shared clusters, environments and parameters. */
function registerRename(loader: LanguageLoader): vscode.Disposable {
  const placesAt = async (file: vscode.TextDocument, position: vscode.Position): Promise<vscode.Range[]> => {
    const language = await loader.load();
    return language
      .placesOf(loader.parsed(language, file), file.offsetAt(position))
      .map(({ start, end }) => new vscode.Range(file.positionAt(start), file.positionAt(end)));
  };
  return vscode.Disposable.from(
    vscode.languages.registerRenameProvider(withJson, {
      async prepareRename(file, position) {
        const place = (await placesAt(file, position)).find((range) => range.contains(position));
        if (!place)
          throw new Error(
            vscode.l10n.t('Only the names of tasks, clusters, environments and parameters can be renamed.'),
          );
        return place;
      },
      async provideRenameEdits(file, position, name) {
        if (!/^[\w.-]{1,100}$/.test(name))
          throw new Error(vscode.l10n.t('A name has 1 to 100 letters, digits, hyphens and underscores.'));
        const edit = new vscode.WorkspaceEdit();
        for (const place of await placesAt(file, position)) edit.replace(file.uri, place, name);
        return edit;
      },
    }),
    vscode.languages.registerReferenceProvider(withJson, {
      provideReferences: async (file, position) =>
        (await placesAt(file, position)).map((place) => new vscode.Location(file.uri, place)),
    }),
  );
}

/** Returns an edit that creates a starter program at the path where the job expects it. */
function createFile(path: string): vscode.WorkspaceEdit | undefined {
  const folder = localRoot();
  if (!folder) return undefined;
  const edit = new vscode.WorkspaceEdit();
  const contents = new TextEncoder().encode('print("Hello from Millrace")\n');
  edit.createFile(vscode.Uri.joinPath(folder.uri, path), { overwrite: false, contents });
  return edit;
}

function workspaceEdit(file: vscode.TextDocument, fix: QuickFix): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const { start, end, text } of fix.changes)
    edit.replace(file.uri, new vscode.Range(file.positionAt(start), file.positionAt(end)), text);
  return edit;
}

function completionItem(
  file: vscode.TextDocument,
  position: vscode.Position,
  completion: Completion,
): vscode.CompletionItem {
  const item = new vscode.CompletionItem(completion.label, itemKinds[completion.kind]);
  const start = file.positionAt(completion.start);
  const end = file.positionAt(completion.end);
  item.detail = completion.detail;
  if (completion.documentation !== undefined) item.documentation = new vscode.MarkdownString(completion.documentation);
  item.insertText = new vscode.SnippetString(completion.snippet);
  item.range = {
    inserting: new vscode.Range(start, position.isAfter(start) ? position : start),
    replacing: new vscode.Range(start, end.isAfter(position) ? end : position),
  };
  item.filterText = completion.filter;
  item.sortText = String(completion.order).padStart(5, '0');
  if (completion.deprecated === true) item.tags = [vscode.CompletionItemTag.Deprecated];
  if (completion.suggestsMore === true) item.command = { command: 'editor.action.triggerSuggest', title: '' };
  return item;
}

function documentSymbol(file: vscode.TextDocument, symbol: JobSymbol): vscode.DocumentSymbol {
  const range = new vscode.Range(file.positionAt(symbol.start), file.positionAt(symbol.end));
  const name = new vscode.Range(file.positionAt(symbol.nameStart), file.positionAt(symbol.nameEnd));
  const result = new vscode.DocumentSymbol(symbol.name, symbol.detail, symbolKinds[symbol.kind], range, name);
  result.children = symbol.children.map((child) => documentSymbol(file, child));
  return result;
}

/** Converts an editor's cancellation token to an abort signal. */
function signalOf(token: vscode.CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
