import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { readEntry, zipArchive, zipEntries } from '../../support/zip.ts';

describe('an archive of the package', () => {
  let folder: string;

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'millrace-zip-'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

  const files = [
    ['extension/über.txt', 'a'.repeat(5000)],
    ['extension/one.txt', 'x'],
    ['extension/empty.txt', ''],
  ].map(([name = '', text = '']) => {
    const content = Buffer.from(text, 'utf8');
    return { name, content, deflated: deflateRawSync(content) };
  });

  it('holds what it was given, in that order, and nothing that deflating made larger', () => {
    const file = path.join(folder, 'a.zip');
    const bytes = zipArchive(files);
    fs.writeFileSync(file, bytes);
    assert.deepEqual(
      zipEntries(file),
      files.map(({ name }) => name),
    );
    for (const { name, content } of files) assert.deepEqual(readEntry(file, name), content);
    assert.ok(bytes.length < 600, `${bytes.length} bytes`);
    assert.deepEqual(zipArchive(files), bytes);
  });

  it('is whole for another program too', () => {
    const file = path.join(folder, 'a.zip');
    fs.writeFileSync(file, zipArchive(files));
    const said = execFileSync('python3', ['-m', 'zipfile', '--test', file], { encoding: 'utf8' });
    assert.match(said, /^Done testing/);
  });
});
