import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import {
  createClient,
  type ClientOptions,
  type Fetch,
  type WorkspaceClient,
} from '../../../../src/api/client/index.ts';
import { send } from '../../../../src/api/client/transport.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { responseOf } from '../../../support/scriptedFetch.ts';
import { base, clientOf, rejectionOf } from './exchangeSetup.ts';

const settings = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } };
const messages = [{ role: 'user' as const, content: 'Hi' }];

/** A fetch whose answer's head and pieces come when the test says, and that counts what is left open. */
function slowFetch(): {
  fetch: Fetch;
  head: (headers?: Record<string, string>, status?: number) => void;
  piece: (text: string | undefined) => void;
  seen: { signal?: AbortSignal; closed: number };
} {
  const seen: { signal?: AbortSignal; closed: number } = { closed: 0 };
  const head = Promise.withResolvers<[Record<string, string>, number]>();
  let next = Promise.withResolvers<string | undefined>();
  const body: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const text = await next.promise;
        next = Promise.withResolvers();
        return text === undefined
          ? { value: undefined, done: true as const }
          : { value: new TextEncoder().encode(text), done: false as const };
      },
      return: () => Promise.resolve({ value: void seen.closed++, done: true as const }),
    }),
  };
  return {
    seen,
    head: (headers = {}, status = 200) => head.resolve([headers, status]),
    piece: (text) => next.resolve(text),
    fetch: async (_url, { signal }) => {
      seen.signal = signal;
      const [headers, status] = await head.promise;
      return { ...responseOf(status, '', headers), body };
    },
  };
}

