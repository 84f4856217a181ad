import assert from 'node:assert/strict';
import { credentialsOf } from '../../../../src/api/client/auth.ts';
import { Caller, type CallerOptions } from '../../../../src/api/client/caller.ts';
import {
  createClient,
  type ClientOptions,
  type Fetch,
  type WorkspaceClient,
} from '../../../../src/api/client/index.ts';
import type { Intent, IntentStore } from '../../../../src/api/client/intents.ts';
import { jobsRoutes } from '../../../../src/api/schema/jobs/routes.ts';
import { requestBytes } from '../../../../src/api/schema/limits.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { scriptedFetch, responseOf, type Reply, type ScriptedRequest } from '../../../support/scriptedFetch.ts';
import { base, clientOf, rejectionOf } from './exchangeSetup.ts';

describe('Credentials', () => {
  const pair = Buffer.from('Jörg:pä ss\n').toString('base64');

  it('are sent in the header of the sign-in kind and listed as secrets', async () => {
    assert.deepEqual(await credentialsOf({ kind: 'none' }), { secrets: [] });
    assert.deepEqual(await credentialsOf({ kind: 'bearer', token: ' dapi-x\n' }), {
      header: ['authorization', 'Bearer dapi-x'],
      secrets: ['dapi-x'],
    });
    assert.deepEqual(await credentialsOf({ kind: 'header', name: 'X-Api-Key', value: async () => 'v' }), {
      header: ['x-api-key', 'v'],
      secrets: ['v'],
    });
    // A password may hold anything, and is sent in UTF-8 as it is.
    assert.deepEqual(await credentialsOf({ kind: 'basic', userName: 'Jörg', password: 'pä ss\n' }), {
      header: ['authorization', `Basic ${pair}`],
      secrets: ['pä ss\n', pair],
    });
  });

  it('are refused without being shown if they cannot be sent', async () => {
    for (const secret of ['', ' \n', 'two\nlines', 'ümlaut', 'nul\0']) {
      for (const auth of [
        { kind: 'bearer', token: secret } as const,
        { kind: 'header', name: 'a', value: secret } as const,
      ]) {
        await assert.rejects(
          credentialsOf(auth),
          (error) =>
            error instanceof AppError &&
            error.kind === 'unauthenticated' &&
            /Nothing was sent/.test(error.message) &&
            (secret.trim() === '' || !error.message.includes(secret)),
        );
      }
    }
    await assert.rejects(credentialsOf({ kind: 'basic', userName: 'a', password: '' }), /has no password/);
  });
});

describe('Base URL', () => {
  it('is checked before anything is sent', () => {
    const refused: [baseUrl: string, text: RegExp][] = [
      ['service.example', /not an http or https address/],
      ['ftp://service.example', /not an http or https/],
      ['https://user:secret@service.example', /user name or password/],
      ['https://:secret@service.example', /user name or password/],
      ['https://secret@service.example', /user name or password/],
      ['https://service.example/?o=1', /query or fragment/],
      ['https://service.example/#secret', /query or fragment/],
    ];
    for (const [baseUrl, text] of refused) {
      assert.throws(
        () => createClient({ baseUrl, auth: { kind: 'none' } }),
        (error) =>
          error instanceof AppError &&
          error.kind === 'invalid' &&
          text.test(error.message) &&
          error.remedy?.includes('https://host') === true &&
          !error.message.includes('secret'),
      );
    }
    assert.equal(
      createClient({ baseUrl: 'https://service.example/path//', auth: { kind: 'none' } }).baseUrl,
      'https://service.example/path',
    );
  });
});

const settings = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } };

