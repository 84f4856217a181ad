import assert from 'node:assert/strict';
import { readEvents, readLines, type Received } from '../../../../../src/service/models/upstream/upstreamEvents.ts';

const limit = 16 * 1024 * 1024;
const encoder = new TextEncoder();

describe('what a model server sends piece by piece', () => {
  const bodyOf = (...pieces: (string | Uint8Array)[]): ReadableStream<Uint8Array> => {
    const left = [...pieces];
    return new ReadableStream({
      pull(controller) {
        const piece = left.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece);
      },
    });
  };
  const all = async (received: AsyncIterable<Received>): Promise<(string | [string])[]> => {
    const found: (string | [string])[] = [];
    for await (const { text, isError } of received) found.push(isError ? [text] : text);
    return found;
  };

  it('are events, however they are cut, with the last one that lacks its blank line', async () => {
    assert.deepEqual(await all(readEvents(bodyOf('data: a\n\ndata: {"b"', ':1}\n\n', 'data: [DONE]'))), [
      'a',
      '{"b":1}',
      '[DONE]',
    ]);
    assert.deepEqual(await all(readEvents(bodyOf())), []);
  });

  it('are errors where the server calls them so', async () => {
    assert.deepEqual(
      await all(readEvents(bodyOf('event: error\ndata: e\n\nevent: message\ndata: m\n\nevent: x\ndata: x\n\n'))),
      [['e'], 'm', 'x'],
    );
    assert.deepEqual(await all(readEvents(bodyOf('event: error\ndata: last'))), [['last']]);
  });

  it('are given as soon as they are there, and no more is read once nobody wants it', async () => {
    for (const [read, text] of [
      [readEvents, 'data: a\n\n'],
      [readLines, 'a\n'],
    ] as const) {
      let cancelled = false;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(encoder.encode(text)),
        cancel: () => {
          cancelled = true;
        },
      });
      for await (const received of read(body)) {
        assert.equal(received.text, 'a');
        break;
      }
      assert.equal(cancelled, true);
    }
  });

  it('are lines without those that say nothing, however they are cut', async () => {
    const euro = encoder.encode('"€"\n');
    assert.deepEqual(
      await all(readLines(bodyOf('{"a":', '1}\n\n  \n{"b"', ':2}\r\n', euro.slice(0, 2), euro.slice(2), 'last'))),
      ['{"a":1}', '{"b":2}\r', '"€"', 'last'],
    );
    assert.deepEqual(await all(readLines(bodyOf('a\n', ' '))), ['a']);
    assert.deepEqual(await all(readLines(bodyOf(encoder.encode('€').slice(0, 2)))), ['\ufffd']);
  });

  it('are no longer than an answer of a model can be', async () => {
    const long = 'x'.repeat(limit);
    assert.equal((await all(readLines(bodyOf(long, '\nb'))))[0]?.length, limit);
    await assert.rejects(all(readLines(bodyOf(long, 'x'))), { message: /a line larger than 16 MB/, kind: 'protocol' });
    assert.equal((await all(readEvents(bodyOf('data: ', 'x'.repeat(limit - 100), '\n\n'))))[0]?.length, limit - 100);
    await assert.rejects(all(readEvents(bodyOf('data: ', long, 'x'.repeat(100), '\n\n'))), {
      message: /an event larger than 16 MB/,
      kind: 'protocol',
    });
  });
});
