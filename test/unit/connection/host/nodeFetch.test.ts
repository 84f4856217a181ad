import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import zlib from 'node:zlib';
import type { HttpRequest, HttpResponse } from '../../../../src/api/client/index.ts';
import { nodeFetch } from '../../../../src/connection/host/nodeFetch.ts';
import { eventually } from '../../../support/eventually.ts';

describe('nodeFetch', () => {
  let server: http.Server;
  let handler: http.RequestListener;
  let url: string;

  beforeEach(async () => {
    server = http.createServer((request, response) => handler(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const request = (headers: Record<string, string> = {}): HttpRequest => ({
    method: 'GET',
    headers,
    signal: new AbortController().signal,
    redirect: 'manual',
  });

  async function textOf({ body }: HttpResponse): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of body ?? []) pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
  }

  it('takes no more from the network than a slow reader needs', async () => {
    const piece = Buffer.alloc(65_536, 'a');
    let sent = 0;
    handler = (_request, response) => {
      const write = (): void => {
        for (let hasRoom = true; hasRoom && sent < 2000; sent += 1) hasRoom = response.write(piece);
        response.once('drain', write);
      };
      write();
    };
    const { body } = await nodeFetch(url, request());
    const reader = body?.[Symbol.asyncIterator]();
    await reader?.next();
    let before = -1;
    // Until the server has not been asked for more for a while: what the system itself buffers is some megabytes.
    for (let quiet = 0; quiet < 200; quiet = sent === before ? quiet + 1 : 0) {
      before = sent;
      await nextTurn();
    }
    assert.ok(sent < 400, `${sent} of 2000 pieces were taken for a reader of one`);
    let read = 1;
    while (read < 100_000_000 && sent < 1000) read += (await reader?.next())?.value?.byteLength ?? 0;
    assert.ok(sent >= 1000, 'and goes on when the reader does');
    await reader?.return?.();
  });

  it('reads what is compressed in any way that it knows, and asks for it where words do not wait', async () => {
    const accepted: (string | undefined)[] = [];
    for (const [encoding, compress] of Object.entries({
      gzip: zlib.gzipSync,
      'x-gzip': zlib.gzipSync,
      deflate: zlib.deflateSync,
      br: zlib.brotliCompressSync,
      GZIP: zlib.gzipSync,
      identity: (text: string) => Buffer.from(text),
    })) {
      handler = (incoming, response) => {
        accepted.push(incoming.headers['accept-encoding'] as string | undefined);
        response.writeHead(200, { 'content-encoding': encoding }).end(compress('Zürich'));
      };
      assert.equal(await textOf(await nodeFetch(url, request({ accept: 'application/json' }))), 'Zürich', encoding);
    }
    assert.deepEqual(new Set(accepted), new Set(['gzip']));
    accepted.length = 0;
    await textOf(await nodeFetch(url, request({ accept: 'text/event-stream' })));
    assert.deepEqual(accepted, [undefined]);
  });

  it('fails where the answer breaks off, compressed or not', async () => {
    const whole = zlib.gzipSync('a'.repeat(100_000));
    for (const [headers, body] of [
      [{ 'content-length': '100' }, 'a'],
      [{ 'content-encoding': 'gzip' }, whole.subarray(0, 60)],
      [{ 'content-encoding': 'gzip' }, 'no gzip at all'],
    ] as const) {
      handler = (_request, response) => {
        response.writeHead(200, headers);
        response.write(body, () => ('content-length' in headers ? response.destroy() : response.end()));
      };
      const answer = await nodeFetch(url, request());
      await assert.rejects(textOf(answer));
    }
  });

  it('gives repeated headers as one, and null for those that are not there', async () => {
    handler = (_request, response) => {
      response.setHeader('Set-Cookie', ['a', 'b']);
      response.end();
    };
    const { headers } = await nodeFetch(url, request());
    assert.deepEqual(
      [headers.get('set-cookie'), headers.get('Set-Cookie'), headers.get('x-none')],
      ['a, b', 'a, b', null],
    );
  });

  it('sends method, headers and body, whose length is that of its bytes, and has the status of the answer', async () => {
    let seen: unknown;
    handler = (incoming, response) => {
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.on('end', () => {
        const { method, headers, url: address } = incoming;
        seen = [method, address, headers['x-own'], headers['content-length'], Buffer.concat(pieces).toString()];
        response.writeHead(418).end();
      });
    };
    const answer = await nodeFetch(`${url}a?b=c`, { ...request({ 'x-own': '1' }), method: 'POST', body: '{"a":"ü"}' });
    assert.deepEqual([answer.status, seen], [418, ['POST', '/a?b=c', '1', '10', '{"a":"ü"}']]);
    const accepted = (await nodeFetch(url, { ...request({ 'accept-encoding': 'identity' }) })).status;
    assert.equal(accepted, 418);
    assert.deepEqual(seen, ['GET', '/', undefined, undefined, '']);
  });

  it('ends with its signal, before the answer and within it, and closes the connection of a reader who leaves', async () => {
    let closed = 0;
    handler = (incoming, response) => {
      response.once('close', () => (closed += 1));
      if (incoming.url === '/begun') response.write('a');
    };
    for (const place of ['', 'begun']) {
      const leaving = new AbortController();
      const answer = nodeFetch(url + place, { ...request(), signal: leaving.signal });
      if (place === '') setTimeout(() => leaving.abort(), 20);
      else await answer.then(() => leaving.abort());
      await assert.rejects(answer.then(textOf));
    }
    await eventually(() => assert.equal(closed, 2));
    const reader = (await nodeFetch(`${url}begun`, request())).body?.[Symbol.asyncIterator]();
    await reader?.next();
    assert.deepEqual(await reader?.return?.(), { value: undefined, done: true });
    await eventually(() => assert.equal(closed, 3));
  });

  it('waits through a thousand interim answers, and for no more', async () => {
    let closed = 0;
    for (const [count, ended] of [
      [1000, 200],
      [1001, 'the server sends interim answers without end'],
    ] as const) {
      handler = (_request, response) => {
        response.once('close', () => (closed += 1));
        for (let sent = 0; sent < count; sent += 1) response.writeProcessing();
        // The answer itself comes later, so that it finds a connection that was given up.
        if (count === 1000) setTimeout(() => response.end(), 30);
      };
      const answer = nodeFetch(url, request()).then(
        async (answered) => (await textOf(answered), answered.status),
        (error: unknown) => (error as Error).message,
      );
      assert.equal(await answer, ended);
    }
    await eventually(() => assert.equal(closed, 2));
  });

  it('settles a reader who is waiting already: with the end, or with what went wrong, then and from then on', async () => {
    for (const [headers, over] of [
      [{}, { done: true, value: undefined }],
      [{ 'content-length': '100' }, 'ECONNRESET'],
      [{ 'content-encoding': 'gzip' }, 'ECONNRESET'],
    ] as const) {
      const { promise, resolve } = Promise.withResolvers<http.ServerResponse>();
      handler = (_request, response) => {
        response.writeHead(200, headers);
        response.write('a');
        resolve(response);
      };
      const reader = (await nodeFetch(url, request())).body?.[Symbol.asyncIterator]();
      if (!('content-encoding' in headers))
        assert.equal(Buffer.from((await reader?.next())?.value ?? []).toString(), 'a');
      const waiting = reader?.next();
      const outcome = (answer: typeof waiting): Promise<unknown> | undefined =>
        answer?.catch((error: unknown) => (error as NodeJS.ErrnoException).code);
      const told = outcome(waiting);
      const response = await promise;
      if (over === 'ECONNRESET') response.destroy();
      else response.end();
      assert.deepEqual([await told, await outcome(reader?.next())], [over, over]);
    }
  });

  it('gives nothing more to a reader who has left', async () => {
    handler = (_request, response) => void response.end('a'.repeat(200_000));
    const reader = (await nodeFetch(url, request())).body?.[Symbol.asyncIterator]();
    await reader?.next();
    await nextTurn();
    await reader?.return?.();
    const after = await reader?.next().catch(() => ({ done: true }));
    assert.equal(after?.done, true);
  });
});