describe('Calls', () => {
  it('send at most 10 MB', async () => {
    const { client, requests } = clientOf(() => ({ status: 200, body: '{"data":[]}' }));
    const room = requestBytes - '{"input":""}'.length;
    await client.inference.embed('e', { input: 'a'.repeat(room) });
    assert.equal((await rejectionOf(client.inference.embed('e', { input: 'a'.repeat(room + 1) }))).kind, 'tooLarge');
    assert.equal(
      (await rejectionOf(client.inference.embed('e', { input: '€'.repeat(Math.ceil(room / 3) + 1) }))).kind,
      'tooLarge',
    );
    assert.equal(requests.length, 1);
  });

  it('encode the endpoint name in the path', async () => {
    const { client, requests } = clientOf(() => ({ status: 200, body: '{"data":[]}' }));
    await client.inference.embed('a/../b?c#d', { input: 'x' });
    assert.equal(requests[0]?.url, `${base}/serving-endpoints/a%2F..%2Fb%3Fc%23d/invocations`);
    for (const name of ['', '.', '..'])
      assert.equal((await rejectionOf(client.inference.embed(name, { input: 'x' }))).kind, 'invalid');
  });

  it('stop on abort while they wait for a token', async () => {
    const controller = new AbortController();
    const client = createClient({
      baseUrl: base,
      auth: { kind: 'bearer', token: () => new Promise(() => undefined) },
      fetch: () => Promise.reject(new Error('nothing is sent')),
    });
    const ended = rejectionOf(client.jobs.list({ signal: controller.signal }));
    controller.abort();
    assert.equal((await ended).kind, 'aborted');
  });
});

const baseUrl = 'https://service.example';

const setUp = (
  reply: (request: ScriptedRequest, count: number) => Reply = () => ({ status: 200 }),
  more: Partial<CallerOptions> = {},
) => {
  const { fetch, requests } = scriptedFetch(reply);
  const clock = new FakeClock();
  return { caller: new Caller({ baseUrl, auth: { kind: 'none' }, fetch, clock, ...more }), requests, clock };
};

const messages = [{ role: 'user' as const, content: 'Hi' }];

describe('Responses', () => {
  it('fail for every status outside 200 to 299 and are read no further than needed', async () => {
    for (const [status, isTaken] of [
      [200, true],
      [299, true],
      [300, false],
      [304, false],
      [404, false],
    ] as const) {
      const { caller } = setUp(() => ({ status, body: '{}' }), { retry: 'fail' });
      const call = caller.call(jobsRoutes.list, {});
      if (isTaken) await call;
      else assert.equal((await rejectionOf(call)).status, status);
    }
    let read = 0;
    let signal: AbortSignal | undefined;
    const { caller } = setUp(undefined, {
      retry: 'fail',
      limits: { errorBytes: 10 },
      fetch: (_url, request) => {
        signal = request.signal;
        return Promise.resolve({
          ...responseOf(400, ''),
          body: (async function* () {
            for (;;) {
              read += 1;
              yield new TextEncoder().encode('12345');
              await Promise.resolve();
            }
          })(),
        });
      },
    });
    await rejectionOf(caller.call(jobsRoutes.list, {}));
    assert.deepEqual([read, signal?.aborted], [2, true]);
  });
});

describe('createClient', () => {
  it('refuses an invalid request before it is sent and names the rule', async () => {
    const { client, requests } = clientOf(() => ({ status: 200 }));
    const refused = (promise: Promise<unknown>, message: RegExp): Promise<void> =>
      assert.rejects(promise, { kind: 'invalid', message });
    await refused(
      client.jobs.runNow({ job_id: '1', python_params: ['ü'] }),
      /python_params\[0\]: must hold ASCII characters only; "ü" \(U\+00FC\) is not one/,
    );
    await refused(client.jobs.runNow({ job_id: '1', jar_params: ['a'], notebook_params: { a: 'b' } }), /only the kind/);
    await refused(client.jobs.listRuns({ limit: 1000 }), /limit: must be less than 1000/);
    await refused(client.inference.chat('guide', { messages: [] }), /messages: must hold at least one message/);
    await refused(client.jobs.get('nonsense'), /job_id: must be a whole number between/);
    assert.equal(requests.length, 0);
  });
});

