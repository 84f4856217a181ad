import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outputGrowth, readLogPiece, readOutputLog, type LogPiece, type ShownOutput } from './outputLog.ts';

/** Maximum output of a run in responses: its first 5 MB (Jobs API 2.0, Endpoints rule 9). */
const shownOutputBytes = 5 * 1024 * 1024;

/** Files in a run's folder. */
export const runFiles = {
  /** Standard output and error in their order. */
  output: 'output.log',
  standardOutput: 'stdout.log',
  standardError: 'stderr.log',
  /** Log of what precedes the task: libraries, init scripts. */
  setup: 'setup.log',
  /** Python and packages of the run, in one line. */
  versions: 'versions.txt',
  /** What ended a Python program, by `run_program.py`. */
  cause: 'cause.txt',
  /** Events of a notebook's cells, one JSON object per line. */
  events: 'events.jsonl',
  /** Request for the program that runs a notebook. */
  request: 'request.json',
  /** For a task among others: its name and the values of the tasks before it, and the values that it sets. */
  task: 'task.json',
  taskValues: 'task_values.json',
  /** Folder of the Python environment that a notebook installs into; removed after the run. */
  python: 'python',
} as const;

/** Reads what a run has printed so far, standard output and error together. */
export function readRunOutput(folder: string, options: { limitBytes?: number } = {}): Promise<ShownOutput> {
  return readOutputLog(join(folder, runFiles.output), options.limitBytes ?? shownOutputBytes);
}

/** Reads the Python and packages of the run, or returns `undefined` if unknown. */
export async function readVersions(folder: string): Promise<string | undefined> {
  return readFile(join(folder, runFiles.versions), 'utf8').catch(() => undefined);
}

/** Reads what a run printed from a byte on, up to a number of bytes. `isWhole`: the run has ended. */
export function readOutputPiece(
  folder: string,
  offset: number,
  options: { limitBytes: number; isWhole: boolean },
): Promise<LogPiece> {
  return readLogPiece(join(folder, runFiles.output), offset, options);
}

/** Calls back whenever the run in the folder has printed something. @returns a function that ends it */
export function onOutput(folder: string, callback: () => void): () => void {
  return outputGrowth.listen(join(folder, runFiles.output), callback);
}
