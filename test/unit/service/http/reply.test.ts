import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import { JsonPieces, RawJson, sendError, sendJson, sendPieces } from '../../../../src/service/http/reply.ts';

interface Sent {
  status?: number;
  headers?: Record<string, string>;
  response: ServerResponse & PassThrough;
}

/** What is sent to a client, by the way in which it is waiting. */
function client(state: { headersSent?: boolean } = {}): Sent {
  const sent = {} as Sent;
  sent.response = Object.assign(new PassThrough(), {
    headersSent: false,
    ...state,
    writeHead(status: number, headers: Record<string, string>) {
      Object.assign(sent, { status, headers });
      return this;
    },
  }) as unknown as Sent['response'];
  return sent;
}

function sender(complete: boolean): { request: IncomingMessage; calls: string[]; socket: EventEmitter } {
  const calls: string[] = [];
  const socket = Object.assign(new EventEmitter(), { destroy: () => void calls.push('destroyed') });
  const request = Object.assign(new EventEmitter(), { complete, socket, resume: () => void calls.push('resumed') });
  return { request: request as unknown as IncomingMessage, calls, socket };
}

const json = (status: number, value: unknown): Sent => {
  const sent = client();
  sendJson(sent.response, status, value);
  return sent;
};

describe('an answer of the service', () => {
  it('is kept by nobody, is no other type than it says, and is for no page of another origin', async () => {
    const sent = json(201, { a: 1n });
    assert.equal(await text(sent.response), '{"a":1}');
    assert.equal(sent.status, 201);
    assert.deepEqual(sent.headers, {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'content-type': 'application/json; charset=utf-8',
      'content-length': '7',
    });
  });

  it('is an empty object where there is nothing to say, and text or bytes as they are', async () => {
    for (const [value, said] of [
      [undefined, '{}'],
      [null, '{}'],
      [0, '0'],
      [new RawJson('{"id":12345678901234567890}'), '{"id":12345678901234567890}'],
      [{ ü: '€' }, '{"ü":"€"}'],
      [new RawJson('{"ü":1}'), '{"ü":1}'],
      [new RawJson(Buffer.from('{"ü":1}')), '{"ü":1}'],
      [new JsonPieces(['{', '}']), '{}'],
    ] as const) {
      const sent = json(200, value);
      assert.equal(await text(sent.response), said);
      assert.equal(sent.headers?.['content-length'], String(Buffer.byteLength(said)));
    }
  });

  it('has its length where it is one piece, and comes as it is made where it is more', async () => {
    for (const [pieces, length] of [
      [[], 0],
      [['a', 'ü'], 3],
      [['x'.repeat(300_000)], 300_000],
      [['x'.repeat(300_000), 'ü'.repeat(300_000), 'z'], undefined],
    ] as const) {
      const sent = client();
      sendPieces(sent.response, pieces.values(), { 'content-type': 'text/html' });
      assert.equal(await text(sent.response), pieces.join(''));
      assert.deepEqual([sent.status, sent.headers?.['content-type']], [200, 'text/html']);
      assert.equal(sent.headers?.['content-length'], length === undefined ? undefined : String(length));
      assert.equal(sent.headers?.['x-content-type-options'], 'nosniff');
    }
  });

  it('goes out at once up to half a megabyte, and beyond in pieces of that size', async () => {
    for (const [length, pieces] of [
      [512 * 1024, [512 * 1024]],
      [512 * 1024 + 1, [512 * 1024, 1]],
      [1024 * 1024, [512 * 1024, 512 * 1024]],
    ] as const) {
      const sent = client();
      const written: number[] = [];
      sent.response.on('data', (piece: Buffer) => written.push(piece.length));
      sendJson(sent.response, 200, new RawJson('x'.repeat(length)));
      await new Promise((resolve) => sent.response.once('end', resolve));
      assert.deepEqual([sent.headers?.['content-length'], written], [String(length), pieces]);
    }
  });

  it('that had begun is broken off, so that nobody takes it for whole', () => {
    const sent = client({ headersSent: true });
    sendJson(sent.response, 200, {});
    assert.deepEqual([sent.response.destroyed, sent.status], [true, undefined]);
  });
});

