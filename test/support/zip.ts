import fs from 'node:fs';
import { inflateRawSync } from 'node:zlib';

interface Entry {
  name: string;
  /** 0 stored, 8 deflated. */
  method: number;
  compressedSize: number;
  /** Where its own header begins. */
  offset: number;
}

/** Names of the files in a zip archive. */
export function zipEntries(file: string): string[] {
  return readDirectory(fs.readFileSync(file), file).map(({ name }) => name);
}

/** The content of a file in a zip archive. */
export function readEntry(file: string, name: string): Buffer {
  const bytes = fs.readFileSync(file);
  const entry = readDirectory(bytes, file).find((one) => one.name === name);
  if (entry === undefined) throw new Error(`${file} has no ${name}.`);
  const { offset, compressedSize, method } = entry;
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const content = bytes.subarray(start, start + compressedSize);
  return method === 0 ? content : inflateRawSync(content);
}

/** The central directory. */
function readDirectory(bytes: Buffer, file: string): Entry[] {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end === -1) throw new Error(`${file} is not a zip archive.`);
  const count = bytes.readUInt16LE(end + 10);
  const entries: Entry[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    const nameLength = bytes.readUInt16LE(at + 28);
    entries.push({
      name: bytes.toString('utf8', at + 46, at + 46 + nameLength),
      method: bytes.readUInt16LE(at + 10),
      compressedSize: bytes.readUInt32LE(at + 20),
      offset: bytes.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}
