import * as vscode from 'vscode';
import { internalCommands } from '../../shared/commandIds.ts';
import type { Event } from '../../shared/event.ts';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { JobGraph } from '../services/jobFileService.ts';
import { isJobFile, type LanguageLoader } from './languageLoader.ts';

/** The tab that draws a graph of tasks beside the file. */
export interface GraphTab extends vscode.Disposable {
  /** Draws the graph; opens the tab if it is not open. */
  show(title: string, graph: JobGraph): void;
  readonly isOpen: boolean;
  /** The key of a task that the user chose in the graph. */
  readonly onDidChoose: Event<string>;
}

/** Shows the tasks of a job file as a graph, which follows the cursor and the text, and moves the cursor to the chosen task. */
export function registerGraph(loader: LanguageLoader, tab: GraphTab): vscode.Disposable {
  const disposables = new DisposableStore();
  disposables.add(tab);
  let followed: vscode.TextEditor | undefined;
  const draw = async (editor: vscode.TextEditor): Promise<void> => {
    followed = editor;
    const file = editor.document;
    const language = await loader.load();
    const graph = language.graphAt(loader.parsed(language, file), file.offsetAt(editor.selection.active));
    if (graph.tasks.length > 0) tab.show(vscode.workspace.asRelativePath(file.uri, false), graph);
  };
  const follow = (editor: vscode.TextEditor | undefined): void => {
    if (tab.isOpen && editor && isJobFile(editor.document)) void draw(editor);
  };
  const choose = async (key: string): Promise<void> => {
    if (!followed) return;
    const file = followed.document;
    const language = await loader.load();
    const document = loader.parsed(language, file);
    const place = language
      .namesAt(document, file.offsetAt(followed.selection.active))
      .find(({ list, name, isEntry }) => list === 'tasks' && isEntry && name === key);
    if (!place) return;
    const range = new vscode.Range(file.positionAt(place.start), file.positionAt(place.end));
    await vscode.window.showTextDocument(file, { viewColumn: followed.viewColumn, selection: range });
  };
  disposables.add(
    vscode.commands.registerCommand(internalCommands.showGraph, async (uri: vscode.Uri, offset: number) => {
      const editor = vscode.window.visibleTextEditors.find(({ document }) => String(document.uri) === String(uri));
      if (!editor) return;
      // The graph is that of the job at the cursor.
      const at = editor.document.positionAt(offset);
      editor.selection = new vscode.Selection(at, at);
      await draw(editor);
    }),
  );
  disposables.add(vscode.window.onDidChangeActiveTextEditor(follow));
  disposables.add(vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => follow(textEditor)));
  disposables.add(
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document === followed?.document) follow(followed);
    }),
  );
  disposables.add(tab.onDidChoose((key) => void choose(key)));
  return disposables;
}
