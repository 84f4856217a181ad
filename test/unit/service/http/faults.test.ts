import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createFaults, fault } from '../../../../src/service/http/faults.ts';

describe('faults that a test asks for', () => {
  /** A request; what becomes of it is in `done`. */
  function exchange(url: string, method = 'GET') {
    const done: string[] = [];
    const request = {
      url,
      method,
      socket: { destroy: () => done.push('socket destroyed') },
      resume: () => done.push('body left'),
    };
    const response = {
      headersSent: false,
      destroyed: false,
      writeHead(status: number, headers: Record<string, string>) {
        done.push(`${status} ${headers['retry-after'] ?? '-'}`);
        return response;
      },
      write: (chunk: unknown) => (done.push(`write ${String(chunk)}`), true),
      end: (chunk?: unknown) => (done.push(`end ${String(chunk ?? '')}`), response),
      destroy: () => done.push('destroyed'),
    };
    return { done, request: request as unknown as IncomingMessage, response: response as unknown as ServerResponse };
  }
  const setUp = (...added: object[]) => {
    const faults = createFaults('/test/');
    for (const each of added) faults.add(fault.parse(each));
    const meet = async (url: string, method?: string) => {
      const { done, request, response } = exchange(url, method);
      const isAnswered = await faults.interfere(request, response);
      return { isAnswered, done, response };
    };
    const hits = async (...asked: [string, string?][]): Promise<boolean[]> => {
      const all = [];
      for (const [url, method] of asked) all.push((await meet(url, method)).isAnswered);
      return all;
    };
    return { faults, meet, hits };
  };

  it('hit one request, so many, or all until they are cleared, and none of the test controls', async () => {
    assert.deepEqual(await setUp({ kind: 'drop' }).hits(['/test/x'], ['/a'], ['/a']), [false, true, false]);
    assert.deepEqual(await setUp({ kind: 'drop', times: 2 }).hits(['/a'], ['/a'], ['/a']), [true, true, false]);
    const all = setUp({ kind: 'drop', times: 0 });
    assert.deepEqual(await all.hits(['/a'], ['/a'], ['/a']), [true, true, true]);
    all.faults.clear();
    assert.deepEqual(await all.hits(['/a']), [false]);
  });

  it('hit only what begins so and is asked so, the first that fits first', async () => {
    const { hits } = setUp({ kind: 'drop', path: '/api/2.0', method: 'POST' });
    assert.deepEqual(await hits(['/api/2.0/x'], ['/other', 'POST'], ['/x/api/2.0', 'POST'], ['/api/2.0/x', 'POST']), [
      false,
      false,
      false,
      true,
    ]);
    const two = setUp({ kind: 'status', status: 429 }, { kind: 'status', status: 500 });
    assert.deepEqual([(await two.meet('/')).done[1], (await two.meet('/')).done[1]], ['429 -', '500 -']);
  });

  for (const [given, head, code] of [
    [{}, '503 -', 'TEMPORARILY_UNAVAILABLE'],
    [{ status: 500 }, '500 -', 'TEMPORARILY_UNAVAILABLE'],
    [{ status: 429, retry_after: 3 }, '429 3', 'REQUEST_LIMIT_EXCEEDED'],
    [{ status: 429, retry_after: 'soon' }, '429 soon', 'REQUEST_LIMIT_EXCEEDED'],
    [{ status: 400 }, '400 -', 'INVALID_PARAMETER_VALUE'],
    [{ status: 499 }, '499 -', 'INVALID_PARAMETER_VALUE'],
  ] as const)
    it(`answer ${head} as ${code}`, async () => {
      const { isAnswered, done } = await setUp({ kind: 'status', ...given }).meet('/');
      assert.deepEqual([isAnswered, done.slice(0, 2)], [true, ['body left', head]]);
      assert.equal(done[2], `end {"error_code":"${code}","message":"A fault that a test asked for."}`);
    });

  it('break the connection before anything is done, or after it was', async () => {
    assert.deepEqual((await setUp({ kind: 'drop' }).meet('/')).done, ['socket destroyed']);
    for (const last of ['write', 'end'] as const) {
      const { isAnswered, done, response } = await setUp({ kind: 'dropAfter' }).meet('/');
      assert.deepEqual([isAnswered, done], [false, []]);
      response.writeHead(200, {});
      response[last]('text');
      assert.deepEqual(done, ['destroyed']);
    }
  });

  it('garble as many bytes as were announced', async () => {
    const { isAnswered, done, response } = await setUp({ kind: 'badJson' }).meet('/');
    response.write('a€');
    response.write(new Uint8Array(3));
    response.end();
    response.end('{}');
    assert.deepEqual([isAnswered, done], [false, ['write {{{{', 'write {{{', 'end ', 'end {{']]);
  });

  it('wait as long as they are told to, and no longer', async () => {
    const { meet } = setUp({ kind: 'slow', delay_ms: 20, times: 1 }, { kind: 'drop', delay_ms: 20 });
    for (const expected of [false, true]) {
      const begun = performance.now();
      assert.equal((await meet('/')).isAnswered, expected);
      assert.ok(performance.now() - begun >= 18);
    }
  });

  it('cut streams after so many events, and nothing but streams', async () => {
    const { faults, hits } = setUp(
      { kind: 'cutStream', events: 0 },
      { kind: 'cutStream' },
      { kind: 'cutStream', events: 3 },
    );
    assert.deepEqual(await hits(['/']), [false]);
    assert.deepEqual(
      [faults.streamCut(), faults.streamCut(), faults.streamCut(), faults.streamCut()],
      [0, 1, 3, undefined],
    );
    assert.equal(setUp({ kind: 'drop' }).faults.streamCut(), undefined);
  });

  it('are refused where they are none', () => {
    for (const wrong of [
      {},
      { kind: 'x' },
      { kind: 'slow' },
      { kind: 'status', status: 399 },
      { kind: 'status', status: 600 },
      { kind: 'drop', times: -1 },
      { kind: 'drop', delay_ms: 600_001 },
      { kind: 'cutStream', events: -1 },
      { kind: 'drop', method: 'PUT' },
    ])
      assert.equal(fault.safeParse(wrong).success, false, JSON.stringify(wrong));
    for (const right of [
      { kind: 'slow', delay_ms: 600_000 },
      { kind: 'slow', delay_ms: 0, times: 0 },
      { kind: 'drop', delay_ms: 0, times: 0 },
      { kind: 'cutStream', events: 0 },
      { kind: 'status', status: 400 },
      { kind: 'status', status: 599 },
    ])
      assert.equal(fault.safeParse(right).success, true, JSON.stringify(right));
  });
});