describe('a refusal of the service', () => {
  const refuse = (error: ApiError, complete = true): Sent => {
    const sent = client();
    sendError(sender(complete).request, sent.response, error);
    return sent;
  };

  it('says when to come back, what may be sent instead, how to sign in, and that nothing is gained by trying again', () => {
    const headers = (status: number, more: ConstructorParameters<typeof ApiError>[3] = {}): unknown => {
      const {
        'retry-after': after,
        allow,
        'www-authenticate': sign,
        'x-should-retry': again,
      } = refuse(new ApiError(status, 'INVALID_STATE', 'Words.', more)).headers ?? {};
      return [after, allow, sign, again];
    };
    const none = undefined;
    assert.deepEqual(headers(400), [none, none, none, none]);
    for (const [retryable, again] of [
      [false, 'false'],
      [true, none],
    ] as const)
      assert.deepEqual(headers(502, { upstream: { retryable } }), [none, none, none, again]);
    assert.deepEqual(headers(429, { retryAfterInSeconds: 0 }), ['0', none, none, none]);
    assert.deepEqual(headers(405, { allowedMethods: ['GET', 'HEAD'] }), [none, 'GET, HEAD', none, none]);
    assert.deepEqual(headers(401), [none, none, 'Bearer', none]);
    assert.deepEqual(headers(403), [none, none, none, none]);
    assert.equal(
      refuse(new ApiError(400, 'INVALID_STATE', 'No.')).headers?.['connection'],
      none,
      'it was read: the connection stays',
    );
  });

  it('is whole before the connection is closed, where the request was not read: when its sender is through, or after 2 s', () => {
    const timers: [() => void, number][] = [];
    const { setTimeout: real } = globalThis;
    globalThis.setTimeout = ((callback: () => void, inMs: number) => timers.push([callback, inMs])) as never;
    const { request, calls, socket } = sender(false);
    const sent = client();
    try {
      sendError(request, sent.response, new ApiError(413, 'MAX_REQUEST_SIZE_EXCEEDED', 'Too large.'));
    } finally {
      globalThis.setTimeout = real;
    }
    const body = '{"error_code":"MAX_REQUEST_SIZE_EXCEEDED","message":"Too large."}';
    assert.equal(sent.status, 413);
    assert.deepEqual([sent.headers?.['connection'], sent.headers?.['content-length']], ['close', String(body.length)]);
    assert.equal(sent.headers?.['content-type'], 'application/json; charset=utf-8');
    assert.equal(String(sent.response.read()), body);
    assert.deepEqual([calls, sent.response.writableEnded], [['resumed'], false]);
    request.emit('close');
    assert.equal(sent.response.writableEnded, true);
    assert.deepEqual(
      timers.map(([, inMs]) => inMs),
      [2000],
    );
    timers[0]?.[0]();
    assert.deepEqual(calls, ['resumed', 'destroyed']);
    const { clearTimeout: clear } = globalThis;
    const cleared: unknown[] = [];
    globalThis.clearTimeout = ((timer: unknown) => cleared.push(timer)) as never;
    socket.emit('close');
    globalThis.clearTimeout = clear;
    assert.deepEqual(cleared, [1], 'whose connection has closed is not looked after');
  });

  it('is told in the form of other clients only where it is asked for', async () => {
    const body = async (forOpenAi?: boolean): Promise<unknown> => {
      const sent = client();
      sendError(sender(true).request, sent.response, new ApiError(404, 'ENDPOINT_NOT_FOUND', 'No.'), forOpenAi);
      return JSON.parse(await text(sent.response)) as unknown;
    };
    assert.deepEqual(await body(), { error_code: 'ENDPOINT_NOT_FOUND', message: 'No.' });
    assert.deepEqual(Object.keys((await body(true)) as object), ['error_code', 'message', 'error']);
  });
});
