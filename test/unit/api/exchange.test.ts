import assert from 'node:assert/strict';
import * as z from 'zod';
import {
  createClient,
  type ClientOptions,
  type Fetch,
  type HttpRequest,
  type WorkspaceClient,
} from '../../../src/api/client/index.ts';
import {
  carryOut,
  longestIntentAgeInMs,
  resumeAll,
  shutdownReason,
  type Intent,
  type IntentStore,
} from '../../../src/api/client/intents.ts';
import { send } from '../../../src/api/client/transport.ts';
import {
  asciiString,
  countCharacters,
  int32,
  int64,
  longestText,
  maybe,
  millis,
  utf8Bytes,
} from '../../../src/api/schema/field.ts';
import { defaultLimits, requestBytes } from '../../../src/api/schema/limits.ts';
import {
  decodeChecked,
  formatPath,
  formatProblem,
  formatProblems,
  type Problem,
} from '../../../src/api/schema/problems.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { responseOf, scriptedFetch, type Reply } from '../../support/scriptedFetch.ts';

const settings = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } };
const messages = [{ role: 'user' as const, content: 'Hi' }];
const base = 'https://service.example';

function clientOf(
  reply: (request: HttpRequest & { url: string }, count: number) => Reply,
  options: Partial<ClientOptions> = {},
): { client: WorkspaceClient; requests: (HttpRequest & { url: string })[]; clock: FakeClock } {
  const { fetch, requests } = scriptedFetch(reply);
  const clock = new FakeClock();
  return {
    client: createClient({
      baseUrl: base,
      auth: { kind: 'bearer', token: 'token-of-the-test' },
      fetch,
      clock,
      retry: 'fail',
      ...options,
    }),
    requests,
    clock,
  };
}

