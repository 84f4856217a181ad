import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { openOutputLog, outputGrowth, readLogPiece, readOutputLog } from '../../../../src/service/runners/outputLog.ts';
import { openBelow } from './workbench.ts';

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

  it('is held open neither by who has read it nor by who has closed it', async () => {
    const log = openOutputLog(path);
    log.write(Buffer.from('abc'));
    await log.close();
    await readOutputLog(path, 2);
    await readLogPiece(path, 1, { limitBytes: 2, isWhole: true });
    assert.deepEqual(await openBelow(await realpath(folder)), []);
  });

  it('gives whole characters of every length, and of those that a limit cuts nothing yet', async () => {
    for (const character of ['\x7f', '\x80', '\u07ff', '\u0800', '\uffff', '\u{10000}', '\u{10ffff}']) {
      const bytes = Buffer.from(`a${character}`);
      await writeFile(path, bytes);
      for (let limitBytes = 1; limitBytes <= bytes.length; limitBytes += 1)
        for (const isWhole of [false, true]) {
          const text = limitBytes === bytes.length ? `a${character}` : 'a';
          assert.deepEqual(
            await readLogPiece(path, 0, { limitBytes, isWhole }),
            { text, nextOffset: Buffer.byteLength(text), sizeBytes: bytes.length },
            `${limitBytes} of ${bytes.toString('hex')}`,
          );
        }
    }
  });

  it('is not taken for empty where it cannot be read', async () => {
    await writeFile(path, 'a');
    await assert.rejects(readLogPiece(join(path, 'x'), 0, { limitBytes: 1, isWhole: true }), { code: 'ENOTDIR' });
    await assert.rejects(readOutputLog(join(path, 'x'), 1), { code: 'ENOTDIR' });
  });

  it('goes on behind what is in the file already, and is made where nothing was written', async () => {
    await writeFile(path, 'before\n');
    const log = openOutputLog(path);
    log.write(Buffer.from('after\n'));
    await log.close();
    assert.equal(await readFile(path, 'utf8'), 'before\nafter\n');
    await openOutputLog(`${path}.empty`).close();
    assert.equal(await readFile(`${path}.empty`, 'utf8'), '');
  });

  it('goes on telling those who still listen, however often others say that they do not', () => {
    const calls: string[] = [];
    const [one, two] = ['one', 'two'].map((name) => outputGrowth.listen(path, () => calls.push(name)));
    outputGrowth.tell(path);
    one?.();
    outputGrowth.tell(path);
    two?.();
    outputGrowth.tell(path);
    const three = outputGrowth.listen(path, () => calls.push('three'));
    one?.();
    two?.();
    outputGrowth.tell(path);
    three();
    outputGrowth.tell(path);
    assert.deepEqual(calls, ['one', 'two', 'two', 'three']);
  });

  it('writes what comes within four milliseconds together, each time anew', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const log = openOutputLog(path);
    let told = Promise.withResolvers<undefined>();
    let calls = 0;
    const stop = outputGrowth.listen(path, () => {
      calls += 1;
      told.resolve(undefined);
    });
    try {
      for (const number of [1, 2]) {
        told = Promise.withResolvers();
        log.write(Buffer.from('a'));
        mock.timers.tick(3);
        log.write(Buffer.from('b'));
        for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
        assert.equal(calls, number - 1);
        mock.timers.tick(1);
        await told.promise;
        assert.deepEqual([calls, await readFile(path, 'utf8')], [number, 'ab'.repeat(number)]);
      }
    } finally {
      stop();
      mock.timers.reset();
    }
    await log.close();
  });

  it('lets who writes faster than the disk wait from 256 KB on, and nobody else', async () => {
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

  it('lets nobody wait for a file that cannot be written, and says so at its end', async () => {
    const log = openOutputLog(join(folder, 'none', 'output.log'));
    log.write(Buffer.alloc(512 * 1024, 'a'));
    await log.drained();
    log.write(Buffer.from('more'));
    await assert.rejects(log.close(), { code: 'ENOENT' });
    assert.equal(log.tail(), `${'a'.repeat(64 * 1024 - 4)}more`);
  });

  it('leaves out no more than a character where its end is no text', async () => {
    const log = openOutputLog(path, 4);
    log.write(Buffer.concat([Buffer.from('abcd'), Buffer.alloc(10, 0x80)]));
    await log.close();
    const bytes = await readFile(path);
    assert.deepEqual(bytes.subarray(bytes.lastIndexOf('\n') + 1), Buffer.alloc(7, 0x80));
  });
});
