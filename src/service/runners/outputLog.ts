import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';

/** Maximum output of a run kept on disk, besides its end: 128 MB hold what a person can look through. */
const keptOutputBytes = 128 * 1024 * 1024;

/** Appends output to a file up to a limit, and finally the end of the output, where an error would be. */
export interface OutputLog {
  write(chunk: Buffer): void;
  /** Returns the last text written, at most 64 KB, which is searched for a traceback. */
  tail(): string;
  /** Resolves once the disk has caught up with the output. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

const tailBytes = 64 * 1024;
/** A program that writes line by line produces thousands of pieces per second: so many are joined at a time. */
const maxTailPieces = 512;

/** Text that arrives within this time is written together: nobody notices the delay. */
const gatherInMs = 4;
const gatheredBytes = 64 * 1024;

/** Notifies listeners when a file has grown. */
class OutputGrowth {
  readonly #waiting = new Map<string, Set<() => void>>();

  tell(path: string): void {
    for (const callback of [...(this.#waiting.get(path) ?? [])]) callback();
  }

  /** @returns a function that ends it */
  listen(path: string, callback: () => void): () => void {
    const waiting = this.#waiting.get(path) ?? new Set();
    this.#waiting.set(path, waiting.add(callback));
    return () => {
      waiting.delete(callback);
      if (waiting.size === 0 && this.#waiting.get(path) === waiting) this.#waiting.delete(path);
    };
  }
}

/** Growth of all logs in this process. */
export const outputGrowth = new OutputGrowth();

export function openOutputLog(path: string, limitBytes = keptOutputBytes): OutputLog {
  const stream: WriteStream = createWriteStream(path, { flags: 'a', highWaterMark: 4 * gatheredBytes });
  // close() reports it; the listener keeps it from ending the service.
  stream.on('error', () => undefined);
  let keptBytes = 0;
  let droppedBytes = 0;
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let pieces: Buffer[] = [];
  let pieceBytes = 0;
  const tell = (): void => outputGrowth.tell(path);
  const flush = (): void => {
    clearTimeout(gathering);
    gathering = undefined;
    if (pieceBytes > 0) stream.write(Buffer.concat(pieces, pieceBytes), tell);
    [pieces, pieceBytes] = [[], 0];
  };
  const append = (bytes: Buffer): void => {
    pieces.push(bytes);
    pieceBytes += bytes.length;
    gathering ??= setTimeout(flush, gatherInMs);
    if (pieceBytes >= gatheredBytes) flush();
  };
  let lastPieces: Buffer[] = [];
  let lastBytes = 0;
  const last = (): Buffer => {
    const all = Buffer.concat(lastPieces).subarray(-tailBytes);
    [lastPieces, lastBytes] = [[all], all.length];
    return all;
  };
  return {
    write(chunk) {
      lastPieces.push(chunk);
      lastBytes += chunk.length;
      if (lastPieces.length > maxTailPieces || lastBytes > 4 * tailBytes) last();
      const kept = chunk.subarray(0, limitBytes - keptBytes);
      keptBytes += kept.length;
      if (kept.length > 0) append(kept);
      if (kept.length === chunk.length) return;
      if (droppedBytes === 0)
        append(Buffer.from(`\n[The output continues. Only its first ${limitBytes} bytes and its end are kept.]\n`));
      droppedBytes += chunk.length - kept.length;
    },
    tail: () => last().toString('utf8'),
    async drained() {
      // A failed stream never drains; close() reports it.
      if (stream.writableNeedDrain) await once(stream, 'drain').catch(() => undefined);
    },
    async close() {
      if (droppedBytes > 0) {
        const all = last();
        const end = all.subarray(-Math.min(droppedBytes, all.length));
        const leftOut = droppedBytes - end.length;
        if (leftOut > 0) append(Buffer.from(`[${leftOut} bytes are omitted here.]\n`));
        append(end.subarray(charactersFrom(end)));
      }
      flush();
      stream.end();
      await finished(stream);
    },
  };
}

export interface ShownOutput {
  readonly text: string;
  /** Whether more is stored than is shown. */
  readonly truncated: boolean;
  /** Size of the stored output. */
  readonly sizeBytes: number;
}

/** Reads the beginning of a log, cut between two characters; empty if there is none. */
export async function readOutputLog(path: string, limitBytes: number): Promise<ShownOutput> {
  const { bytes, sizeBytes } = await readBytes(path, 0, limitBytes);
  // A decoder that is never flushed leaves out the character that was cut.
  const text = new TextDecoder().decode(bytes, { stream: true });
  return { text, truncated: sizeBytes > limitBytes, sizeBytes };
}

export interface LogPiece {
  readonly text: string;
  /** Byte offset of the next piece. */
  readonly nextOffset: number;
  readonly sizeBytes: number;
}

/**
 * Reads a part of a log from a byte on, cut between two characters; empty if there is nothing yet.
 * @param options.isWhole whether nothing follows: an incomplete last character is returned as it is
 */
export async function readLogPiece(
  path: string,
  offset: number,
  options: { limitBytes: number; isWhole: boolean },
): Promise<LogPiece> {
  const { bytes, sizeBytes } = await readBytes(path, offset, options.limitBytes);
  const isLast = options.isWhole && offset + bytes.length >= sizeBytes;
  const length = isLast ? bytes.length : wholeCharacters(bytes);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, length));
  return { text, nextOffset: offset + length, sizeBytes };
}

async function readBytes(
  path: string,
  offset: number,
  limitBytes: number,
): Promise<{ bytes: Buffer; sizeBytes: number }> {
  let file;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { bytes: Buffer.alloc(0), sizeBytes: 0 };
    throw error;
  }
  try {
    const sizeBytes = (await file.stat()).size;
    const buffer = Buffer.alloc(Math.max(0, Math.min(sizeBytes - offset, limitBytes)));
    let filledBytes = 0;
    while (filledBytes < buffer.length) {
      const { bytesRead } = await file.read(buffer, filledBytes, buffer.length - filledBytes, offset + filledBytes);
      if (bytesRead === 0) break;
      filledBytes += bytesRead;
    }
    return { bytes: buffer.subarray(0, filledBytes), sizeBytes };
  } finally {
    await file.close();
  }
}

/** Returns how many of the bytes are whole UTF-8 characters or can never become one. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const needed = byte >= 0b1111_0000 ? 4 : byte >= 0b1110_0000 ? 3 : byte >= 0b1100_0000 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Returns where the first whole character begins in bytes that may start anywhere. */
function charactersFrom(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(3, bytes.length) && ((bytes[at] ?? 0) & 0b1100_0000) === 0b1000_0000) at += 1;
  return at;
}