async function failureOf(promise: Promise<unknown>): Promise<AppError> {
  const error: unknown = await promise.then(
    () => assert.fail('it must fail'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AppError, String(error));
  return error;
}

describe('redirects', () => {
  const to =
    (location: string, status = 302): ((request: unknown, count: number) => Reply) =>
    (_request, count) =>
      count === 1 ? { status, headers: { location } } : { status: 200, body: '{"jobs":[],"job_id":1}' };

  for (const status of [301, 302, 303, 307, 308]) {
    it(`${status} is followed on the same origin for what is read`, async () => {
      const { client, requests } = clientOf(to('/other', status));
      assert.deepEqual(await client.jobs.list(), []);
      assert.deepEqual(
        requests.map(({ url, redirect }) => [url, redirect]),
        [
          [`${base}/api/2.0/jobs/list`, 'manual'],
          [`${base}/other`, 'manual'],
        ],
      );
      assert.equal(requests[1]?.headers['authorization'], 'Bearer token-of-the-test');
    });
    it(`${status} ${status > 303 ? 'is followed with the content' : 'would drop the content of a change, and is not followed'}`, async () => {
      const { client, requests } = clientOf(to('/other', status));
      if (status > 303) {
        await client.jobs.create(settings);
        assert.deepEqual(
          requests.map(({ body }) => body),
          [JSON.stringify(settings), JSON.stringify(settings)],
        );
      } else
        assert.match(
          (await failureOf(client.jobs.create(settings))).message,
          /in a way that would drop the request's content\. That was not followed\. The job was not created\./,
        );
    });
  }

  for (const [location, words] of [
    ['https://other.example/x', /redirects to another place, https:\/\/other\.example \(HTTP 302\)/],
    ['http://service.example/x', /redirects to another place, http:\/\/service\.example/],
    ['https://service.example:8443/x', /redirects to another place/],
    ['https://u:p@service.example/x', /an address with credentials in it/],
    ['https://:p@service.example/x', /an address with credentials in it/],
    ['https://u@service.example/x', /an address with credentials in it/],
  ] as const) {
    it(`to ${location} are not followed`, async () => {
      const { client, requests } = clientOf(to(location));
      const { kind, message, status } = await failureOf(client.jobs.list());
      assert.deepEqual([kind, status, requests.length], ['protocol', 302, 1]);
      assert.match(message, words);
      assert.match(message, /The jobs were not read\.$/);
    });
  }

  it('are followed five times and no more', async () => {
    const { client, requests } = clientOf((_request, count) =>
      count <= 5 ? { status: 307, headers: { location: `/${count}` } } : { status: 200, body: '{"jobs":[]}' },
    );
    await client.jobs.list();
    assert.equal(requests.length, 6);
    const endless = clientOf((_request, count) => ({ status: 307, headers: { location: `/${count}` } }));
    assert.match((await failureOf(endless.client.jobs.list())).message, /in a circle \(5 times\)/);
    assert.equal(endless.requests.length, 6);
  });

  it('that are not followed leave no connection open', async () => {
    const { client, requests } = clientOf(to('https://other.example/x'));
    await failureOf(client.jobs.list());
    assert.equal(requests[0]?.signal.aborted, true);
  });

  it('to nowhere are failures of their own', async () => {
    const { client } = clientOf(() => ({ status: 302 }));
    assert.deepEqual((({ kind, status }) => [kind, status])(await failureOf(client.jobs.list())), ['protocol', 302]);
  });

  it('leave no body open', async () => {
    let closed = 0;
    const fetch: Fetch = (url) => {
      const response = responseOf(url.endsWith('/x') ? 200 : 307, '{"jobs":[]}', { location: '/x' });
      if (url.endsWith('/x')) return Promise.resolve(response);
      const body = {
        [Symbol.asyncIterator]: () => ({
          next: () => Promise.resolve({ value: undefined, done: true as const }),
          return: () => Promise.resolve({ value: void closed++, done: true as const }),
        }),
      };
      return Promise.resolve({ ...response, body });
    };
    await createClient({ baseUrl: base, auth: { kind: 'none' }, fetch }).jobs.list();
    assert.equal(closed, 1);
  });
});

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

  it('has the limits that are written down', () => {
    assert.deepEqual(defaultLimits, {
      headersInMs: 60_000,
      inferenceHeadersInMs: 300_000,
      idleInMs: 60_000,
      streamIdleInMs: 120_000,
      responseBytes: 33_554_432,
      modelBytes: 16_777_216,
      modelValues: 100_000,
      errorBytes: 65_536,
      eventCharacters: 4_194_304,
      streamBytes: 268_435_456,
    });
    assert.equal(requestBytes, 10_485_760);
  });

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
      const ended = failureOf(ask(client)).then((error) => (failure = error));
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
    const ended = failureOf(list);
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
      const ended = failureOf(client.jobs.list({ signal: controller.signal }));
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
    const error = await failureOf(
      send(() => assert.fail('it is not sent'), clock, { ...exchange, signal: AbortSignal.abort('why') }),
    );
    assert.deepEqual([error.kind, error.cause, clock.pending], ['aborted', 'why', 0]);
  });

  it('an abort settles a call that waits for its token', async () => {
    const controller = new AbortController();
    const client = createClient({
      baseUrl: base,
      auth: { kind: 'bearer', token: () => new Promise(() => undefined) },
      fetch: () => Promise.reject(new Error('nothing is sent')),
    });
    const ended = failureOf(client.jobs.list({ signal: controller.signal }));
    controller.abort();
    assert.equal((await ended).kind, 'aborted');
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
    assert.match((await failureOf(client.jobs.list())).message, /and said: abc\./);
    const cut = slow();
    const ended = failureOf(cut.client.jobs.list());
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
      const ended = failureOf(ask(client));
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
    const ended = failureOf(client.jobs.list({ signal: controller.signal }));
    head({}, 500);
    await clock.advance(1);
    controller.abort();
    assert.equal((await ended).kind, 'aborted');
  });

  it('a request may have 10 MB and no more', async () => {
    const { client, requests } = clientOf(() => ({ status: 200, body: '{"data":[]}' }));
    const room = requestBytes - '{"input":""}'.length;
    await client.inference.embed('e', { input: 'a'.repeat(room) });
    assert.equal((await failureOf(client.inference.embed('e', { input: 'a'.repeat(room + 1) }))).kind, 'tooLarge');
    assert.equal(
      (await failureOf(client.inference.embed('e', { input: '€'.repeat(Math.ceil(room / 3) + 1) }))).kind,
      'tooLarge',
    );
    assert.equal(requests.length, 1);
  });

  it('says what it sends, and nothing that is not there', async () => {
    const { client, requests } = clientOf(() => ({
      status: 200,
      body: '{"job_id":1,"jobs":[],"versions":[],"node_types":[],"zones":[]}',
    }));
    await client.jobs.create(settings);
    await client.jobs.list();
    assert.deepEqual(
      requests.map(({ headers }) => headers),
      [
        { accept: 'application/json', 'content-type': 'application/json', authorization: 'Bearer token-of-the-test' },
        { accept: 'application/json', authorization: 'Bearer token-of-the-test' },
      ],
    );
    assert.equal('body' in (requests[1] ?? {}), false);
  });

  it('the name of an endpoint cannot change the path', async () => {
    const { client, requests } = clientOf(() => ({ status: 200, body: '{"data":[]}' }));
    await client.inference.embed('a/../b?c#d', { input: 'x' });
    assert.equal(requests[0]?.url, `${base}/serving-endpoints/a%2F..%2Fb%3Fc%23d/invocations`);
    for (const name of ['', '.', '..'])
      assert.equal((await failureOf(client.inference.embed(name, { input: 'x' }))).kind, 'invalid');
  });

  it('lists of clusters and of the local service are asked for where they are', async () => {
    const { client, requests } = clientOf(({ url }) => ({
      status: 200,
      body: url.includes('millrace/changes')
        ? '{"jobs":"1","runs":"2"}'
        : url.includes('run-output')
          ? '{"text":"more","next_offset":10,"size":30,"is_end":false}'
          : '{"runs":[{"run_id":5}],"next_after_job_id":9223372036854775807,"versions":[{"key":"k"}],"node_types":[{"node_type_id":"n"}],"zones":["z"]}',
    }));
    assert.deepEqual((await client.clusters.sparkVersions()).versions, [{ key: 'k' }]);
    assert.deepEqual((await client.clusters.listNodeTypes()).node_types, [{ node_type_id: 'n' }]);
    assert.deepEqual((await client.clusters.listZones()).zones, ['z']);
    assert.deepEqual(await client.localService.changes({ jobs: 'a', runs: 'b' }), { jobs: '1', runs: '2' });
    assert.deepEqual(await client.localService.lastRuns('7'), {
      runs: [{ run_id: '5' }],
      nextAfterJobId: '9223372036854775807',
    });
    const piece = { text: 'more', nextOffset: 10, size: 30, isEnd: false };
    for (const wait of [true, false])
      assert.deepEqual(await client.localService.runOutput({ runId: '8', offset: 6, wait }), piece);
    assert.deepEqual(
      requests.map(({ url }) => url.slice(base.length)),
      [
        '/api/2.0/clusters/spark-versions',
        '/api/2.0/clusters/list-node-types',
        '/api/2.0/clusters/list-zones',
        '/api/millrace/changes?jobs=a&runs=b',
        '/api/millrace/last-runs?after_job_id=7',
        '/api/millrace/run-output?run_id=8&offset=6&wait=true',
        '/api/millrace/run-output?run_id=8&offset=6',
      ],
    );
    const other = clientOf(() => ({ status: 200, body: '{"something":"else"}' })).client;
    for (const ask of [
      () => other.clusters.sparkVersions(),
      () => other.clusters.listNodeTypes(),
      () => other.clusters.listZones(),
      () => other.localService.changes(),
      () => other.localService.runOutput({ runId: '1', offset: 0, wait: false }),
    ])
      assert.equal((await failureOf(ask())).kind, 'protocol');
  });

  it('a call says itself whether it waits for a sick service', async () => {
    const { client, clock, requests } = clientOf(() => ({ status: 500 }), { retry: 'wait' });
    assert.equal((await failureOf(client.jobs.list({ retry: 'fail' }))).kind, 'server');
    const controller = new AbortController();
    const waiting = failureOf(client.jobs.get('1', { signal: controller.signal }));
    await clock.advance(45_000);
    assert.equal(requests.length, 3);
    controller.abort();
    assert.equal((await waiting).kind, 'aborted');
  });

  it('one endpoint is sick for all of its requests', async () => {
    const { client, requests } = clientOf(() => ({ status: 500 }));
    await failureOf(client.jobs.get('1'));
    assert.match((await failureOf(client.jobs.get('2'))).message, /was not sent: the service failed a moment ago/);
    await failureOf(client.jobs.list());
    assert.equal(requests.length, 2);
  });
});

