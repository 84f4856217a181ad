import { readFile, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Output of a command: results on standard output, messages on standard error. */
export interface Output {
  /** @param isOfRun whether a run wrote the text; its colors are kept */
  write(text: string, isOfRun?: boolean): void;
  say(text: string): void;
}

export const output: Output = {
  write: (text, isOfRun = false) =>
    void process.stdout.write(isOfRun ? programText(text, process.stdout.isTTY) : shownText(text)),
  say: (text) => void process.stderr.write(`${shownText(text)}\n`),
};

/**
 * Returns text with its control characters, also those that change the direction of writing, written as in JSON, since a terminal would
 * obey them; line ends and tabs stay.
 */
export function shownText(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Control sequences and characters, except colors, tabs and line ends. */
const commanding =
  /\u001b(?!\[[0-9;:]*m)(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -Z\\^-~])?|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/g;

/** Returns the output of a program: unchanged in a file or pipe, and with only its colors on a terminal. */
export function programText(text: string, isTerminal: boolean): string {
  return isTerminal ? text.replace(commanding, '') : text;
}

/** Resolves once all output has been flushed, so that exiting cuts nothing off. */
export async function flushed(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
  );
}

const colours = /\u001b\[[0-9;]*[A-Za-z]/;

/** Returns text from others as one line without terminal control characters. */
export function plainLine(text: string): string {
  return text
    .replace(new RegExp(colours.source, 'g'), '')
    .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ');
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
 * @throws in words, with the system's `code`, if the file cannot be read, or if it is not UTF-8
 */
export async function readText(path: string): Promise<string> {
  const text = await readMarkedText(path);
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/** Reads an open pipe to its end. The process cannot exit while `readFile` waits for one. */
async function readPipe(fd: number): Promise<Buffer> {
  return await buffer(fd === 0 ? process.stdin : new Socket({ fd, writable: false }));
}

/** Reads the text with its byte order mark, for writing the file again. */
export async function readMarkedText(path: string): Promise<string> {
  const bytes = await readBytes(path).catch((error: NodeJS.ErrnoException) => {
    const reason = reasons[error.code ?? ''] ?? error.message;
    throw Object.assign(new Error(reason, { cause: error }), { code: error.code });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new Error('it is not UTF-8; save it with that encoding', { cause: error });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'you do not have the permission',
  EPERM: 'you do not have the permission',
  ELOOP: 'it is a link that leads back to itself',
  ENAMETOOLONG: 'its name is too long',
};

async function readBytes(path: string): Promise<Buffer> {
  const found = await stat(path);
  // Devices and pipes may never end, except those that the shell has opened for the command, as for <(…).
  const opened = /^\/(?:dev|proc\/self)\/(?:fd\/(?<fd>\d+)|stdin)$/.exec(path);
  if (!found.isFile() && !found.isDirectory() && !opened) throw new Error('it is a device or a pipe, not a file');
  return opened && found.isFIFO() ? await readPipe(Number(opened.groups?.['fd'] ?? 0)) : await readFile(path);
}
