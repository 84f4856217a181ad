import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { callLoopback } from '../../../../src/service/host/loopback.ts';
import { AppError } from '../../../../src/shared/errors.ts';

describe('a small request to the service of this machine', () => {
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
  before(async () => {
    server = createServer((request, response) => answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const service = (): { url: string; token: string } => ({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'the-token',
  });
  const failure = async (call: Promise<unknown>): Promise<unknown[]> => {
    const error: unknown = await call.then(
      () => assert.fail('it must fail'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof AppError, String(error));
    return [error.kind, error.message, error.status];
  };

  it('carries the token and its body, and gives what the answer holds', async () => {
    const seen: unknown[] = [];
    answer = async (request, response) => {
      const { authorization, 'content-length': length } = request.headers;
      seen.push([request.method, request.url, authorization, length, await text(request)]);
      response.end('{"a":"ü"}');
    };
    assert.deepEqual(await callLoopback(service(), { method: 'POST', path: '/x' }, { b: 'ü' }), { a: 'ü' });
    assert.deepEqual(await callLoopback(service(), { method: 'GET', path: '/y' }), { a: 'ü' });
    assert.deepEqual(seen, [
      ['POST', '/x', 'Bearer the-token', '10', '{"b":"ü"}'],
      ['GET', '/y', 'Bearer the-token', '0', ''],
    ]);
  });

  for (const [status, body, expected] of [
    [400, '{"message":"No such run."}', ['rejected', 'No such run.', 400]],
    [503, '{"message":7}', ['rejected', 'The local service answered 503.', 503]],
    [404, 'nothing', ['rejected', 'The local service answered 404.', 404]],
    [201, '{}', ['rejected', 'The local service answered 201.', 201]],
    [200, 'nothing', ['protocol', 'The local service answered something that is not JSON.', undefined]],
  ] as const)
    it(`that is answered with ${status} ${body} fails: ${expected[1]}`, async () => {
      answer = (_request, response) => void response.writeHead(status).end(body);
      assert.deepEqual(await failure(callLoopback(service(), { method: 'GET', path: '/x' })), expected);
    });

  it('tells a service that is not there from one that says nothing, and from a user who stops', async () => {
    assert.deepEqual(
      await failure(callLoopback({ url: 'http://127.0.0.1:9', token: '' }, { method: 'GET', path: '/x' })),
      ['network', 'The local service cannot be reached.', undefined],
    );
    answer = () => undefined;
    assert.deepEqual(
      await failure(callLoopback(service(), { method: 'GET', path: '/x' }, undefined, { timeoutInMs: 1 })),
      ['timeout', 'The local service did not answer in time.', undefined],
    );
    const stop = new AbortController();
    const stopped = failure(callLoopback(service(), { method: 'GET', path: '/x' }, undefined, { signal: stop.signal }));
    stop.abort();
    assert.deepEqual(await stopped, ['aborted', 'Stopped.', undefined]);
  });

  it('is waited for two seconds, or for as long as the caller says', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      answer = () => undefined;
      for (const [options, limitInMs] of [
        [{}, 2000],
        [{ timeoutInMs: 9000 }, 9000],
      ] as const) {
        let kind: unknown;
        const asked = failure(callLoopback(service(), { method: 'GET', path: '/x' }, undefined, options)).then(
          ([each]) => (kind = each),
        );
        mock.timers.tick(limitInMs - 1);
        await new Promise((resolve) => setImmediate(resolve));
        assert.equal(kind, undefined);
        mock.timers.tick(1);
        await asked;
        assert.equal(kind, 'timeout');
      }
    } finally {
      mock.timers.reset();
    }
  });

  it('reads no more of an answer than any answer has', async () => {
    answer = (_request, response) => void response.end(JSON.stringify({ a: 'x'.repeat(900_000) }));
    assert.equal(((await callLoopback(service(), { method: 'GET', path: '/x' })) as { a: string }).a.length, 900_000);
    answer = (_request, response) => void response.end(JSON.stringify({ a: 'x'.repeat(3_000_000) }));
    assert.equal((await failure(callLoopback(service(), { method: 'GET', path: '/x' })))[0], 'protocol');
  });

  it('that breaks off in the middle of its answer fails', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('{');
      setImmediate(() => response.destroy());
    };
    assert.equal((await failure(callLoopback(service(), { method: 'GET', path: '/x' })))[0], 'network');
  });
});
