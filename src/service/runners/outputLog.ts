import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';

/** What of one run's output is kept on disk at most, and its end beside: 128 MB hold what a person can look through. */
const keptOutputBytes = 128 * 1024 * 1024;

/** Appends output to a file up to a bound, and at last how it ended: an error stands at the end. */
export interface OutputLog {
  write(chunk: Buffer): void;
  /** The last text written, at most 64 KB of it: where a traceback is looked for. */
  tail(): string;
  /** Resolves once the disk has caught up with the output. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

const tailBytes = 64 * 1024;
/** A program that writes its lines one by one hands over thousands of pieces a second: they are put together so many at a time. */
const maxTailPieces = 512;

/** What comes within that time is written together: a line is late by less than anybody sees. */
const gatherInMs = 4;
const gatheredBytes = 64 * 1024;

/** Tells who waits for more of a file that something was written to it. */
class OutputGrowth {
  readonly #waiting = new Map<string, Set<() => void>>();

  tell(path: string): void {
    for (const callback of [...(this.#waiting.get(path) ?? [])]) callback();
  }

  /** @returns ends it */
  listen(path: string, callback: () => void): () => void {
    const waiting = this.#waiting.get(path) ?? new Set();
    this.#waiting.set(path, waiting.add(callback));
    return () => {
      waiting.delete(callback);
      if (waiting.size === 0 && this.#waiting.get(path) === waiting) this.#waiting.delete(path);
    };
  }
}

/** What all logs of this process have grown by. */
export const outputGrowth = new OutputGrowth();

export function openOutputLog(path: string, limitBytes = keptOutputBytes): OutputLog {
  const stream: WriteStream = createWriteStream(path, { flags: 'a', highWaterMark: 4 * gatheredBytes });
  // Reported by close(); a listener keeps it from ending the service.
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
        append(Buffer.from(`\n[The output goes on; only its first ${limitBytes} bytes and how it ends are kept.]\n`));
      droppedBytes += chunk.length - kept.length;
    },
    tail: () => last().toString('utf8'),
    async drained() {
      // A stream that failed never drains; close() reports it.
      if (stream.writableNeedDrain) await once(stream, 'drain').catch(() => undefined);
    },
    async close() {
      if (droppedBytes > 0) {
        const all = last();
        const end = all.subarray(-Math.min(droppedBytes, all.length));
        const leftOut = droppedBytes - end.length;
        if (leftOut > 0) append(Buffer.from(`[${leftOut} bytes are left out here.]\n`));
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
  /** Whether more is kept than is shown. */
  readonly truncated: boolean;
  /** Size of what is kept. */
  readonly sizeBytes: number;
}

/** The beginning of a log, cut between two characters; empty if there is none. */
export async function readOutputLog(path: string, limitBytes: number): Promise<ShownOutput> {
  const { bytes, sizeBytes } = await readBytes(path, 0, limitBytes);
  // A decoder that is never flushed leaves out the character that was cut.
  const text = new TextDecoder().decode(bytes, { stream: true });
  return { text, truncated: sizeBytes > limitBytes, sizeBytes };
}

export interface LogPiece {
  readonly text: string;
  /** In bytes: where the next piece begins. */
  readonly nextOffset: number;
  readonly sizeBytes: number;
}

/**
 * A part of a log from a byte on, cut between two characters; empty if there is nothing yet.
 * @param options.isWhole nothing follows any more: a character that was cut for ever is given as it is
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

/** How many of the bytes are whole UTF-8 characters, or none that could become one. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const needed = byte >= 0b1111_0000 ? 4 : byte >= 0b1110_0000 ? 3 : byte >= 0b1100_0000 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Where the first whole character begins in bytes that were cut anywhere. */
function charactersFrom(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(3, bytes.length) && ((bytes[at] ?? 0) & 0b1100_0000) === 0b1000_0000) at += 1;
  return at;
}