describe('what is waited for and kept', () => {
  const slow = (
    options: Partial<ClientOptions> = {},
  ): { client: WorkspaceClient; clock: FakeClock } & ReturnType<typeof slowFetch> => {
    const clock = new FakeClock();
    const transport = slowFetch();
    return {
      ...transport,
      clock,
      client: createClient({
        baseUrl: base,
        auth: { kind: 'none' },
        fetch: transport.fetch,
        clock,
        retry: 'fail',
        ...options,
      }),
    };
  };

  for (const [name, afterMs, ask, outcome] of [
    [
      'a change',
      60_000,
      (client: WorkspaceClient) => client.jobs.create(settings),
      /did not answer for 60 s\. It is not known whether the job was created\.$/,
    ],
    [
      'a read',
      60_000,
      (client: WorkspaceClient) => client.jobs.list(),
      /did not answer for 60 s\. The jobs were not read\.$/,
    ],
    [
      'a model',
      300_000,
      (client: WorkspaceClient) => client.inference.chat('e', { messages }),
      /did not answer for 300 s\. The answer was not completed\.$/,
    ],
  ] as const) {
    it(`the head of ${name} is waited for ${afterMs / 1000} s`, async () => {
      const { client, clock, seen } = slow();
      let failure: AppError | undefined;
      const ended = rejectionOf(ask(client)).then((error) => (failure = error));
      await clock.advance(afterMs - 1);
      assert.equal(failure, undefined);
      await clock.advance(1);
      const { kind, retryable, message } = await ended;
      assert.deepEqual([kind, retryable, clock.pending, seen.signal?.aborted], ['timeout', true, 0, true]);
      assert.match(message, outcome);
    });
  }

  it('each piece of a body is waited for 60 s, however long they are together', async () => {
    const { client, clock, head, piece, seen } = slow();
    const list = client.jobs.list();
    const ended = rejectionOf(list);
    await clock.advance(59_000);
    head();
    for (const text of ['{', '"jobs":', '[']) {
      await clock.advance(50_000);
      piece(text);
    }
    await clock.advance(59_999);
    assert.equal(seen.signal?.aborted, false);
    await clock.advance(1);
    assert.match(
      (await ended).message,
      /the answer of service\.example stopped coming for 60 s\. The jobs were not read\.$/,
    );
    assert.deepEqual([seen.signal?.aborted, clock.pending], [true, 0]);
  });

  it('an answer that is whole leaves no timer, and its connection is let go', async () => {
    const { client, clock, head, piece, seen } = slow();
    const list = client.jobs.list();
    head();
    piece('{"jobs":[]}');
    await clock.advance(0);
    piece(undefined);
    assert.deepEqual(await list, []);
    assert.deepEqual([clock.pending, seen.closed, seen.signal?.aborted], [0, 1, true]);
  });

  it('an abort settles in each phase, with its reason', async () => {
    for (const phase of ['before', 'head', 'body']) {
      const { client, clock, head, seen } = slow();
      const controller = new AbortController();
      if (phase === 'before') controller.abort('why');
      const ended = rejectionOf(client.jobs.list({ signal: controller.signal }));
      if (phase === 'body') head();
      await clock.advance(1);
      controller.abort('why');
      const { kind, cause, message } = await ended;
      assert.deepEqual([kind, cause, message, clock.pending], ['aborted', 'why', 'jobs/list was stopped.', 0]);
      assert.equal(seen.signal?.aborted, phase === 'before' ? undefined : true);
    }
  });

  it('nothing is sent for a signal that has aborted', async () => {
    const exchange = {
      operation: 'jobs/list',
      method: 'GET',
      url: base,
      headers: {},
      headersInMs: 1,
      idleInMs: 1,
      maxBytes: 1,
      mutates: false,
      secrets: [],
    } as const;
    const clock = new FakeClock();
    const error = await rejectionOf(
      send(() => assert.fail('it is not sent'), clock, { ...exchange, signal: AbortSignal.abort('why') }),
    );
    assert.deepEqual([error.kind, error.cause, clock.pending], ['aborted', 'why', 0]);
  });

  it('an answer may be as large as its limit', async () => {
    const body = '{"job_id":1}';
    for (const [responseBytes, announced, kind] of [
      [body.length, false, undefined],
      [body.length, true, undefined],
      [body.length - 1, false, 'tooLarge'],
      [body.length - 1, true, 'tooLarge'],
    ] as const) {
      const { client } = clientOf(
        () => ({
          status: 200,
          body,
          headers: Object.fromEntries(announced ? [['content-length', String(body.length)]] : []),
        }),
        { limits: { responseBytes } },
      );
      const error = await client.jobs.get('1').then(
        () => undefined,
        (reason: unknown) => reason,
      );
      assert.equal(error instanceof AppError ? error.kind : error, kind);
    }
    const { client } = clientOf(() => ({ status: 200, body: '{"jobs":[]}' }), { limits: { responseBytes: 1 } });
    assert.deepEqual(await client.jobs.list(), [], 'a list may be larger');
  });

  it('of an error no more is read than is shown, whatever happens to the rest', async () => {
    const { client } = clientOf(() => ({ status: 400, body: 'abcdef' }), { limits: { errorBytes: 3 } });
    assert.match((await rejectionOf(client.jobs.list())).message, /and said: abc\./);
    const cut = slow();
    const ended = rejectionOf(cut.client.jobs.list());
    cut.head({}, 503);
    cut.piece('busy');
    await cut.clock.advance(60_000);
    assert.match((await ended).message, /HTTP 503\) and said: busy\./);
    assert.equal(cut.seen.signal?.aborted, true);
  });

  it('an answer that is announced as too large is not waited for', async () => {
    for (const [ask, words] of [
      [
        (client: WorkspaceClient) => client.jobs.get('1'),
        /larger than 0 MB, which is more than is kept\. The job was not read\.$/,
      ],
      [(client: WorkspaceClient) => client.jobs.create(settings), /It is not known whether the job was created\.$/],
    ] as const) {
      const { client, clock, head } = slow({ limits: { responseBytes: 10 } });
      const ended = rejectionOf(ask(client));
      head({ 'content-length': '11' });
      await clock.advance(1);
      const { kind, status, message } = await ended;
      assert.deepEqual([kind, status, clock.pending], ['tooLarge', 200, 0]);
      assert.match(message, words);
    }
  });

  it('an abort while an error is read is an abort', async () => {
    const { client, clock, head } = slow();
    const controller = new AbortController();
    const ended = rejectionOf(client.jobs.list({ signal: controller.signal }));
    head({}, 500);
    await clock.advance(1);
    controller.abort();
    assert.equal((await ended).kind, 'aborted');
  });
});

describe('one exchange', () => {
  const exchange = {
    operation: 'jobs/list',
    method: 'GET',
    url: 'https://service.example/x',
    headers: {},
    headersInMs: 1000,
    idleInMs: 2000,
    maxBytes: 100,
    mutates: false,
    secrets: [],
  } as const;

  it('leaves no listener and no timer, however it ends', async () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    const left = (): number[] => [getEventListeners(signal, 'abort').length, clock.pending];
    const open = await send(async () => responseOf(200, 'text'), clock, { ...exchange, signal });
    assert.equal(await open.text(), 'text');
    open.close();
    assert.deepEqual(left(), [0, 0]);
    await assert.rejects(send(async () => Promise.reject(new Error('no')), clock, { ...exchange, signal }));
    assert.deepEqual(left(), [0, 0]);
  });

  it('keeps to its first failure, whatever follows', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const head = Promise.withResolvers<ReturnType<typeof responseOf>>();
    const sent = rejectionOf(send(() => head.promise, clock, { ...exchange, signal: stop.signal }));
    await clock.advance(1000);
    stop.abort('too late');
    const error = await sent;
    assert.deepEqual([error.kind, error.retryable], ['timeout', true]);
    assert.match(error.message, /^jobs\/list: service\.example did not answer for 1 s\. /);
  });
});
