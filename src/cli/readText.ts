import { readFile } from 'node:fs/promises';

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