describe('values on the wire', () => {
  const taken = (schema: z.ZodType, value: unknown): unknown => {
    const checked = decodeChecked(schema, value);
    return checked.ok ? checked.value : 'refused';
  };

  it('an INT64 is taken in each form, up to its borders', () => {
    for (const [value, expected] of [
      [1, '1'],
      ['-0', '0'],
      ['007', '7'],
      [2n ** 63n - 1n, '9223372036854775807'],
      [-(2n ** 63n), '-9223372036854775808'],
      ['9223372036854775807', '9223372036854775807'],
      [Number.MAX_SAFE_INTEGER, '9007199254740991'],
      [2n ** 63n, 'refused'],
      [-(2n ** 63n) - 1n, 'refused'],
      ['9223372036854775808', 'refused'],
      ['1'.repeat(20), 'refused'],
      [2 ** 53, 'refused'],
      [1.5, 'refused'],
      ['', 'refused'],
      ['1.0', 'refused'],
      ['0x1', 'refused'],
      [' 1', 'refused'],
      [true, 'refused'],
      [null, 'refused'],
    ] as const)
      assert.equal(taken(int64(), value), expected, String(value));
    assert.deepEqual(
      [taken(millis(), '12'), taken(millis(), 12n), taken(millis(), 1.5), taken(millis(), 'x')],
      [12, 12, 'refused', 'refused'],
    );
    assert.deepEqual(
      [2_147_483_647, -2_147_483_648, 2_147_483_648, -2_147_483_649, 1.5].map((value) => taken(int32(), value)),
      [2_147_483_647, -2_147_483_648, 'refused', 'refused', 'refused'],
    );
  });

  it('a field of an answer is made what it should be, or is absent', () => {
    assert.deepEqual(
      ['a', 5, 5n, true, null, {}, undefined].map((value) => taken(maybe(z.string()), value)),
      ['a', '5', '5', 'true', undefined, undefined, undefined],
    );
    assert.deepEqual(
      [5, '5', 5n, '', ' ', 'x', Infinity, 'Infinity', true, null].map((value) => taken(maybe(z.number()), value)),
      [5, 5, 5, undefined, undefined, undefined, undefined, undefined, undefined, undefined],
    );
    assert.deepEqual(
      [true, 'true', 'false', 1, 'yes', null].map((value) => taken(maybe(z.boolean()), value)),
      [true, true, false, undefined, undefined, undefined],
    );
    assert.deepEqual(
      [{ a: 1 }, [], 'x', null].map((value) => taken(maybe(z.looseObject({})), value)),
      [{ a: 1 }, undefined, undefined, undefined],
    );
    assert.deepEqual(
      [['a'], null, 'x', [{}]].map((value) => taken(maybe(z.array(z.string())), value)),
      [['a'], undefined, 'refused', 'refused'],
      'a list is never left out',
    );
    assert.deepEqual(
      ['5', 5, 'x'].map((value) => taken(maybe(int64()), value)),
      ['5', '5', undefined],
    );
  });

  it('characters, bytes and ASCII', () => {
    assert.deepEqual(
      [countCharacters('a😀€'), countCharacters('😀'.repeat(5001)), utf8Bytes('a😀€'), longestText],
      [3, 10_002, 8, 4096],
    );
    assert.deepEqual(
      ['\x00a\x7f', '\x80', 'ü', ''].map((value) => taken(asciiString(), value)),
      ['\x00a\x7f', 'refused', 'refused', ''],
    );
  });
});

