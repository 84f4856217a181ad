import type { JobSettings, RunOutput, SubmitRequest } from '../../api/schema/jobs/schemas.ts';
import { lineOfCell } from '../../runs/output/cellPlaces.ts';
import { readTrace } from '../../runs/output/failingPlace.ts';
import type { WorkspaceFile } from '../ui.ts';
import type { Change } from './applyCode.ts';

/** A line of a workspace file. */
export interface Step {
  readonly file: WorkspaceFile;
  /** Counted from 1. */
  readonly line: number;
}

/** The information about a failed run from which it is fixed. */
export interface FailedRun {
  /** The error, or the service's message, in one line. */
  readonly error: string;
  /** The error with its trace and the last output. */
  readonly text: string;
  /** The steps in the workspace, innermost first. */
  readonly steps: readonly Step[];
  /** The job file, with its settings if it is valid. */
  readonly jobFile: { readonly file: WorkspaceFile; readonly settings: JobSettings | undefined } | undefined;
  readonly request: SubmitRequest;
  /** Workspace paths. */
  readonly files: readonly string[];
  /**
   * Reads a file.
   * @throws an error if the file does not exist
   */
  read(path: string): Promise<WorkspaceFile>;
}

/** A change that fixes a failure. */
export interface Proposal extends Change {
  /** Description of the change. */
  readonly what: string;
}

/** Finds a fix: a proposal, a text if the cause is known but there is no certain fix, or `undefined` if the cause is unknown. */
export type Rule = (failure: FailedRun) => Proposal | string | undefined | Promise<Proposal | string | undefined>;

const library = /site-packages|dist-packages|[\\/]lib[\\/]python|^<(?!cell )/;
/** IPython's name for its n-th input. */
const inputName = /^In\[(\d{1,6})\]$/;
/** Maximum steps of a trace to search for. */
const maxSteps = 20;

/** Reads the failure from a run's output. */
export async function readFailure(
  output: RunOutput,
  known: Pick<FailedRun, 'jobFile' | 'request' | 'files' | 'read'>,
): Promise<FailedRun> {
  const texts = [output['error_trace'], output.error, output.metadata?.state?.state_message];
  const parts = texts.filter((part) => typeof part === 'string');
  const trace = readTrace(parts[0] ?? '', output.error);
  // If nothing was raised, a program prints the reason just before it exits.
  const logs = typeof output['logs'] === 'string' ? output['logs'].slice(-4000) : '';
  const steps: Step[] = [];
  for (const { file, line } of (trace?.steps ?? []).slice(0, maxSteps)) {
    const step = await stepOf(file, line, known);
    if (step) steps.push(step);
  }
  return {
    ...known,
    error: (output.error ?? trace?.error ?? parts.at(-1) ?? '').trim(),
    text: [...parts, ...(trace ? [] : [logs])].join('\n'),
    steps,
  };
}

async function stepOf(
  name: string,
  line: number,
  known: Pick<FailedRun, 'request' | 'files' | 'read'>,
): Promise<Step | undefined> {
  const cell = /^<cell (\d{1,6})(?: of ([^>]+))?>$/.exec(name) ?? inputName.exec(name);
  const isInput = inputName.test(name);
  const path = cell ? (cell[2] ?? codePathOf(known.request)) : name.replaceAll('\\', '/');
  if (path === undefined || (!cell && library.test(name))) return undefined;
  const found = known.files
    .filter((each) =>
      [each, each.replace(/\.(?:py|ipynb)$/, '')].some((end) => path === `/${end}` || path.endsWith(`/${end}`)),
    )
    .toSorted((left, right) => right.length - left.length)[0];
  if (found === undefined) return undefined;
  const file = await known.read(found);
  if (found.endsWith('.ipynb')) {
    const code = cell ? cellFile(file, Number(cell[1]), isInput) : undefined;
    return code && { file: code, line };
  }
  const at = cell ? lineOfCell(file.text, Number(cell[1]), line, isInput) : line;
  return at === undefined ? undefined : { file, line: at };
}

/** Returns the path of the task's code file as given in the job. */
export function codePathOf(request: SubmitRequest): string | undefined {
  return request.notebook_task?.notebook_path ?? request.spark_python_task?.python_file;
}

/** Returns a proposal that replaces a file's text, or `undefined` if the text does not change. */
export function proposal(file: WorkspaceFile, text: string | undefined, what: string): Proposal | undefined {
  if (text === undefined || text === file.text) return undefined;
  return isCellFile(file) ? { file: file.notebook, text: file.notebookWith(text), what } : { file, text, what };
}

/** Returns the text with one word or path replaced, if it occurs exactly once. */
export function withOnce(text: string, from: string, to: string): string | undefined {
  const found: number[] = [];
  for (let at = text.indexOf(from); at !== -1; at = text.indexOf(from, at + 1)) {
    const around = `${text.charAt(at - 1)} ${text.charAt(at + from.length)}`;
    if (!/[\w-]/.test(around)) found.push(at);
  }
  const [at] = found;
  return at === undefined || found.length > 1 ? undefined : text.slice(0, at) + to + text.slice(at + from.length);
}

/** The code of one cell of an .ipynb as a file; changes are written to the notebook. */
interface CellFile extends WorkspaceFile {
  readonly notebook: WorkspaceFile;
  /** Returns the notebook with other code in this cell. */
  notebookWith(code: string): string;
}

function isCellFile(file: WorkspaceFile): file is CellFile {
  return 'notebook' in file;
}

interface Book {
  readonly cells: { cell_type?: string; source?: string | string[] }[];
}

/**
 * Returns a cell as a file.
 * @param number counted from 1 as runs count cells, without raw cells
 * @param isInput whether to count only the cells passed to IPython, without text and empty cells
 * @returns `undefined` if the cell is not Python, or if writing the notebook would change more than the cell
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
  // In a cell that starts with a magic, line numbers do not match the cell's lines.
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
