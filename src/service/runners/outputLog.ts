import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';

/** What of one run's output is kept on disk at most; 64 MB hold what a person can look through. */
export const keptOutputBytes = 64 * 1024 * 1024;

/** Appends output to a file up to a bound, and remembers how it ended. */
export interface OutputLog {
  write(chunk: Buffer): void;
  /** The last text written, at most 64 KB of it: where a traceback is looked for. */
  tail(): string;
  /** Resolves once the disk has caught up with the output. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

const tailBytes = 64 * 1024;

export function openOutputLog(path: string, limitBytes = keptOutputBytes): OutputLog {
  const stream: WriteStream = createWriteStream(path, { flags: 'a' });
  // Reported by close(); a listener keeps it from ending the service.
  stream.on('error', () => undefined);
  let keptBytes = 0;
  let last: Buffer = Buffer.alloc(0);
  return {
    write(chunk) {
      last =
        chunk.length >= tailBytes
          ? chunk.subarray(chunk.length - tailBytes)
          : Buffer.concat([last, chunk]).subarray(-tailBytes);
      const room = limitBytes - keptBytes;
      if (room <= 0) return;
      stream.write(chunk.length > room ? chunk.subarray(0, room) : chunk);
      keptBytes += chunk.length;
      if (keptBytes > limitBytes)
        stream.write(`\n[The output went on; only its first ${limitBytes} bytes are kept.]\n`);
    },
    tail: () => last.toString('utf8'),
    async drained() {
      // A stream that failed never drains; close() reports it.
      if (stream.writableNeedDrain) await once(stream, 'drain').catch(() => undefined);
    },
    async close() {
      stream.end();
      await finished(stream);
    },
  };
}

export interface ShownOutput {
  text: string;
  /** Whether more is kept than is shown. */
  truncated: boolean;
  /** Size of what is kept. */
  sizeBytes: number;
}

/** The beginning of a log, cut between two characters; empty where there is none. */
export async function readOutputLog(path: string, limitBytes: number): Promise<ShownOutput> {
  let file;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { text: '', truncated: false, sizeBytes: 0 };
    throw error;
  }
  try {
    const sizeBytes = (await file.stat()).size;
    const buffer = Buffer.alloc(Math.min(sizeBytes, limitBytes));
    let filledBytes = 0;
    while (filledBytes < buffer.length) {
      const { bytesRead } = await file.read(buffer, filledBytes, buffer.length - filledBytes, filledBytes);
      if (bytesRead === 0) break;
      filledBytes += bytesRead;
    }
    // A decoder that is never flushed leaves out the character that was cut.
    const text = new TextDecoder().decode(buffer.subarray(0, filledBytes), { stream: true });
    return { text, truncated: sizeBytes > limitBytes, sizeBytes };
  } finally {
    await file.close();
  }
}
