import { readFile } from 'node:fs/promises';

/** Output of a command: results on standard output, messages on standard error. */
export interface Output {
  write(text: string): void;
  say(text: string): void;
}

export const output: Output = {
  write: (text) => void process.stdout.write(text),
  say: (text) => void process.stderr.write(`${text}\n`),
};

/** Resolves once all output has been flushed, so that exiting cuts nothing off. */
export async function flushed(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
  );
}

const colours = /\u001b\[[0-9;]*[A-Za-z]/;

/** Returns text from others as one line without terminal control characters. */
export function plainLine(text: string): string {
  return text.replace(new RegExp(colours.source, 'g'), '').replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}

/** Asks for confirmation on the terminal; without a terminal the answer is no. */
export async function confirmOnTerminal(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // While it reads input, the terminal handles Ctrl+C itself.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `, { signal })).trim());
  } finally {
    terminal.close();
  }
}

/** The byte order mark that some editors write at the beginning of a file; not part of the text. */
export const byteOrderMark = '\uFEFF';

/**
 * Reads a file's text without its byte order mark. Text in another encoding would be corrupted in the service and in the file that a pull
 * writes.
 * @throws if the file cannot be read or is not UTF-8
 */
export async function readText(path: string): Promise<string> {
  const text = await readMarkedText(path);
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/** Reads the text with its byte order mark, for writing the file again. */
export async function readMarkedText(path: string): Promise<string> {
  const bytes = await readFile(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new Error('it is not UTF-8; save it with that encoding', { cause: error });
  }
}