describe('Workspace client', () => {
  it('sends again at once after retryNow', async () => {
    const { client, requests } = clientOf(() => ({ status: 500 }));
    await rejectionOf(client.jobs.list());
    assert.match((await rejectionOf(client.jobs.list())).message, /was not sent because the service has just failed/);
    assert.equal(requests.length, 1);
    client.retryNow();
    assert.equal((await rejectionOf(client.jobs.list())).status, 500);
    assert.equal(requests.length, 2);
  });

  it('stores intents by profile, or by address if it has none', async () => {
    for (const profile of [undefined, 'p']) {
      const kept: Intent[] = [];
      const store: IntentStore = {
        save: (intent) => Promise.resolve(void kept.push(intent)),
        settle: () => Promise.resolve(),
        list: () => Promise.resolve([...kept]),
      };
      const { client, requests } = clientOf(() => ({ status: 200, body: '{"run_id":5}' }), { intents: store, profile });
      await client.jobs.runNow({ job_id: '1', idempotency_token: 't' });
      assert.equal(kept[0]?.profile, profile ?? base);
      const [finished] = await client.resumeIntents();
      assert.ok(finished);
      assert.deepEqual(requests[1]?.body, requests[0]?.body);
      const stopped = await client.resumeIntents({ signal: AbortSignal.abort() }).catch(() => []);
      assert.ok(stopped.every((each) => !('runId' in each) || each.runId === undefined));
      assert.equal(requests.length, 2);
    }
  });

  it('requests cluster lists and the local service at their paths', async () => {
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
        ...['/api/2.0/clusters/spark-versions', '/api/2.0/clusters/list-node-types', '/api/2.0/clusters/list-zones'],
        ...['/api/millrace/changes?jobs=a&runs=b', '/api/millrace/last-runs?after_job_id=7'],
        ...['/api/millrace/run-output?run_id=8&offset=6&wait=true', '/api/millrace/run-output?run_id=8&offset=6'],
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
      assert.equal((await rejectionOf(ask())).kind, 'protocol');
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

describe('Time-outs and aborts', () => {
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
    ['a change', 60_000, (client: WorkspaceClient) => client.jobs.create(settings), /may or may not have been/],
    ['a read', 60_000, (client: WorkspaceClient) => client.jobs.list(), /were not read/],
    ['a model', 300_000, (client: WorkspaceClient) => client.inference.chat('e', { messages }), /was not completed/],
  ] as const) {
    it(`end the wait for ${name} after ${afterMs / 1000} s`, async () => {
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

  it('apply to each piece of a body, not to all of it', async () => {
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
    assert.equal((await ended).kind, 'timeout');
    assert.deepEqual([seen.signal?.aborted, clock.pending], [true, 0]);
  });

  it('do not delay the refusal of a response that is announced as too large', async () => {
    for (const [ask, words] of [
      [(client: WorkspaceClient) => client.jobs.get('1'), /The job was not read/],
      [(client: WorkspaceClient) => client.jobs.create(settings), /may or may not have been/],
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
});

describe('Redirects', () => {
  const to =
    (location: string, status = 302): ((request: unknown, count: number) => Reply) =>
    (_request, count) =>
      count === 1 ? { status, headers: { location } } : { status: 200, body: '{"jobs":[],"job_id":1}' };

  for (const status of [301, 302, 303, 307, 308]) {
    it(`are followed on the same origin for reads: ${status}`, async () => {
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
    it(`${status > 303 ? 'keep the content of a change' : 'are refused for a change'}: ${status}`, async () => {
      const { client, requests } = clientOf(to('/other', status));
      if (status > 303) {
        await client.jobs.create(settings);
        assert.deepEqual(
          requests.map(({ body }) => body),
          [JSON.stringify(settings), JSON.stringify(settings)],
        );
      } else
        assert.match(
          (await rejectionOf(client.jobs.create(settings))).message,
          /in a way that would drop the request's content\. The redirect was not followed\. The job was not created\./,
        );
    });
  }

  it('are followed at most five times', async () => {
    const { client, requests } = clientOf((_request, count) =>
      count <= 5 ? { status: 307, headers: { location: `/${count}` } } : { status: 200, body: '{"jobs":[]}' },
    );
    await client.jobs.list();
    assert.equal(requests.length, 6);
    const endless = clientOf((_request, count) => ({ status: 307, headers: { location: `/${count}` } }));
    assert.match((await rejectionOf(endless.client.jobs.list())).message, /in a circle \(5 times\)/);
    assert.equal(endless.requests.length, 6);
  });
});
