import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import { lineOfCell } from '../output/cellPlaces.ts';

/** A place in a workspace file. */
export interface WorkspacePlace {
  readonly uri: vscode.Uri;
  /** Counted from 0. */
  readonly line: number;
  /** Index of the cell for a notebook that the editor shows as cells; the line is then relative to the cell. */
  readonly cell?: number;
}

const library = /site-packages|dist-packages|[\\/]lib[\\/]python|[\\/]spark[\\/]python[\\/]|^<(?!cell )/;
const cellName = /^<cell (\d+)(?: of ([^>]+))?>$/;
/** IPython's name for its n-th input. */
const inputName = /^In\[(\d+)\]$/;
const notebookExtensions = ['', '.py', '.ipynb', '.sql', '.scala', '.r', '.R'];
const leftOut = '**/{node_modules,.git,.venv,venv,__pycache__}/**';

/** Finds workspace files named in outputs and traces, wherever the run took place. */
export class WorkspacePlaces {
  /** Keyed by the file name as written. */
  readonly #found = new Map<string, Promise<vscode.Uri | undefined>>();
  readonly #run: () => Run | undefined;

  constructor(run: () => Run | undefined) {
    this.#run = run;
  }

  /** Forgets the found files, because files may have been created, deleted or moved. */
  forget(): void {
    this.#found.clear();
  }

  /**
   * Finds a workspace file.
   * @returns `undefined` if the workspace has no such file, or several
   */
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
    // A notebook named without a cell is opened at its first cell, not as raw JSON.
    if (number === undefined) return { uri, line: line - 1, ...(uri.path.endsWith('.ipynb') ? { cell: 0 } : {}) };
    if (uri.path.endsWith('.ipynb')) {
      const cell = (await countedCells(uri, input !== undefined))[Number(number) - 1];
      if (!cell) return undefined;
      // IPython drops the empty lines at the start of a cell and counts from the first line after them.
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

  /** Shows a place in an editor if the workspace has it. */
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

  /** Returns the notebook of the run's task. */
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
      // A run names files by their real paths.
      for (const root of [uri.fsPath, await fs.realpath(uri.fsPath).catch(() => uri.fsPath)]) {
        const relative = path.relative(root, name);
        if (relative.startsWith('..') || path.isAbsolute(relative)) continue;
        const found = vscode.Uri.joinPath(uri, relative);
        if (await isFile(found)) return found;
      }
    }
    return undefined;
  }

  /** Finds a file by the longest end of its path that is in the workspace; a bare name only if exactly one file has it. */
  async #bySuffix(name: string): Promise<vscode.Uri | undefined> {
    // A local file outside the workspace is not the workspace file with the same name.
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

/** Returns the cells that are counted: a run skips raw cells, and IPython receives neither Markdown nor empty cells. */
async function countedCells(uri: vscode.Uri, isInput: boolean): Promise<vscode.NotebookCell[]> {
  const cells = (await vscode.workspace.openNotebookDocument(uri)).getCells();
  return cells.filter(
    ({ kind, document }) =>
      document.languageId !== 'raw' &&
      (!isInput || (kind === vscode.NotebookCellKind.Code && document.getText().trim() !== '')),
  );
}

/** Returns whether a file, not a folder, exists. */
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
