import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import type { RouteHandler } from '../../../../src/service/http/handler.ts';
import { type HttpServer, type HttpServerOptions, startServer } from '../../../../src/service/http/server.ts';
import { isAppError } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { eventually } from '../../../support/eventually.ts';
import { startTestService, type TestService, testToken } from '../support/testService.ts';

describe('HTTP server', () => {
  const token = 'a-token-of-this-test';

  let server: HttpServer | undefined;
  let errors: string[];
  let handle: RouteHandler['handle'];
  const start = async (more: Partial<HttpServerOptions> = {}): Promise<void> => {
    const routes: RouteHandler[] = [
      { method: 'GET', path: '/x/{id}', handle: (call) => handle(call) },
      { method: 'POST', path: '/x', handle: (call) => handle(call) },
      { method: 'GET', path: '/open/{key}', isOpen: true, handle: (call) => handle(call) },
    ];
    const logger = { ...silentLogger, error: (text: string) => void errors.push(text) };
    server = await startServer({ port: 0, token, handlers: routes, logger, ...more });
  };
  const call = async (path: string, init: RequestInit = {}): Promise<[number, string, Headers]> => {
    const response = await fetch(`${server?.url}${path}`, { headers: { authorization: `Bearer ${token}` }, ...init });
    return [response.status, await response.text(), response.headers];
  };
  beforeEach(() => {
    errors = [];
    handle = () => ({});
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it('answers on 127.0.0.1 when another program has its port on ::1', async function () {
    const other = createServer();
    other.listen({ port: 0, host: '::1', ipv6Only: true });
    try {
      await once(other, 'listening');
    } catch {
      this.skip();
    }
    try {
      await start({ port: (other.address() as AddressInfo).port });
      assert.equal((await call('/x/a'))[0], 200);
    } finally {
      other.close();
    }
  });

  it('passes the whole request to its handler', async () => {
    await start();
    handle = ({ path, query, text }) => ({ path, query: [...query], text });
    const [status, text, headers] = await call('/x/a%20b?c=1&c=2');
    assert.deepEqual(
      [status, JSON.parse(text)],
      [
        200,
        {
          path: { id: 'a b' },
          query: [
            ['c', '1'],
            ['c', '2'],
          ],
          text: '',
        },
      ],
    );
    assert.deepEqual(
      ['content-type', 'content-length', 'cache-control', 'x-content-type-options', 'referrer-policy'].map((name) =>
        headers.get(name),
      ),
      ['application/json; charset=utf-8', String(text.length), 'no-store', 'nosniff', 'no-referrer'],
    );
    assert.equal(JSON.parse((await call('/x', { method: 'POST', body: '{"a":1}' }))[1]).text, '{"a":1}');
    // Slashes of a base address that ends in one are one too many; in what is asked they are as they came.
    const slashes = JSON.parse((await call('//x//a%20b?c=s3://x//y&d=//'))[1]) as unknown;
    const query = [
      ['c', 's3://x//y'],
      ['d', '//'],
    ];
    assert.deepEqual(slashes, { path: { id: 'a b' }, query, text: '' });
    handle = ({ response }) => void response.writeHead(201).end('automatic');
    assert.deepEqual((await call('/x/1')).slice(0, 2), [201, 'automatic']);
  });

  it('reports refusals to the caller and logs only its own faults', async () => {
    await start();
    handle = () => {
      throw new ApiError(429, 'REQUEST_LIMIT_EXCEEDED', 'Too many.', { retryAfterInSeconds: 7 });
    };
    const [status, text, headers] = await call('/x/1?secret=1');
    assert.deepEqual(
      [status, JSON.parse(text), headers.get('retry-after'), headers.get('x-should-retry'), errors],
      [429, { error_code: 'REQUEST_LIMIT_EXCEEDED', message: 'Too many.' }, '7', null, []],
    );
    handle = () => {
      throw new ApiError(500, 'INTERNAL_ERROR', 'Broken.', { cause: new Error('below') });
    };
    assert.equal((await call('/x/1?secret=1'))[0], 500);
    assert.equal(errors.length, 1);
    assert.match(errors[0] ?? '', /^GET \/x\/1: .*below/);
    handle = () => {
      throw new ApiError(503, 'TEMPORARILY_UNAVAILABLE', 'Not now.');
    };
    await call('/x', { method: 'POST', body: '{}' });
    assert.match(errors[1] ?? '', /^POST \/x: .*Not now\./);
    handle = () => {
      throw new TypeError('x is not a function');
    };
    assert.equal((await call('/x/1'))[0], 500);
    assert.match(errors[2] ?? '', /x is not a function/);
  });

  it('aborts what nobody waits for any more', async () => {
    await start();
    let reason: unknown;
    const begun = Promise.withResolvers<void>();
    handle = ({ signal }) =>
      new Promise((_resolve, reject) => {
        begun.resolve();
        signal.addEventListener('abort', () => reject((reason = signal.reason) as Error));
      });
    const leaving = new AbortController();
    const left = call('/x/1', { headers: { authorization: `Bearer ${token}` }, signal: leaving.signal });
    await begun.promise;
    leaving.abort();
    await assert.rejects(left);
    await eventually(() => assert.ok(isAppError(reason) && reason.kind === 'aborted'));
    await pause(20);
    assert.deepEqual(errors, []);
  });

  it('closes all connections at its end, and names a port that is taken', async () => {
    await start();
    const socket = connect(server?.port ?? 0, '127.0.0.1');
    await once(socket, 'connect');
    const message = /^Port \d+ cannot be used \(EADDRINUSE\); the local service was not started\.$/;
    await assert.rejects(start({ port: server?.port }), { kind: 'unavailable', message });
    const { url = '' } = server ?? {};
    await server?.close();
    server = undefined;
    await once(socket.resume(), 'close');
    await assert.rejects(fetch(url));
    await assert.rejects(start({ tls: { cert: 'no', key: 'no' } }), /certificate or its key cannot be used/);
  });
});

describe('HTTP', () => {
  let test: TestService;
  let port = 0;
  before(async () => {
    test = await startTestService();
    port = Number(new URL(test.service.url).port);
  });
  after(() => test.close());

  /** Sends bytes as they are and gives all that comes back until the connection closes. */
  function raw(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.setTimeout(60_000, () => socket.destroy(new Error(`No answer to ${text.slice(0, 100)}`)));
      socket
        .setEncoding('utf8')
        .on('data', (chunk: string) => (answer += chunk))
        .on('error', reject)
        .on('close', () => resolve(answer));
    });
  }
  const send = (line: string, headers = '', body = ''): Promise<string> =>
    raw(
      `${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${testToken}\r\nConnection: close\r\n${headers}\r\n${body}`,
    );

  it('answers HEAD like GET, without the body', async () => {
    const answer = await send('HEAD /api/2.0/clusters/list-zones');
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.match(answer, /content-length: 42/);
    assert.ok(answer.endsWith('\r\n\r\n'));
  });

  it('answers on ::1 with the same checks', async function () {
    const look = createServer().listen(0, '::1');
    const hasIpv6 = await once(look, 'listening').then(
      () => true,
      () => false,
    );
    look.close();
    if (!hasIpv6) this.skip();
    const url = `http://[::1]:${port}/api/2.0/clusters/list-zones`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${testToken}`, connection: 'close' } });
    assert.equal(answer.status, 200);
    assert.equal((await fetch(url, { headers: { connection: 'close' } })).status, 401);
    const other = await startTestService();
    const place = `http://[::1]:${new URL(other.service.url).port}/api/millrace/health`;
    assert.equal((await fetch(place, { headers: { connection: 'close' } })).status, 401);
    await other.close();
    await assert.rejects(fetch(place), 'it is closed with the other');
  });

  it('names the allowed methods of a path', async () => {
    for (const [line, allowed] of [
      ['OPTIONS /api/2.0/jobs/list', 'GET, HEAD'],
      ['PUT /api/2.0/jobs/create', 'POST'],
      ['GET /api/2.0/jobs/run-now', 'POST'],
      ['PATCH /api/2.0/serving-endpoints/guide', 'GET, DELETE, HEAD'],
    ] as const) {
      const answer = await send(line);
      assert.match(answer, /^HTTP\/1\.1 405 /, line);
      assert.ok(answer.includes(`allow: ${allowed}\r\n`), answer);
    }
  });

  it('answers an unreadable address, and one with extra slashes', async () => {
    assert.match(await send('GET //'), /^HTTP\/1\.1 404 .*ENDPOINT_NOT_FOUND/s);
    assert.match(await send('GET http://['), /^HTTP\/1\.1 400 .*MALFORMED_REQUEST/s);
    assert.match(await send('GET //api//2.0/clusters/list-zones/'), /^HTTP\/1\.1 200 .*local/s);
    assert.match(await send(`GET http://127.0.0.1:${port}/api/2.0/clusters/list-zones`), /^HTTP\/1\.1 200 /);
  });

  it('explains what is wrong with an invalid request', async () => {
    assert.match(await raw('hello\r\n\r\n'), /^HTTP\/1\.1 400 .*This is not an HTTP request/s);
    assert.match(await send(`GET /${'a'.repeat(40_000)}`), /^HTTP\/1\.1 431 .*more than 32 KB/s);
  });

  it('refuses a compressed body', async () => {
    const answer = await send(
      'POST /api/2.0/jobs/runs/cancel',
      'Content-Encoding: gzip\r\nContent-Length: 2\r\n',
      '{}',
    );
    assert.match(answer, /^HTTP\/1\.1 415 .*without Content-Encoding/s);
  });

  it('survives deeply nested JSON and accepts a byte order mark', async () => {
    for (const deep of ['['.repeat(200_000) + ']'.repeat(200_000), '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)]) {
      const reply = await test.post('/api/2.0/jobs/create', `{"name":${deep}}`);
      assert.equal(reply.status, 400);
      assert.match(reply.json.message, /nested/);
    }
    assert.equal(
      (
        await test.post(
          '/api/2.0/jobs/create',
          '\ufeff{"name":"x","existing_cluster_id":"x","spark_python_task":{"python_file":"/a.py"}}',
        )
      ).status,
      200,
    );
  });
});
