import assert from 'node:assert/strict';
import { UpstreamConnection } from '../../../../../src/service/models/upstream/upstreamConnection.ts';
import type { AppError } from '../../../../../src/shared/errors.ts';
import { assertApproved } from '../../../../support/approved.ts';
import { bodyOf, ConnectionBench, events, failureOf, readStream } from './connectionBench.ts';
import './approvedSilence.part.ts';
import './connectionLimits.part.ts';

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

  it('are refused in words, whatever the server says', async () => {
    const bodies = [
      '',
      'Not today',
      ' <html>\nBad!',
      '{"error":"Busy?"}',
      '{"error":{"message":"No such model…"}}',
      '{"error":{"code":7}}',
      '{"error":" v1.2 is odd  "}',
      '{"message":"Wrong."}',
      '{"detail":"Lost"}',
      '{"detail":[{"loc":["body"]}]}',
      '{"error":null,"message":"The context length of 4096 is exceeded"}',
      `{"detail":[${'"lost",'.repeat(60)}1]}`,
      '[1]',
      'null',
      '7',
      'x'.repeat(400),
      ` ${'y'.repeat(299)}z  `,
      `{"error":"x","of":[${'0,'.repeat(10_001)}0]}`,
      `[${'['.repeat(300)}${']'.repeat(300)}]`,
    ];
    const lines: string[] = [];
    for (const status of [300, 301, 399, 400, 401, 403, 404, 409, 413, 418, 429, 500, 503, 599])
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
          retryable,
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
            retryable,
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
      `["${'x'.repeat(200)}"]`,
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

  it('see an error through what stands for "absent", and none in it', async () => {
    for (const absent of ['', null, 'null']) {
      const quiet = { error: absent, choices: [{ delta: { content: 'a' } }] };
      const stream = (text: string) => readStream(connectionTo(() => events(text)));
      assert.deepEqual(await stream(`data: ${JSON.stringify(quiet)}\n\n`), [quiet]);
      const typed = await failureOf(
        stream(`event: error\ndata: {"error":${JSON.stringify(absent)},"message":"Full"}\n\n`),
      );
      assert.match(typed.message, /Full/);
      const inPlace = { error: { message: 'Full' }, choices: absent };
      assert.match((await failureOf(stream(`data: ${JSON.stringify(inPlace)}\n\n`))).message, /Full/);
    }
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
