import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import { lineOfCell } from '../output/cellPlaces.ts';

/** A place in a file of the workspace. */
export interface WorkspacePlace {
  readonly uri: vscode.Uri;
  /** Counted from 0. */
  readonly line: number;
  /** Of a notebook that the editor shows as cells, counted from 0; the line is one of the cell then. */
  readonly cell?: number;
}

const library = /site-packages|dist-packages|[\\/]lib[\\/]python|[\\/]spark[\\/]python[\\/]|^<(?!cell )/;
const cellName = /^<cell (\d+)(?: of ([^>]+))?>$/;
/** The n-th input that IPython was given. */
const inputName = /^In\[(\d+)\]$/;
const notebookExtensions = ['', '.py', '.ipynb', '.sql', '.scala', '.r', '.R'];
const leftOut = '**/{node_modules,.git,.venv,venv,__pycache__}/**';

/** Finds the files that outputs and traces name in the workspace, wherever the run was. */
export class WorkspacePlaces {
  /** By file as it is written. */
  readonly #found = new Map<string, Promise<vscode.Uri | undefined>>();
  readonly #run: () => Run | undefined;

  constructor(run: () => Run | undefined) {
    this.#run = run;
  }

  /** Files may have come, gone or moved. */
  forget(): void {
    this.#found.clear();
  }

  /** @returns undefined if the workspace has no such file, or several */
  file(name: string): Promise<vscode.Uri | undefined> {
    const known = this.#found.get(name);
    if (known) return known;
    const looking = this.#find(name).catch(() => undefined);
    this.#found.set(name, looking);
    return looking;
  }

  async place(name: string, line: number): Promise<WorkspacePlace | undefined> {
    const uri = await this.file(name);
    if (!uri) return undefined;
    const input = inputName.exec(name)?.[1];
    const number = input ?? cellName.exec(name)?.[1];
    // A notebook that is named without a cell is shown from its first one on, and not as the JSON that it is kept in.
    if (number === undefined) return { uri, line: line - 1, ...(uri.path.endsWith('.ipynb') ? { cell: 0 } : {}) };
    if (uri.path.endsWith('.ipynb')) {
      const cell = (await countedCells(uri, input !== undefined))[Number(number) - 1];
      if (!cell) return undefined;
      // IPython drops the empty lines that a cell begins with, and counts from the next one on.
      const dropped =
        input === undefined
          ? 0
          : cell.document
              .getText()
              .split('\n')
              .findIndex((each) => each.trim() !== '');
      return { uri, line: line - 1 + dropped, cell: cell.index };
    }
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    const found = lineOfCell(text, Number(number), line, input !== undefined);
    return found === undefined ? undefined : { uri, line: found - 1 };
  }

  /** Shows a place in an editor, if the workspace has it. */
  async show({ file, line }: { readonly file: string; readonly line: number }): Promise<void> {
    const place = await this.place(file, line);
    if (place) await showPlace(place);
  }

  async #find(name: string): Promise<vscode.Uri | undefined> {
    const cell = cellName.exec(name) ?? inputName.exec(name);
    if (cell) return cell[2] === undefined ? this.#notebook() : this.#bySuffix(cell[2]);
    if (library.test(name)) return undefined;
    const plainName = name.replaceAll('\\', '/').replace(/^(?:file|dbfs):\/*/, '/');
    return (await this.#byPath(plainName)) ?? this.#bySuffix(plainName);
  }

  /** The notebook of the run's task. */
  async #notebook(): Promise<vscode.Uri | undefined> {
    const task = this.#run()?.task?.notebook_task;
    if (typeof task?.notebook_path !== 'string') return undefined;
    for (const extension of notebookExtensions) {
      const uri = await this.#bySuffix(task.notebook_path + extension);
      if (uri) return uri;
    }
    return undefined;
  }

  async #byPath(name: string): Promise<vscode.Uri | undefined> {
    if (!path.isAbsolute(name)) return undefined;
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      if (uri.scheme !== 'file') continue;
      // A run names files by where they really are.
      for (const root of [uri.fsPath, await fs.realpath(uri.fsPath).catch(() => uri.fsPath)]) {
        const relative = path.relative(root, name);
        if (relative.startsWith('..') || path.isAbsolute(relative)) continue;
        const found = vscode.Uri.joinPath(uri, relative);
        if (await isFile(found)) return found;
      }
    }
    return undefined;
  }

  /** By the longest end of the path that is in the workspace; a bare name only if one file alone has it. */
  async #bySuffix(name: string): Promise<vscode.Uri | undefined> {
    // A file of this machine that is not in the workspace is not a file of the workspace with the same name.
    if (path.isAbsolute(name) && (await isFile(vscode.Uri.file(name)))) return undefined;
    const parts = name.split('/').filter((part) => part !== '' && part !== '.' && part !== '~');
    if (parts.length === 0 || parts.includes('..') || parts.length > 40) return undefined;
    for (let from = 0; from < parts.length; from += 1) {
      for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
        const found = vscode.Uri.joinPath(uri, ...parts.slice(from));
        if (await isFile(found)) return found;
      }
    }
    const ending = parts
      .slice(-3)
      .join('/')
      .replace(/[[\]{}*?]/g, '?');
    const found = await vscode.workspace.findFiles(`**/${ending}`, leftOut, 2);
    return found.length === 1 ? found[0] : undefined;
  }
}

/** The cells of a notebook that count: a run leaves raw ones out, and IPython is given neither text nor what is empty. */
async function countedCells(uri: vscode.Uri, isInput: boolean): Promise<vscode.NotebookCell[]> {
  const cells = (await vscode.workspace.openNotebookDocument(uri)).getCells();
  return cells.filter(
    ({ kind, document }) =>
      document.languageId !== 'raw' &&
      (!isInput || (kind === vscode.NotebookCellKind.Code && document.getText().trim() !== '')),
  );
}

/** Whether there is a file, and not a folder. */
export async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}

/** Shows a place in an editor. */
async function showPlace({ uri, line, cell }: WorkspacePlace): Promise<void> {
  if (cell !== undefined) {
    const notebook = await vscode.workspace.openNotebookDocument(uri);
    const range = new vscode.NotebookRange(cell, cell + 1);
    await vscode.window.showNotebookDocument(notebook, { selections: [range] });
    const selection = new vscode.Range(line, 0, line, 0);
    await vscode.commands.executeCommand('vscode.open', notebook.cellAt(cell).document.uri, { selection });
    return;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  const position = new vscode.Position(Math.min(line, document.lineCount - 1), 0);
  await vscode.window.showTextDocument(document, {
    selection: new vscode.Range(position, position),
    viewColumn: vscode.ViewColumn.Active,
  });
}
