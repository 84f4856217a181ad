/** The local service's log, which each start goes on with. */
import { renameSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const logLimitBytes = 5 * 1024 * 1024;

/** The log's path, once one that is too long was set aside as `….old`. */
export function rotatedLog(path: string): string {
  try {
    if (statSync(path).size > logLimitBytes) renameSync(path, `${path}.old`);
  } catch {
    // There is none yet.
  }
  return path;
}

/** Its last line without the full stop, as it stands in a sentence; empty if there is no log. */
export async function lastLogLine(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return (
    text
      .trimEnd()
      .split('\n')
      .at(-1)
      ?.replace(/(?<![.\s])[.\s]+$/, '') ?? ''
  );
}