describe('problems in words', () => {
  const problem = (path: (string | number)[], message: string): Problem => ({ path, code: 'c', message });
  const told = (schema: z.ZodType, value: unknown): string[] => {
    const checked = decodeChecked(schema, value);
    return checked.ok ? [] : checked.problems.map(formatProblem);
  };

  it('a place is written as a reader of JSON knows it', () => {
    assert.equal(formatPath(['a', 'b-1', 2, 'c d', 'e']), 'a.b-1[2]["c d"].e');
    assert.equal(formatPath([0, 'a']), '[0].a');
    assert.equal(formatPath([]), '');
    assert.equal(formatPath(['x'.repeat(61)]), `["${'x'.repeat(60)}…"]`);
    assert.equal(formatPath(['x'.repeat(60)]), 'x'.repeat(60));
  });

  it('a problem is a sentence, and of many the first are told', () => {
    assert.equal(formatProblem(problem(['a'], 'is wrong')), 'a: is wrong.');
    assert.equal(formatProblem(problem([], 'is it wrong?')), 'Is it wrong?');
    const many = Array.from({ length: 7 }, (_, index) => problem([`f${index}`], 'is wrong'));
    assert.equal(
      formatProblems(many),
      'f0: is wrong. f1: is wrong. f2: is wrong. f3: is wrong. f4: is wrong. And 2 more.',
    );
    assert.equal(
      formatProblems(many.slice(0, 5)),
      'f0: is wrong. f1: is wrong. f2: is wrong. f3: is wrong. f4: is wrong.',
    );
    assert.equal(formatProblems(many, 1), 'f0: is wrong. And 6 more.');
    assert.equal(
      told(
        z.array(z.string()),
        Array.from({ length: 2000 }, () => 5),
      ).length,
      1000,
    );
  });

  it('each kind of mistake has its words', () => {
    for (const [schema, value, words] of [
      [z.string(), undefined, 'Is required: text.'],
      [z.string(), 5, 'Must be text, not the number 5.'],
      [z.string(), null, 'Must be text, not null (empty).'],
      [z.number(), '', 'Must be a number, not an empty text.'],
      [z.boolean(), 'x'.repeat(61), `Must be true or false, not the text "${'x'.repeat(60)}…".`],
      [z.array(z.string()), {}, 'Must be a list, not an object with fields.'],
      [z.looseObject({}), [], 'Must be an object with fields, not a list.'],
      [z.enum(['a', 'b']), 'c', 'Must be one of a or b, not the text "c".'],
      [z.literal('a'), true, 'Must be a, not true.'],
      [z.string().min(1), '', 'Must not be empty.'],
      [z.string().min(2), 'a', 'Must have at least 2 characters.'],
      [z.array(z.string()).min(1), [], 'Must not be an empty list.'],
      [z.array(z.string()).min(2), [], 'Must hold at least 2 entries.'],
      [z.number().min(1), 0, 'Must be at least 1, not 0.'],
      [z.number().gt(1), 1, 'Must be greater than 1, not 1.'],
      [z.number().max(1), 2, 'Must be at most 1, not 2.'],
      [z.strictObject({}), { toString: 1 }, 'Has fields that are not known: toString. Remove them.'],
      [z.union([z.string(), z.array(z.string())]), 5, 'Must be text or a list, not the number 5.'],
      [z.union([z.string(), z.array(z.string())]), ['a', 5], '[1]: must be text, not the number 5.'],
      [z.union([z.string(), z.number()]), undefined, 'Is required.'],
      [z.looseObject({ constructor: z.string() }), {}, 'constructor: is required: text.'],
      [
        z.union([z.looseObject({ a: z.string(), b: z.string() }), z.looseObject({ a: z.number() }), z.string()]),
        {},
        'a: is required: a number.',
      ],
    ] as const)
      assert.deepEqual(told(schema, value), [words]);
  });
});

