import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import type { RouteHandler } from '../../../../src/service/http/handler.ts';
import { JsonPieces } from '../../../../src/service/http/reply.ts';
import { startServer, type HttpServer, type HttpServerOptions } from '../../../../src/service/http/server.ts';
import { AppError, isAppError } from '../../../../src/shared/errors.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { eventually } from '../../../support/eventually.ts';
import './protocol.part.ts';
import './security.part.ts';

const token = 'a-token-of-this-test';

describe('the HTTP server', () => {
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

  it('answers on 127.0.0.1 alone where somebody else has its port on ::1', async function () {
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

  it('hands a request over whole, and answers with what comes back', async () => {
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
    handle = ({ response }) => void response.writeHead(201).end('by itself');
    assert.deepEqual((await call('/x/1')).slice(0, 2), [201, 'by itself']);
  });

  it('sends what is made in pieces whole, however long', async () => {
    await start();
    const piece = 'x'.repeat(200_000);
    for (const count of [0, 1, 2, 3, 9]) {
      handle = () =>
        new JsonPieces(['"', ...Array.from({ length: count }, (_, place) => `${place}${piece}`), '"'].values());
      const [status, text, headers] = await call('/x/1');
      const whole = Array.from({ length: count }, (_, place) => `${place}${piece}`).join('');
      assert.deepEqual([status, JSON.parse(text) === whole], [200, true], `${count} pieces`);
      assert.equal(headers.get('cache-control'), 'no-store');
    }
    handle = () => ({ text: 'y'.repeat(2_000_000) });
    assert.equal((await call('/x/1'))[1].length, 2_000_011);
  });

  it('tells whoever calls of a refusal, and the log only of what is its own fault, with the cause', async () => {
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

  it('tells in the form of another API where a path is of that', async () => {
    await start({ isOpenAi: (pathname) => pathname === '/x/openai' });
    handle = () => {
      throw new ApiError(502, 'INTERNAL_ERROR', 'No.', { upstream: { retryable: false } });
    };
    const [, text, headers] = await call('/x/openai');
    assert.deepEqual(JSON.parse(text), {
      error_code: 'INTERNAL_ERROR',
      message: 'No.',
      source: 'upstream',
      retryable: false,
      error: { message: 'No.', type: 'INTERNAL_ERROR', code: 'INTERNAL_ERROR' },
    });
    assert.equal(headers.get('x-should-retry'), 'false');
    assert.equal('error' in JSON.parse((await call('/x/other'))[1]), false);
  });

  it('says whoever has no token so, on all but open paths, and asks for one', async () => {
    const seen: (string | undefined)[] = [];
    await start({ onRequest: ({ url }) => void seen.push(url) });
    const without = { headers: {} };
    const [status, , headers] = await call('/x/1', without);
    assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer']);
    assert.equal((await call('/open/k', without))[0], 200);
    assert.equal((await call('/x/1'))[0], 200);
    assert.deepEqual(seen, ['/open/k', '/x/1']);
    const [wrong, , more] = await call('/x/1', { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    assert.deepEqual([wrong, more.get('allow')], [405, 'GET, HEAD']);
  });

  it('asks for a body that is announced, in whatever letters, once it would take it', async () => {
    await start();
    handle = ({ text }) => ({ text });
    const socket = connect(server?.port ?? 0, '127.0.0.1');
    const head = `POST /x HTTP/1.1\r\nHost: 127.0.0.1:${server?.port}\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n`;
    socket.write(`${head}Authorization: Bearer ${token}\r\nConnection: close\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    assert.match(first.toString(), /^HTTP\/1\.1 100 Continue/);
    socket.write('{}');
    const [second] = (await once(socket, 'data')) as [Buffer];
    assert.match(second.toString(), /^HTTP\/1\.1 200 OK[^]*\{"text":"\{\}"\}$/);
    socket.destroy();
  });

  it('closes who asks only for what is open to everybody, and nobody who has shown the token', async () => {
    await start({ limits: { strangers: { maxCount: 1, timeoutInMs: 60_000 } } });
    const ask = async (path: string, headers = ''): Promise<[Promise<unknown>, () => void]> => {
      const socket = connect(server?.port ?? 0, '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server?.port}\r\n${headers}\r\n`);
      await once(socket, 'data');
      return [once(socket.resume(), 'close'), () => void socket.destroy()];
    };
    handle = () => {
      throw new ApiError(404, 'RESOURCE_DOES_NOT_EXIST', 'No such page.');
    };
    const [, leave] = await ask('/x/1', `Authorization: Bearer ${token}\r\n`);
    const [closed] = await ask('/open/wrong');
    const [, leaveToo] = await ask('/open/wrong');
    await closed;
    leave();
    leaveToo();
  });

  it('stops what nobody waits for any more, and says nothing of it', async () => {
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

  it('lets a test answer instead of a handler, after the token was looked at', async () => {
    let handled = 0;
    handle = () => ({ handled: (handled += 1) });
    await start({
      interfere: async ({ url }, response) => {
        if (url === '/x/taken') response.end('taken');
        return url === '/x/taken';
      },
    });
    assert.deepEqual([(await call('/x/taken'))[1], handled], ['taken', 0]);
    assert.equal((await call('/x/taken', { headers: {} }))[0], 401);
    assert.deepEqual([(await call('/x/1'))[0], handled], [200, 1]);
  });

  it('ends with all its connections, and says whose a port is', async () => {
    await start();
    const socket = connect(server?.port ?? 0, '127.0.0.1');
    await once(socket, 'connect');
    await assert.rejects(start({ port: server?.port }), (error) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual(
        [error.kind, error.remedy],
        ['unavailable', 'Give another port, or leave it out and any free one is taken.'],
      );
      assert.match(error.message, /^Port \d+ cannot be used \(EADDRINUSE\); the local service was not started\.$/);
      return true;
    });
    const { url = '' } = server ?? {};
    await server?.close();
    server = undefined;
    await once(socket.resume(), 'close');
    await assert.rejects(fetch(url));
    await assert.rejects(start({ tls: { cert: 'no', key: 'no' } }), /certificate or its key cannot be used/);
  });
});
