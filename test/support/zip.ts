import fs from 'node:fs';
import { crc32, inflateRawSync } from 'node:zlib';

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

/** A file of an archive that is to be written. */
export interface ZipFile {
  name: string;
  content: Buffer;
  /** The content, deflated. */
  deflated: Uint8Array;
}

/** 1 January 1980, the earliest that the format knows: the same files are the same archive. */
const date = 0x21;
/** Names are UTF-8. */
const flags = 0x800;

/** A zip archive of the files, in their order. What deflating does not make smaller is stored as it is. */
export function zipArchive(files: readonly ZipFile[]): Buffer {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, content, deflated } of files) {
    const isStored = deflated.length >= content.length;
    const data = isStored ? content : deflated;
    const bytes = Buffer.from(name, 'utf8');
    // What the entry's own header and the directory's both say, from the version needed to the length of the extra field.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    common.writeUInt16LE(date, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(bytes.length, 22);
    const entry = [Buffer.from('PK\x03\x04', 'latin1'), common, bytes, data];
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, place, bytes);
    parts.push(...entry);
    offset += entry.reduce((sum, part) => sum + part.length, 0);
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}
