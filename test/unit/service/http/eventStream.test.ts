import assert from 'node:assert/strict';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { sendEventStream } from '../../../../src/service/http/modelHandlers.ts';
import { AppError } from '../../../../src/shared/errors.ts';

describe('streamed answers', () => {
  let server: Server | undefined;
  afterEach(() => {
    mock.reset();
    server?.close();
  });

  /** What a client gets of these chunks, and whether the answer was whole. */
  async function receive(
    chunks: () => AsyncGenerator<object>,
    read?: (stop: () => void) => void,
  ): Promise<{ text: string; isWhole: boolean; failure?: unknown }> {
    let failure: unknown;
    const handled = Promise.withResolvers<void>();
    server = createServer((_request, response) => {
      sendEventStream(response, chunks())
        .catch((error: unknown) => (failure = error))
        .finally(handled.resolve)
        .catch(() => undefined);
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const got = await new Promise<{ text: string; isWhole: boolean }>((resolve) => {
      let text = '';
      const call = request({ port, host: '127.0.0.1', agent: false }, (response) => {
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('error', () => undefined).on('close', () => resolve({ text, isWhole: response.complete }));
        read?.(() => call.destroy());
      });
      call.on('error', () => undefined).end();
    });
    await handled.promise;
    return { ...got, failure };
  }

  it('are one event a chunk and end with [DONE]', async () => {
    const got = await receive(async function* () {
      yield { id: 9007199254740993n, text: 'line\nbreak' };
      yield { b: 2 };
    });
    assert.deepEqual(got, {
      text: 'data: {"id":9007199254740993,"text":"line\\nbreak"}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n',
      isWhole: true,
      failure: undefined,
    });
  });

  it('tell of a failure in the middle and never look whole', async () => {
    const got = await receive(async function* () {
      yield { a: 1 };
      throw new AppError('network', 'The model server went away.', { remedy: 'Start it again.' });
    });
    const [first, second] = got.text.split('\n\n');
    assert.equal(first, 'data: {"a":1}');
    assert.match(
      second!,
      /^data: \{"error_code":"TEMPORARILY_UNAVAILABLE","message":"The model server went away\. Start it again\.","error":\{/,
    );
    assert.equal(got.isWhole, false);
    assert.ok(!got.text.includes('[DONE]'));
    assert.ok(got.failure instanceof AppError);
  });

  it('break off after so many events where a test wants that, and ask for no more', async () => {
    for (const cutAfter of [0, 2]) {
      let produced = 0;
      let isEnded = false;
      const written: string[] = [];
      const response = {
        destroyed: false,
        destroy: () => void (response.destroyed = true),
        writeHead: () => undefined,
        write: (text: string) => written.push(text) > 0,
        end: () => assert.fail('it would pass for whole'),
      };
      const chunks = (async function* () {
        try {
          for (;;) yield { n: (produced += 1) };
        } finally {
          isEnded = true;
        }
      })();
      await sendEventStream(response as never, chunks, { cutAfter });
      assert.deepEqual([written.length, response.destroyed, isEnded, produced], [cutAfter, true, true, cutAfter + 1]);
    }
  });

  it('fail as any other answer where nothing was sent yet', async () => {
    const response = { writeHead: () => assert.fail('it had begun') };
    const failing = (async function* () {
      yield* [];
      throw new Error('no model');
    })();
    await assert.rejects(sendEventStream(response as never, failing), /no model/);
  });

  it('let others come between where chunks come without a pause for 10 ms', async () => {
    let nowInMs = 0;
    mock.method(performance, 'now', () => nowInMs);
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    const turnsOf = async (eachInMs: number): Promise<number> => {
      const written: string[] = [];
      const response = {
        destroyed: false,
        writeHead: () => undefined,
        write: (text: string) => written.push(text) > 0,
        end: () => undefined,
      };
      [turns, isOver] = [0, false];
      setImmediate(count);
      await sendEventStream(
        response as never,
        (async function* () {
          for (let chunk = 0; chunk < 20; chunk += 1) {
            nowInMs += eachInMs;
            yield { chunk };
          }
        })(),
      );
      isOver = true;
      assert.equal(written.length, 20);
      return turns;
    };
    assert.equal(await turnsOf(0.5), 0);
    const often = await turnsOf(10);
    assert.ok(often > 0);
    assert.ok((await turnsOf(10.5)) > often, 'each chunk has a turn of its own then');
  });

  it('wait for nobody who has gone by the time that he is written to', async () => {
    const listeners = new Set<unknown>();
    let given = 0;
    const response = {
      destroyed: false,
      writeHead: () => undefined,
      // As one whose end was told before anybody listened.
      write: () => !(response.destroyed = true),
      destroy: () => undefined,
      end: () => undefined,
      once: (_name: string, listener: unknown) => (listeners.add(listener), response),
      off: (_name: string, listener: unknown) => (listeners.delete(listener), response),
    };
    await sendEventStream(
      response as never,
      (async function* () {
        for (; given < 3; given += 1) yield { given };
      })(),
    );
    assert.deepEqual([given < 3, listeners.size], [true, 0]);
  });

  it('stop asking for chunks when the client has gone, and wait for a slow one', async () => {
    let produced = 0;
    let ended = false;
    const begun = Promise.withResolvers<void>();
    await receive(
      async function* () {
        try {
          for (;;) {
            produced += 1;
            if (produced > 3) begun.resolve();
            yield { pad: 'x'.repeat(100_000) };
            await new Promise((resolve) => setImmediate(resolve));
          }
        } finally {
          ended = true;
        }
      },
      (stop) => void begun.promise.then(() => setTimeout(stop, 50)),
    );
    assert.ok(ended);
    assert.ok(produced > 0 && produced < 100_000);
  });
});
