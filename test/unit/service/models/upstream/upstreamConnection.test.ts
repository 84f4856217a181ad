import assert from 'node:assert/strict';
import type { UpstreamFetch } from '../../../../../src/service/models/upstream/patientFetch.ts';
import {
  UpstreamConnection,
  type UpstreamConnectionOptions,
} from '../../../../../src/service/models/upstream/upstreamConnection.ts';
import type { AppError } from '../../../../../src/shared/errors.ts';
import { assertApproved } from '../../../../support/approved.ts';
import { FakeClock } from '../../../../support/fakeClock.ts';

describe('the requests to a model server', () => {
  let clock: FakeClock;
  let sent: { url: string; method: string; redirect: string; headers: Record<string, string>; body: unknown }[];
  let signal: AbortSignal | undefined;
  beforeEach(() => {
    clock = new FakeClock();
    sent = [];
  });

  function connectionTo(
    answer: () => Response | Promise<Response>,
    more: Partial<UpstreamConnectionOptions> = {},
  ): UpstreamConnection {
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      const { method = '', redirect = '', headers, body } = init;
      sent.push({ url, method, redirect, headers: headers as Record<string, string>, body });
      signal = init.signal ?? undefined;
      return answer();
    };
    return new UpstreamConnection({
      label: 'Up',
      baseUrl: 'http://up.example/v1',
      fetch: fetch as unknown as UpstreamFetch,
      clock,
      idleLimitInMs: 30_000,
      ...more,
    });
  }
  const failureOf = (promise: Promise<unknown>): Promise<AppError> =>
    promise.then(
      () => assert.fail('it must fail'),
      (error: AppError) => error,
    );
  /** A body that comes in these pieces; `fail` breaks it off then, `hang` leaves it open. */
  const bodyOf = (pieces: readonly string[], end?: Error | 'hang'): ReadableStream<Uint8Array> => {
    const left = [...pieces];
    return new ReadableStream({
      pull(controller) {
        const piece = left.shift();
        if (piece !== undefined) return controller.enqueue(new TextEncoder().encode(piece));
        if (end === 'hang') return new Promise(() => undefined);
        return end ? controller.error(end) : controller.close();
      },
    });
  };
  const events = (text: string, end?: Error | 'hang'): Response =>
    new Response(bodyOf([text], end), { headers: { 'content-type': 'text/event-stream' } });
  async function read(connection: UpstreamConnection, options = {}): Promise<unknown[]> {
    const all: unknown[] = [];
    for await (const value of connection.postStream('/chat', { stream: true }, options)) all.push(value);
    return all;
  }

  it('carry the key, say what is taken, and follow no redirect', async () => {
    const connection = connectionTo(() => new Response('{"a":1}'), { apiKey: 'k' });
    assert.deepEqual(await connection.postJson('/chat', { n: 9007199254740993n }), { a: 1 });
    assert.deepEqual(await connection.getJson('//api/tags'), { a: 1 });
    await connectionTo(() => new Response('{}')).getJson('/models');
    const accept = 'application/json, text/event-stream';
    assert.deepEqual(sent, [
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
    assert.equal(signal?.aborted, true, 'nothing of it goes on');
  });

  it('are refused in words, whatever the server says', async () => {
    const bodies = [
      '',
      'Not today',
      ' <html>\nBad!',
      '{"error":"Busy?"}',
      '{"error":{"message":"No such model…"}}',
      '{"error":{"code":7}}',
      '{"message":"Wrong."}',
      '{"detail":"Lost"}',
      '{"detail":[{"loc":["body"]}]}',
      '{"error":null,"message":"The context length of 4096 is exceeded"}',
      '[1]',
      'null',
      'x'.repeat(400),
      `[${'['.repeat(300)}${']'.repeat(300)}]`,
    ];
    const lines: string[] = [];
    for (const status of [301, 400, 401, 403, 404, 409, 413, 418, 429, 500, 503, 599])
      for (const body of bodies) {
        const answer = (): Response =>
          new Response(body, { status, statusText: 'So', headers: { 'retry-after': '7' } });
        const {
          kind,
          message,
          status: told,
          errorCode,
          remedy,
          retryAfterInMs,
          ...rest
        } = (await failureOf(connectionTo(answer).getJson('/x'))) as AppError & Record<string, unknown>;
        lines.push(
          JSON.stringify({
            status,
            body: body.slice(0, 40),
            kind,
            message,
            told,
            errorCode,
            remedy,
            retryAfterInMs,
            isBusy: rest['isBusy'],
          }),
        );
      }
    assertApproved('upstream-refusals', `${lines.join('\n')}\n`);
  });

  it('notice an error that comes with an answer of success, and what is no object', async () => {
    const lines: string[] = [];
    for (const body of [
      '{"error":"It broke"}',
      '{"error":{"message":"Slow down","code":429}}',
      '{"error":{"message":"Odd","code":200}}',
      '{"error":{"message":"Odd","code":600}}',
      '{"error":{"message":"Odd","code":400}}',
      '{"error":{"message":"Odd","code":399}}',
      '{"error":{}}',
      '{"error":null,"a":1}',
      '{"error":"no","choices":[]}',
      '[1]',
      '7',
      'null',
      'no JSON',
      `{"a":"${'x'.repeat(200)}`,
      `[${'0,'.repeat(10_001)}0]`,
      `${'['.repeat(201)}${']'.repeat(201)}`,
    ]) {
      const told = await connectionTo(() => new Response(body))
        .getJson('/x')
        .then(
          (value) => JSON.stringify(value),
          ({ kind, message }: AppError) => `${kind}: ${message}`,
        );
      lines.push(`${body.slice(0, 60)} → ${told}`);
    }
    assertApproved('upstream-answers', `${lines.join('\n')}\n`);
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
    const silent = failureOf(
      connectionTo(
        () =>
          new Promise<never>((_resolve, reject) =>
            signal?.addEventListener('abort', () => reject(new Error('aborted'))),
          ),
      ).getJson('/x'),
    );
    await clock.advance(30_000);
    assert.deepEqual(
      [(await silent).kind, (await silent).message.slice(0, 60)],
      ['timeout', 'Up sent nothing for 30 s; the request was given up. Raise ti'],
    );
    const stop = new AbortController();
    const stopped = failureOf(
      connectionTo(() => (stop.abort(), Promise.reject(new Error('aborted')))).getJson('/x', { signal: stop.signal }),
    );
    assert.deepEqual([(await stopped).kind, (await stopped).message], ['aborted', 'Stopped.']);
    await failureOf(
      connectionTo(() => (assert.equal(signal?.aborted, true), Promise.reject(new Error('late')))).getJson('/x', {
        signal: stop.signal,
      }),
    );
  });

  it('read a stream up to its end mark, and tell of it', async () => {
    let marks = 0;
    const onMark = (): void => void (marks += 1);
    const text = 'data: {"a":1}\n\ndata:  \n\ndata: {"a":2}\n\n';
    assert.deepEqual(
      await read(
        connectionTo(() => events(`${text}data: [DONE]\n\ndata: {"a":3}\n\n`, 'hang')),
        { onMark },
      ),
      [{ a: 1 }, { a: 2 }],
    );
    assert.equal(marks, 1);
    assert.equal(signal?.aborted, true);
    assert.deepEqual(
      await read(
        connectionTo(() => events(text)),
        { onMark },
      ),
      [{ a: 1 }, { a: 2 }],
    );
    assert.equal(marks, 1);
    const lines = (): Response =>
      new Response(bodyOf(['{"a":1}\n\n{"a":', '2}\n']), { headers: { 'content-type': 'application/json' } });
    assert.deepEqual(await read(connectionTo(lines), { format: 'lines' }), [{ a: 1 }, { a: 2 }]);
    const one = (): Response =>
      new Response('{"a":1}', { headers: { 'content-type': 'application/json; charset=utf-8' } });
    assert.deepEqual(await read(connectionTo(one)), [{ a: 1 }]);
    assert.match(
      (await failureOf(read(connectionTo(() => new Response(null))))).message,
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
      const error = await failureOf(read(connectionTo(() => events(`data: {"a":1}\n\n${text}`))));
      assert.equal(error.kind, kind, text);
      assert.match(error.message, message);
    }
  });

  it('end where their reader leaves', async () => {
    for await (const _value of connectionTo(() => events('data: {"a":1}\n\n', 'hang')).postStream('/chat', {})) break;
    assert.equal(signal?.aborted, true);
  });
});
