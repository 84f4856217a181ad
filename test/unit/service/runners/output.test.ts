import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openOutputLog, readLogPiece } from '../../../../src/service/runners/outputLog.ts';
import { eachWithTempFolder } from '../../../support/tempFolder.ts';

describe('Output log', () => {
  let folder: string;
  let path: string;

  eachWithTempFolder((one) => (folder = one));
  beforeEach(async () => {
    path = join(folder, 'output.log');
  });

  it('gives the whole text in pieces, however characters are cut', async () => {
    const text = '\ufeffaé€😀\r\n\ufeff\u001b[31m… end😀';
    await writeFile(path, text);
    for (let limitBytes = 4; limitBytes < 12; limitBytes += 1) {
      let read = '';
      let offset = 0;
      for (;;) {
        const piece = await readLogPiece(path, offset, { limitBytes, isWhole: false });
        assert.equal(piece.sizeBytes, Buffer.byteLength(text));
        assert.ok(piece.nextOffset - offset <= limitBytes);
        assert.equal(piece.nextOffset - offset, Buffer.byteLength(piece.text));
        if (piece.text === '') break;
        read += piece.text;
        offset = piece.nextOffset;
      }
      assert.equal(read, text);
    }
  });

  it('waits for the rest of a character while the run is active', async () => {
    await writeFile(path, Buffer.concat([Buffer.from('ab'), Buffer.from('😀').subarray(0, 3)]));
    const going = await readLogPiece(path, 0, { limitBytes: 100, isWhole: false });
    assert.deepEqual(going, { text: 'ab', nextOffset: 2, sizeBytes: 5 });
    assert.deepEqual(await readLogPiece(path, 2, { limitBytes: 100, isWhole: false }), { ...going, text: '' });
    const over = await readLogPiece(path, 2, { limitBytes: 100, isWhole: true });
    assert.deepEqual([over.text, over.nextOffset], ['\ufffd', 5]);
  });

  it('does not wait forever behind bytes that are not text', async () => {
    await writeFile(path, Buffer.from([0x61, 0xff, 0x80, 0x80, 0x80, 0x80]));
    const piece = await readLogPiece(path, 0, { limitBytes: 100, isWhole: false });
    assert.deepEqual([piece.text, piece.nextOffset], ['a\ufffd\ufffd\ufffd\ufffd\ufffd', 6]);
  });

  it('keeps the beginning and end of a long log', async () => {
    const log = openOutputLog(path, 10);
    log.write(Buffer.from('0123456'));
    log.write(Buffer.from('789abc'));
    for (let count = 0; count < 40; count += 1) log.write(Buffer.from('😀'.repeat(500)));
    log.write(Buffer.from('the error\n'));
    await log.close();
    const text = await readFile(path, 'utf8');
    const [before, end = ''] = text.split('[14477 bytes are omitted here.]\n');
    assert.equal(before, '0123456789\n[The output continues. Only its first 10 bytes and its end are kept.]\n');
    assert.ok(/^😀{16381}the error\n$/u.test(end), `${end.length} characters`);
    assert.equal(log.tail().endsWith('the error\n'), true);
  });

  it('keeps every byte in order', async () => {
    const lines = Array.from({ length: 20_000 }, (_, number) => `line ${number} of a program that prints one by one\n`);
    const log = openOutputLog(path);
    for (const [number, line] of lines.entries()) {
      log.write(Buffer.from(line));
      if (number % 5000 === 0) await log.drained();
    }
    const all = lines.join('');
    assert.equal(log.tail(), all.slice(-64 * 1024));
    await log.close();
    assert.equal(await readFile(path, 'utf8'), all);
    assert.equal(log.tail(), all.slice(-64 * 1024));
  });

  it('slows down a writer faster than the disk from 256 KB on', async () => {
    for (const [kilobytes, waits] of [
      [192, false],
      [256, true],
    ] as const) {
      const log = openOutputLog(`${path}${kilobytes}`);
      for (let written = 0; written < kilobytes; written += 64) log.write(Buffer.alloc(64 * 1024, 'a'));
      let isDrained = false;
      const drained = log.drained().then(() => (isDrained = true));
      for (let round = 0; round < 10; round += 1) await Promise.resolve();
      assert.equal(isDrained, !waits, `${kilobytes} KB`);
      await drained;
      await log.close();
    }
  });

  it('reports a file that cannot be written at its end', async () => {
    const log = openOutputLog(join(folder, 'none', 'output.log'));
    log.write(Buffer.alloc(512 * 1024, 'a'));
    await log.drained();
    log.write(Buffer.from('more'));
    await assert.rejects(log.close(), { code: 'ENOENT' });
    assert.equal(log.tail(), `${'a'.repeat(64 * 1024 - 4)}more`);
  });
});
