import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { patientFetch } from '../../../../../src/service/models/upstream/patientFetch.ts';
import { UpstreamConnection } from '../../../../../src/service/models/upstream/upstreamConnection.ts';
import { readEvents, readLines, type Received } from '../../../../../src/service/models/upstream/upstreamEvents.ts';
import { type Handler, startHttpServer } from '../../../../support/httpServer.ts';
import { bodyOf, ConnectionBench, events, failureOf, readStream } from './connectionBench.ts';

describe('the requests to a model server', () => {
  let bench: ConnectionBench;
  beforeEach(() => {
    bench = new ConnectionBench(UpstreamConnection);
  });
  const connectionTo: ConnectionBench['to'] = (...given) => bench.to(...given);

  it('carry the key, say what is taken, and follow no redirect', async () => {
    const connection = connectionTo(() => new Response('{"a":1}'), { apiKey: 'k' });
    assert.deepEqual(await connection.postJson('/chat', { n: 9007199254740993n }), { a: 1 });
    assert.deepEqual(await connection.getJson('//api/tags'), { a: 1 });
    await connectionTo(() => new Response('{}')).getJson('/models');
    const accept = 'application/json, text/event-stream';
    assert.deepEqual(bench.sent, [
      {
        url: 'http://up.example/v1/chat',
        method: 'POST',
        redirect: 'manual',
        headers: { accept, 'content-type': 'application/json', authorization: 'Bearer k' },
        body: '{"n":9007199254740993}',
      },
      {
        url: 'http://up.example/api/tags',
        method: 'GET',
        redirect: 'manual',
        headers: { accept, authorization: 'Bearer k' },
        body: undefined,
      },
      { url: 'http://up.example/v1/models', method: 'GET', redirect: 'manual', headers: { accept }, body: undefined },
    ]);
    assert.equal(bench.signal?.aborted, true, 'nothing of it goes on');
  });

  it('say why there is no answer: it cannot be reached, breaks off, says nothing, or was stopped', async () => {
    const refused = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
    });
    const unreachable = await failureOf(connectionTo(() => Promise.reject(refused)).getJson('/x'));
    assert.deepEqual(
      [unreachable.kind, unreachable.message],
      ['network', 'Up cannot be reached (ECONNREFUSED). Start it, or correct its baseUrl.'],
    );
    const plain = await failureOf(connectionTo(() => Promise.reject(new Error('odd'))).getJson('/x'));
    assert.match(plain.message, /cannot be reached \(odd\)/);
    const broken = await failureOf(connectionTo(() => new Response(bodyOf(['{'], refused))).getJson('/x'));
    assert.deepEqual([broken.kind, broken.message], ['cutOff', 'Up broke off its answer (ECONNREFUSED).']);
    const silent = failureOf(bench.silent().getJson('/x'));
    await bench.clock.advance(30_000);
    assert.deepEqual(
      [(await silent).kind, (await silent).message.slice(0, 60)],
      ['timeout', 'Up sent nothing for 30 s; the request was given up. Raise ti'],
    );
    const stop = new AbortController();
    const stopped = failureOf(
      connectionTo(() => (stop.abort(), Promise.reject(new Error('aborted')))).getJson('/x', { signal: stop.signal }),
    );
    assert.deepEqual([(await stopped).kind, (await stopped).message], ['aborted', 'Stopped.']);
  });

  it('read a stream up to its end mark, and tell of it', async () => {
    let marks = 0;
    const onMark = (): void => void (marks += 1);
    const text = 'data: {"a":1}\n\ndata:  \n\ndata: {"a":2}\n\n';
    assert.deepEqual(
      await readStream(
        connectionTo(() => events(`${text}data: [DONE]\n\ndata: {"a":3}\n\n`, 'hang')),
        { onMark },
      ),
      [{ a: 1 }, { a: 2 }],
    );
    assert.equal(marks, 1);
    assert.equal(bench.signal?.aborted, true);
    assert.deepEqual(
      await readStream(
        connectionTo(() => events(text)),
        { onMark },
      ),
      [{ a: 1 }, { a: 2 }],
    );
    assert.equal(marks, 1);
    const lines = (): Response =>
      new Response(bodyOf(['{"a":1}\n\n{"a":', '2}\n']), { headers: { 'content-type': 'application/json' } });
    assert.deepEqual(await readStream(connectionTo(lines), { format: 'lines' }), [{ a: 1 }, { a: 2 }]);
    const one = (): Response =>
      new Response('{"a":1}', { headers: { 'content-type': 'application/json; charset=utf-8' } });
    assert.deepEqual(await readStream(connectionTo(one)), [{ a: 1 }]);
    assert.match(
      (await failureOf(readStream(connectionTo(() => new Response(null))))).message,
      /^Up answered without a body\./,
    );
  });

  it('end a stream with the error that it holds', async () => {
    const cases: [string, string, RegExp][] = [
      ['data: {"error":{"message":"Full","code":503}}\n\n', 'server', /answered 503: Full\.$/],
      ['event: error\ndata: {"message":"Odd"}\n\n', 'server', /answered 500: Odd\.$/],
      ['event: error\ndata: {"error":{"message":"Odd","code":429}}\n\n', 'rateLimited', /answered 429: Odd\.$/],
      ['data: nothing\n\n', 'protocol', /sent something that is not JSON: nothing$/],
    ];
    for (const [text, kind, message] of cases) {
      const error = await failureOf(readStream(connectionTo(() => events(`data: {"a":1}\n\n${text}`))));
      assert.equal(error.kind, kind, text);
      assert.match(error.message, message);
    }
  });

  it('end where their reader leaves', async () => {
    for await (const _value of connectionTo(() => events('data: {"a":1}\n\n', 'hang')).postStream('/chat', {})) break;
    assert.equal(bench.signal?.aborted, true);
  });
});

