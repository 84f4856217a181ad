import * as vscode from 'vscode';
import type { NotebookCells } from './runDebugAdapter.ts';

const ofDebugger = /^(.*\.ipynb)#cell (\d+)$/i;

/** The cells of the editor's notebooks, as the debugger of a run names them. A run does not count raw cells. */
export const notebookCells: NotebookCells = {
  toDebugger(path) {
    if (!path.startsWith('vscode-notebook-cell:')) return path;
    const uri = vscode.Uri.parse(path).toString();
    for (const notebook of vscode.workspace.notebookDocuments) {
      const index = cellsOf(notebook).findIndex(({ document }) => document.uri.toString() === uri);
      if (index >= 0) return `${notebook.uri.fsPath}#cell ${index + 1}`;
    }
    return path;
  },
  toEditor(path) {
    const [, file, number] = ofDebugger.exec(path) ?? [];
    const notebook = file === undefined ? undefined : openNotebook(file);
    return (notebook && cellsOf(notebook)[Number(number) - 1]?.document.uri.toString()) ?? path;
  },
  async open(paths) {
    const files = new Set(paths.map((path) => ofDebugger.exec(path)?.[1]));
    for (const file of files)
      if (file !== undefined && !openNotebook(file)) await vscode.workspace.openNotebookDocument(vscode.Uri.file(file));
  },
};

function openNotebook(file: string): vscode.NotebookDocument | undefined {
  return vscode.workspace.notebookDocuments.find(({ uri }) => uri.fsPath === file);
}

function cellsOf(notebook: vscode.NotebookDocument): vscode.NotebookCell[] {
  return notebook.getCells().filter(({ document }) => document.languageId !== 'raw');
}
