import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { openOutputLog, outputGrowth, readLogPiece, readOutputLog } from '../../../../src/service/runners/outputLog.ts';

describe('the log of a run', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-log-'));
    path = join(folder, 'output.log');
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is read in pieces that are cut between two characters and are the whole text together', async () => {
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

  it('waits for the rest of a character while the run goes on, and gives what there is when it is over', async () => {
    await writeFile(path, Buffer.concat([Buffer.from('ab'), Buffer.from('😀').subarray(0, 3)]));
    const going = await readLogPiece(path, 0, { limitBytes: 100, isWhole: false });
    assert.deepEqual(going, { text: 'ab', nextOffset: 2, sizeBytes: 5 });
    assert.deepEqual(await readLogPiece(path, 2, { limitBytes: 100, isWhole: false }), { ...going, text: '' });
    const over = await readLogPiece(path, 2, { limitBytes: 100, isWhole: true });
    assert.deepEqual([over.text, over.nextOffset], ['\ufffd', 5]);
  });

  it('does not wait for ever behind bytes that are no text', async () => {
    await writeFile(path, Buffer.from([0x61, 0xff, 0x80, 0x80, 0x80, 0x80]));
    const piece = await readLogPiece(path, 0, { limitBytes: 100, isWhole: false });
    assert.deepEqual([piece.text, piece.nextOffset], ['a\ufffd\ufffd\ufffd\ufffd\ufffd', 6]);
  });

  it('is empty where there is none yet, and behind its end', async () => {
    const none = { text: '', nextOffset: 7, sizeBytes: 0 };
    assert.deepEqual(await readLogPiece(path, 7, { limitBytes: 10, isWhole: true }), none);
    await writeFile(path, 'abc');
    assert.deepEqual(await readLogPiece(path, 7, { limitBytes: 10, isWhole: true }), { ...none, sizeBytes: 3 });
  });

  it('tells whoever listens that more is there, until nobody does', async () => {
    const log = openOutputLog(path);
    const told = Promise.withResolvers<string>();
    const stop = outputGrowth.listen(path, () => void readFile(path, 'utf8').then(told.resolve));
    outputGrowth.listen(join(folder, 'other.log'), () => told.reject(new Error('another log')));
    log.write(Buffer.from('first\n'));
    assert.equal(await told.promise, 'first\n');
    stop();
    let calls = 0;
    const again = outputGrowth.listen(path, () => (calls += 1));
    again();
    log.write(Buffer.from('second\n'));
    await log.close();
    assert.equal(calls, 0);
  });

  it('keeps its beginning and its end where it is too long, and says what is left out', async () => {
    const log = openOutputLog(path, 10);
    log.write(Buffer.from('0123456'));
    log.write(Buffer.from('789abc'));
    for (let count = 0; count < 40; count += 1) log.write(Buffer.from('😀'.repeat(500)));
    log.write(Buffer.from('the error\n'));
    await log.close();
    const text = await readFile(path, 'utf8');
    const [before, end = ''] = text.split('[14477 bytes are left out here.]\n');
    assert.equal(before, '0123456789\n[The output goes on; only its first 10 bytes and how it ends are kept.]\n');
    assert.ok(/^😀{16381}the error\n$/u.test(end), `${end.length} characters`);
    assert.equal(log.tail().endsWith('the error\n'), true);
  });

  it('leaves nothing out where it is only a little too long', async () => {
    const log = openOutputLog(path, 10);
    log.write(Buffer.from('0123456789the end'));
    await log.close();
    assert.equal(
      await readFile(path, 'utf8'),
      '0123456789\n[The output goes on; only its first 10 bytes and how it ends are kept.]\nthe end',
    );
  });

  it('has every byte in its order and the last 64 KB at hand, however small the pieces are that come', async () => {
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

  it('holds the pieces of a quiet program back for no longer than nobody sees', async () => {
    const log = openOutputLog(path);
    const grown = Promise.withResolvers<undefined>();
    const stop = outputGrowth.listen(path, () => grown.resolve(undefined));
    log.write(Buffer.from('one line\n'));
    await grown.promise;
    stop();
    assert.equal(await readFile(path, 'utf8'), 'one line\n');
    await log.close();
  });

  it('holds back no more than 64 KB of a busy one, however short the time', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const log = openOutputLog(path);
      log.write(Buffer.alloc(64 * 1024 - 1, 'a'));
      log.write(Buffer.from('b'));
      const end = performance.now() + 10_000;
      const size = async (): Promise<number> => (await readFile(path).catch(() => Buffer.of())).length;
      while ((await size()) < 64 * 1024 && performance.now() < end) await new Promise(setImmediate);
      assert.equal(await size(), 64 * 1024);
      await log.close();
    } finally {
      mock.timers.reset();
    }
  });

  it('cuts no character at its end in two, however many of its bytes are left out', async () => {
    for (const [character, kept] of [
      ['😀', 3],
      ['😀', 1],
      ['€', 2],
      ['é', 1],
    ] as const) {
      const place = join(folder, `${character}${kept}.log`);
      const log = openOutputLog(place, 4);
      log.write(Buffer.from('abcd'));
      log.write(Buffer.from(character + 'e'.repeat(64 * 1024 - kept)));
      await log.close();
      const text = await readFile(place, 'utf8');
      assert.match(text.slice(0, 300), /^abcd\n\[[^\]]*\]\n\[\d bytes are left out here\.\]\neee/);
      assert.equal(text.includes('\ufffd'), false);
    }
  });

  it('is shown from its beginning up to a limit, and says whether there is more', async () => {
    await writeFile(path, 'abc€');
    assert.deepEqual(await readOutputLog(path, 6), { text: 'abc€', truncated: false, sizeBytes: 6 });
    assert.deepEqual(await readOutputLog(path, 5), { text: 'abc', truncated: true, sizeBytes: 6 });
    assert.deepEqual(await readOutputLog(`${path}.none`, 5), { text: '', truncated: false, sizeBytes: 0 });
  });
});