describe('intents', () => {
  const intent: Intent = {
    token: 't',
    operation: 'jobs/run-now',
    body: '{}',
    profile: 'p',
    createdAt: 1_700_000_000_000,
  };
  const store = (
    intents: readonly Intent[] = [],
    settle: (token: string) => Promise<void> = () => Promise.resolve(),
  ): IntentStore & { settled: string[] } => {
    const settled: string[] = [];
    return {
      settled,
      save: () => Promise.resolve(),
      list: () => Promise.resolve(intents),
      settle: (token) => {
        settled.push(token);
        return settle(token);
      },
    };
  };
  const aborted = new AppError('aborted', 'Stopped.');
  const options = { profile: 'p', clock: new FakeClock(), logger: silentLogger };

  it('is kept only where the process ends in between', async () => {
    for (const [error, reason, isKept] of [
      [aborted, shutdownReason, true],
      [aborted, 'user', false],
      [aborted, undefined, false],
      [new AppError('server', 'No.'), shutdownReason, false],
    ] as const) {
      const kept = store();
      const signal = reason === undefined ? undefined : AbortSignal.abort(reason);
      await assert.rejects(
        carryOut(kept, intent, { signal, logger: silentLogger }, () => Promise.reject(error)),
        isKept ? /is finished at the next start/ : error,
      );
      assert.deepEqual(kept.settled, isKept ? [] : ['t']);
    }
  });

  it('is not sent where it could not be written', async () => {
    const failing = { ...store(), save: () => Promise.reject(new Error('disk full')) };
    const error = await failureOf(
      carryOut(failing, intent, { logger: silentLogger }, () => assert.fail('it is not sent')),
    );
    assert.deepEqual(
      [error.kind, error.message],
      [
        'unavailable',
        'jobs/run-now was not sent: its record could not be written (disk full). The run was not started.',
      ],
    );
  });

  it('that cannot be removed is told in the log, and changes nothing for the run', async () => {
    const warnings: string[] = [];
    const stuck = store([], () => Promise.reject(new Error('locked')));
    assert.equal(
      await carryOut(stuck, intent, { logger: { ...silentLogger, warn: (text) => warnings.push(text) } }, () =>
        Promise.resolve(5),
      ),
      5,
    );
    assert.deepEqual(warnings, ['The record of jobs/run-now t could not be removed: locked']);
  });

  it('without a store is only sent', async () =>
    assert.equal(await carryOut(undefined, intent, { logger: silentLogger }, () => Promise.resolve(5)), 5));

  it('of another profile stays, and one that is a day old is given up', async () => {
    assert.equal(longestIntentAgeInMs, 86_400_000);
    const old = { ...intent, token: 'old', createdAt: intent.createdAt - longestIntentAgeInMs - 1 };
    const aged = { ...intent, token: 'aged', createdAt: intent.createdAt - longestIntentAgeInMs };
    const left = store([old, { ...intent, token: 'other', profile: 'q' }, aged]);
    const sent: string[] = [];
    const resumed = await resumeAll(left, options, ({ token }) => {
      sent.push(token);
      return Promise.resolve({ run_id: '5' });
    });
    assert.deepEqual([sent, left.settled], [['aged'], ['old', 'aged']]);
    assert.deepEqual(resumed, [{ intent: aged, runId: '5' }]);
  });

  it('that fails does not keep the next from being sent; the end of the process does', async () => {
    const two = [intent, { ...intent, token: 'u' }];
    const left = store(two);
    assert.equal((await resumeAll(left, options, () => Promise.reject(aborted))).length, 2);
    assert.deepEqual(left.settled, ['t', 'u']);
    const closing = store(two);
    assert.deepEqual(
      await resumeAll(closing, { ...options, signal: AbortSignal.abort(shutdownReason) }, () =>
        Promise.reject(aborted),
      ),
      [],
    );
    assert.deepEqual(closing.settled, []);
  });
});