describe('what a model server sends piece by piece', () => {
  const limit = 16 * 1024 * 1024;
  const encoder = new TextEncoder();

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

describe('the fetch that model servers are reached with', () => {
  async function ask(interim: number): Promise<Response> {
    const server = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          let sent = 0;
          const send = (): void => {
            while (sent < interim) {
              sent += 1;
              if (!socket.write('HTTP/1.1 102 Processing\r\n\r\n')) return void socket.once('drain', send);
            }
            // By itself, so that what came before it has been read.
            setTimeout(() => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}'), 20);
          };
          send();
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      return await patientFetch(url, {
        method: 'GET',
        headers: {},
        signal: AbortSignal.timeout(20_000),
        redirect: 'manual',
      });
    } finally {
      server.close();
    }
  }

  it('takes interim answers, and not without end', async () => {
    assert.equal((await ask(1000)).status, 200);
    for (const interim of [1001, Infinity]) await assert.rejects(ask(interim), /interim answers without end/);
  });

  const send = async (handler: Handler, options: object = {}): Promise<{ response: Response; text: string }> => {
    const server = await startHttpServer(handler);
    try {
      const response = await patientFetch(`${server.url}/v1/x?y=1`, {
        method: 'POST',
        headers: { 'x-own': 'a' },
        signal: AbortSignal.timeout(20_000),
        redirect: 'manual',
        ...options,
      });
      // It is read as long as the server is there.
      return { response, text: await response.text() };
    } finally {
      await server.close();
    }
  };

  for (const status of [204, 205, 304])
    it(`gives an answer without a body for ${status}`, async () => {
      const { response } = await send((_request, answer) => void answer.writeHead(status).end());
      assert.deepEqual([response.status, response.body], [status, null]);
    });

  it('speaks TLS to an address that says so, and to no other', async () => {
    const firstBytes: number[] = [];
    const server = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .once('data', (bytes: Buffer) => {
          firstBytes.push(bytes[0] ?? 0);
          socket.destroy();
        }),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const url of [`https://127.0.0.1:${port}/`, `http://127.0.0.1:${port}/https:`])
      await assert.rejects(
        patientFetch(url, { method: 'GET', headers: {}, signal: AbortSignal.timeout(20_000), redirect: 'manual' }),
      );
    server.close();
    // The first byte of a handshake, and that of GET.
    assert.deepEqual(firstBytes, [0x16, 0x47]);
  });

  it('ends as soon as nobody wants the answer, and fails where nobody is there', async () => {
    const controller = new AbortController();
    await assert.rejects(
      send(() => controller.abort(), { signal: controller.signal }),
      { name: 'AbortError' },
    );
    await assert.rejects(
      patientFetch('http://127.0.0.1:9/', {
        method: 'GET',
        headers: {},
        signal: AbortSignal.timeout(20_000),
        redirect: 'manual',
      }),
      /ECONNREFUSED/,
    );
  });
});
