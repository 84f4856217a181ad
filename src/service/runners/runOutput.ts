import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outputGrowth, readLogPiece, readOutputLog, type LogPiece, type ShownOutput } from './outputLog.ts';

/** Jobs API 2.0, Endpoints rule 9: at most the first 5 MB of a run's output. */
const shownOutputBytes = 5 * 1024 * 1024;

/** The files that a run leaves in its folder. */
export const runFiles = {
  /** Standard output and error in the order they came. */
  output: 'output.log',
  standardOutput: 'stdout.log',
  standardError: 'stderr.log',
  /** What was done before the task began: libraries, init scripts. */
  setup: 'setup.log',
  /** Which Python and packages the run has, in one line. */
  versions: 'versions.txt',
  /** What a notebook's cells did, one JSON object a line. */
  events: 'events.jsonl',
  /** What a notebook is to be run with. */
  request: 'request.json',
  /** The folder of the Python environment that a notebook installs into; gone when the run is over. */
  python: 'python',
} as const;

/** What a run printed so far, standard output and error together. */
export function readRunOutput(folder: string, options: { limitBytes?: number } = {}): Promise<ShownOutput> {
  return readOutputLog(join(folder, runFiles.output), options.limitBytes ?? shownOutputBytes);
}

/** Which Python and packages the run has; undefined if that is not known. */
export async function readVersions(folder: string): Promise<string | undefined> {
  return readFile(join(folder, runFiles.versions), 'utf8').catch(() => undefined);
}

/** What a run printed from a byte on, at most so many bytes of it. `isWhole`: the run is over. */
export function readOutputPiece(
  folder: string,
  offset: number,
  options: { limitBytes: number; isWhole: boolean },
): Promise<LogPiece> {
  return readLogPiece(join(folder, runFiles.output), offset, options);
}

/** Calls back whenever the run of the folder has printed something. @returns ends it */
export function onOutput(folder: string, callback: () => void): () => void {
  return outputGrowth.listen(join(folder, runFiles.output), callback);
}
