import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byteOrderMark, readMarkedText, readText } from '../../../src/cli/print.ts';

describe('the text of a file', () => {
  let folder: string;
  let file: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-text-'));
    file = join(folder, 'a.job.yml');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('is without the mark that some editors put before it, unless that is asked for', async () => {
    for (const [bytes, text, marked] of [
      ['name: ä\n', 'name: ä\n', 'name: ä\n'],
      ['\ufeffname: a\n', 'name: a\n', '\ufeffname: a\n'],
      ['\ufeff\ufeffa', '\ufeffa', '\ufeff\ufeffa'],
      ['a\ufeff', 'a\ufeff', 'a\ufeff'],
      ['', '', ''],
    ] as const) {
      writeFileSync(file, bytes);
      assert.deepEqual([await readText(file), await readMarkedText(file)], [text, marked]);
    }
    assert.equal(byteOrderMark, '\ufeff');
  });

  it('is none where letters would be lost, or there is no file', async () => {
    writeFileSync(file, Buffer.from('name: é\n', 'latin1'));
    for (const read of [readText, readMarkedText]) {
      await assert.rejects(read(file), (error: Error) => {
        assert.equal(error.message, 'it is not UTF-8; save it with that encoding');
        return error.cause instanceof TypeError;
      });
      await assert.rejects(read(join(folder, 'none')), { code: 'ENOENT' });
    }
  });
});
