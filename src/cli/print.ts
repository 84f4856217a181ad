import { readFile } from 'node:fs/promises';

/** Where a command writes: results on standard output, words about them on standard error. */
export interface Output {
  write(text: string): void;
  say(text: string): void;
}

export const output: Output = {
  write: (text) => void process.stdout.write(text),
  say: (text) => void process.stderr.write(`${text}\n`),
};

/** Resolves once all that was written is on its way, so that the end of the process cuts nothing off. */
export async function flushed(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
  );
}

const colours = /\u001b\[[0-9;]*[A-Za-z]/;

/** A text of others on one line, without characters that a terminal would obey. */
export function plainLine(text: string): string {
  return text.replace(new RegExp(colours.source, 'g'), '').replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}

/** Asks on the terminal; without one the answer is no. */
export async function confirmOnTerminal(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // The terminal tells of Ctrl+C by itself while it asks.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `, { signal })).trim());
  } finally {
    terminal.close();
  }
}

/** The mark that some editors put at the beginning of a file; it is not part of the text. */
export const byteOrderMark = '\uFEFF';

/**
 * A file's text without its mark. What is in no UTF-8 would lose its letters on the way to the service, and in the file that a pull writes.
 * @throws if it cannot be read, or is no UTF-8
 */
export async function readText(path: string): Promise<string> {
  const text = await readMarkedText(path);
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/** The same with its byte order mark, for writing the file again. */
export async function readMarkedText(path: string): Promise<string> {
  const bytes = await readFile(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new Error('it is not UTF-8; save it with that encoding', { cause: error });
  }
}
