import type { WorkspaceFile } from '../ui.ts';

/** The code of one cell of an .ipynb as a file; what is changed in it is changed in the notebook. */
export interface CellFile extends WorkspaceFile {
  readonly notebook: WorkspaceFile;
  /** The notebook with other code in this cell. */
  notebookWith(code: string): string;
}

export function isCellFile(file: WorkspaceFile): file is CellFile {
  return 'notebook' in file;
}

interface Book {
  readonly cells: { cell_type?: string; source?: string | string[] }[];
}

/**
 * @param number counted from 1, as runs count them: raw cells are none
 * @param isInput whether only those count that IPython is given: neither text nor what is empty
 * @returns undefined if the cell is no Python, or if the notebook could not be written without changing more than the cell
 */
export function cellFile(notebook: WorkspaceFile, number: number, isInput = false): CellFile | undefined {
  const book = readBook(notebook.text);
  const cell = book?.cells.filter(({ cell_type: kind, source }) =>
    isInput ? kind === 'code' && textOf(source).trim() !== '' : kind !== 'raw',
  )[number - 1];
  if (!book || cell?.cell_type !== 'code' || cell.source === undefined) return undefined;
  const { source } = cell;
  const text = textOf(source);
  const write = [1, 2, 4, '\t', 0]
    .flatMap((indent) => ['\n', ''].map((end) => (): string => JSON.stringify(book, undefined, indent) + end))
    .find((each) => each() === notebook.text);
  // What begins with a magic is not what its lines are counted in.
  if (!write || /^\s*[%!]/.test(text)) return undefined;
  return {
    ...notebook,
    text,
    notebook,
    notebookWith(code) {
      cell.source = Array.isArray(source) ? code.split(/(?<=\n)/) : code;
      const written = write();
      cell.source = source;
      return written;
    },
  };
}

const textOf = (source: string | readonly string[] = ''): string =>
  typeof source === 'string' ? source : source.join('');

function readBook(text: string): Book | undefined {
  try {
    const book = JSON.parse(text) as Partial<Book> | null;
    return Array.isArray(book?.cells) ? (book as Book) : undefined;
  } catch {
    return undefined;
  }
}
