import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runFiles } from './runOutput.ts';

/** A notebook run, complete or so far. */
export interface NotebookModel {
  /** The last part of its path, without an extension. */
  name: string;
  /** The path in the task. */
  path: string;
  engine: 'builtin' | 'jupyter';
  cells: NotebookCell[];
  widgets: NotebookWidget[];
  /** The value given to `dbutils.notebook.exit`, its first 1 MB. */
  exit?: { value: string; truncated: boolean };
  /** Why it could not run at all, for example because the file is not a notebook. */
  broken?: string;
  /** Index of the cell whose output exceeded the limit. */
  limitExceededInCell?: number;
  /** Creation time in epoch milliseconds. */
  startTime?: number;
  endTime?: number;
}

type CellState = 'waiting' | 'running' | 'finished' | 'failed' | 'cancelled';

export interface NotebookCell {
  /** `unsupported` is a language that cannot run here. */
  readonly kind: 'code' | 'markdown' | 'shell' | 'sql' | 'files' | 'run' | 'unsupported';
  /** As in the notebook; a markdown cell without its magic. */
  readonly source: string;
  readonly title: string;
  readonly language: string;
  readonly state: CellState;
  startTime?: number;
  endTime?: number;
  readonly outputs: CellOutput[];
}

export type CellOutput =
  | { type: 'stream'; name: 'stdout' | 'stderr'; text: string }
  | { type: 'data'; data: Record<string, unknown>; isResult: boolean }
  | { type: 'error'; name: string; message: string; traceback: string[] };

interface NotebookWidget {
  name: string;
  readonly kind: 'text' | 'dropdown' | 'combobox' | 'multiselect';
  readonly default: string;
  readonly choices: string[];
  readonly label: string;
  readonly value: string;
}

type NotebookEvent =
  | {
      event: 'notebook';
      at: number;
      engine: NotebookModel['engine'];
      cells: Pick<NotebookCell, 'kind' | 'source' | 'title' | 'language'>[];
    }
  | { event: 'start'; cell: number; at: number }
  | { event: 'output'; cell: number; output: CellOutput }
  | { event: 'end'; cell: number; at: number; status: 'ok' | 'error' | 'exit' }
  | { event: 'limit'; cell: number; at: number }
  | ({ event: 'widget' } & NotebookWidget)
  | { event: 'exit'; value: string; truncated: boolean }
  | { event: 'broken'; message: string }
  | { event: 'done' | 'stopped'; at: number };

/** Maximum size of outputs held in memory; the rest stays in the run's folder. */
const heldOutputBytes = 64 * 1024 * 1024;

/**
 * Reads the notebook of a run's folder, during or after the run: cells are written as they run.
 *
 * @returns `undefined` if no notebook was started there
 */
export async function readNotebook(folder: string, limitBytes = heldOutputBytes): Promise<NotebookModel | undefined> {
  const model = emptyNotebook();
  try {
    const request = JSON.parse(await readFile(join(folder, runFiles.request), 'utf8')) as {
      name?: string;
      notebookPath?: string;
    };
    model.name = request.name ?? '';
    model.path = request.notebookPath ?? '';
    const lines = createInterface({ input: createReadStream(join(folder, runFiles.events)), crlfDelay: Infinity });
    let heldBytes = 0;
    for await (const line of lines) {
      const event = parseEvent(line);
      if (!event) continue;
      if (event.event === 'output') {
        if (heldBytes > limitBytes) continue;
        heldBytes += line.length;
        if (heldBytes > limitBytes)
          event.output = {
            type: 'stream',
            name: 'stderr',
            text: `[More output is in ${join(folder, runFiles.events)}.]\n`,
          };
      }
      applyNotebookEvent(model, event);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return model;
}

function emptyNotebook(): NotebookModel {
  return { name: '', path: '', engine: 'builtin', cells: [], widgets: [] };
}

/** A line may be cut if the process was killed while writing it. */
function parseEvent(line: string): NotebookEvent | undefined {
  try {
    return JSON.parse(line) as NotebookEvent;
  } catch {
    return undefined;
  }
}

/** Applies an event to the model. */
function applyNotebookEvent(model: NotebookModel, event: NotebookEvent): void {
  switch (event.event) {
    case 'notebook':
      model.engine = event.engine;
      model.startTime = event.at;
      model.cells = event.cells.map((cell) => ({ ...cell, state: 'waiting', outputs: [] }));
      return;
    case 'widget': {
      const { event: _name, ...widget } = event;
      model.widgets = [...model.widgets.filter((each) => each.name !== widget.name), widget];
      return;
    }
    case 'exit':
      model.exit = { value: event.value, truncated: event.truncated };
      return;
    case 'broken':
      model.broken = event.message;
      return;
    case 'done':
    case 'stopped':
      model.endTime = event.at;
      // A notebook's end leaves cells that were never reached; a stop also ends the running one.
      for (const cell of model.cells)
        if (cell.state === 'running') Object.assign(cell, { state: 'cancelled', endTime: event.at });
      return;
    default:
      applyCellEvent(model, event);
  }
}

function applyCellEvent(model: NotebookModel, event: Extract<NotebookEvent, { cell: number }>): void {
  const cell = model.cells[event.cell];
  if (!cell) return;
  switch (event.event) {
    case 'start':
      Object.assign(cell, { state: 'running', startTime: event.at });
      return;
    case 'output':
      append(cell.outputs, event.output);
      return;
    case 'end':
      Object.assign(cell, { state: event.status === 'error' ? 'failed' : 'finished', endTime: event.at });
      return;
    case 'limit':
      model.limitExceededInCell = event.cell;
      Object.assign(cell, { state: 'failed', endTime: event.at });
  }
}

/** Joins consecutive texts of one stream, however they were split on the way. */
function append(outputs: CellOutput[], output: CellOutput): void {
  const last = outputs.at(-1);
  if (output.type === 'stream' && last?.type === 'stream' && last.name === output.name) last.text += output.text;
  else outputs.push(output);
}
