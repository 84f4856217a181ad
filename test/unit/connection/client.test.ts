import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import zlib from 'node:zlib';
import { type Client, createClient, type HttpRequest, type HttpResponse } from '../../../src/api/client/index.ts';
import { clusterRoutes } from '../../../src/api/schema/clusterRoutes.ts';
import { inferenceRoutes } from '../../../src/api/schema/inference/routes.ts';
import { jobsRoutes } from '../../../src/api/schema/jobs/routes.ts';
import { localServiceRoutes } from '../../../src/api/schema/localServiceRoutes.ts';
import type { Route } from '../../../src/api/schema/route.ts';
import { localProfile, type Profile } from '../../../src/connection/connection.ts';
import { createDraftClient } from '../../../src/connection/createDraftClient.ts';
import { guardClient } from '../../../src/connection/guardedClient.ts';
import { nodeFetch } from '../../../src/connection/host/nodeFetch.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { silentLogger } from '../../../src/shared/log.ts';
import { eventually } from '../../support/eventually.ts';
import { reply, startServer, type TestServer } from './testServer.ts';

const refusing = {
  refuse: (operation: string) => new AppError('readOnly', operation),
  recover: () => Promise.resolve(false),
};

describe('the guarded client', () => {
  let server: TestServer;
  let client: Client;

  beforeEach(async () => {
    server = await startServer((_request, response) => reply(response, 200, {}));
    client = createClient({ baseUrl: server.url, auth: { kind: 'none' } });
  });

  afterEach(() => server.close());

  it('refuses every mutating route', async () => {
    const guarded = guardClient(client, refusing);
    const tables = {
      jobs: jobsRoutes,
      inference: inferenceRoutes,
      clusters: clusterRoutes,
      localService: localServiceRoutes,
    };
    const refused: string[] = [];
    for (const [section, routes] of Object.entries(tables)) {
      const methods = guarded[section as keyof typeof tables] as unknown as Record<string, () => Promise<unknown>>;
      for (const [name, { operation, mutates }] of Object.entries<Route>(routes)) {
        if (!mutates) continue;
        assert.equal(
          typeof methods[name],
          'function',
          `The client calls the route ${operation} by its name, ${name}().`,
        );
        await assert.rejects(methods[name]!(), { kind: 'readOnly', message: operation });
        refused.push(operation);
      }
    }
    assert.ok(refused.length > 10);
    assert.equal(server.requests.length, 0);
  });

  it('lets a read-only profile read', async () => {
    const { runs } = await guardClient(client, refusing).jobs.listRuns();
    assert.deepEqual(runs, []);
    assert.equal(server.requests.length, 1);
  });

  it('repeats a call once when its failure was repaired', async () => {
    let failures = 0;
    const recovered = guardClient(
      failing(() => ++failures),
      { recover: () => Promise.resolve(true) },
    );
    await assert.rejects(recovered.jobs.list(), { kind: 'unauthenticated' });
    assert.equal(failures, 2);
  });

  it('repeats a stream before its first piece, and never after it', async () => {
    let failures: (AppError | undefined)[] = [];
    const flaky = {
      ...client,
      inference: {
        ...client.inference,
        async *streamChat() {
          for (const id of ['1', '2']) {
            const failure = failures.shift();
            if (failure) throw failure;
            yield { id } as never;
          }
        },
      },
    } as Client;
    const idsOf = async (guard: Parameters<typeof guardClient>[1]): Promise<unknown[]> => {
      const ids: unknown[] = [];
      for await (const { id } of guardClient(flaky, guard).inference.streamChat('e', { messages: [] })) ids.push(id);
      return ids;
    };
    const [expired, better] = ['expired', 'sign in again'].map((text) => new AppError('unauthenticated', text));
    failures = [expired];
    assert.deepEqual(await idsOf({ recover: () => Promise.resolve(true) }), ['1', '2']);
    failures = [expired];
    await assert.rejects(idsOf({ recover: () => Promise.resolve(false), reword: () => better! }), better);
    failures = [undefined, expired];
    await assert.rejects(idsOf({ recover: () => assert.fail('it had begun') }), expired);
  });

  function failing(count: () => number): Client {
    return {
      ...client,
      jobs: {
        ...client.jobs,
        list: () => {
          count();
          return Promise.reject(new AppError('unauthenticated', 'no'));
        },
      },
    };
  }
});

const remote: Profile = { ...localProfile, id: 'r', kind: 'remote', baseUrl: 'https://x.example' };

/** What was asked of the service, and how the client that is told of failures does. */
function draft(profile: Partial<Profile>, answer: () => Promise<Response> | Response) {
  const asked: { url: string; headers: Headers; signal: AbortSignal | null | undefined }[] = [];
  const commands: string[] = [];
  const client = createDraftClient({ ...remote, ...profile }, 'the-secret', {
    log: silentLogger,
    runCommand: async (command) => (commands.push(command), `printed-${commands.length}`),
    fetch: (async (url: string | URL | Request, init?: RequestInit) => {
      asked.push({ url: String(url), headers: new Headers(init?.headers), signal: init?.signal });
      return answer();
    }) as never,
  });
  return { client, asked, commands };
}

const empty = (): Response =>
  new Response('{"runs": [], "has_more": false}', { headers: { 'content-type': 'application/json' } });

describe('the client of an unsaved profile', () => {
  it('signs with the entered secret', async () => {
    const sent = async (profile: Partial<Profile>): Promise<[string | null, string | null]> => {
      const { client, asked } = draft(profile, empty);
      await client.jobs.listRuns({ limit: 1 });
      const headers = asked[0]?.headers;
      return [headers?.get('authorization') ?? null, headers?.get('x-key') ?? null];
    };
    assert.deepEqual(await sent({ authKind: 'none' }), [null, null]);
    assert.deepEqual(await sent({ authKind: 'bearer' }), ['Bearer the-secret', null]);
    assert.deepEqual(await sent({ authKind: 'basic', userName: 'me' }), [
      `Basic ${Buffer.from('me:the-secret').toString('base64')}`,
      null,
    ]);
    assert.deepEqual(await sent({ authKind: 'header', headerName: 'X-Key' }), [null, 'the-secret']);
    assert.deepEqual(await sent({ authKind: 'command', command: 'tool token' }), ['Bearer printed-1', null]);
  });

  it('runs its command once', async () => {
    const { client, asked, commands } = draft({ authKind: 'command', command: 'tool token' }, empty);
    await client.jobs.listRuns({ limit: 1 });
    await client.jobs.listRuns({ limit: 1 });
    assert.deepEqual([commands, asked.length], [['tool token'], 2]);
  });
});

describe('fetch through Node', () => {
  let server: http.Server;
  let handler: http.RequestListener;
  let url: string;

  beforeEach(async () => {
    server = http.createServer((request, response) => handler(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const request = (headers: Record<string, string> = {}): HttpRequest => ({
    method: 'GET',
    headers,
    signal: new AbortController().signal,
    redirect: 'manual',
  });

  async function textOf({ body }: HttpResponse): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of body ?? []) pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
  }

  it('reads no more from the network than a slow reader needs', async () => {
    const piece = Buffer.alloc(65_536, 'a');
    let sent = 0;
    handler = (_request, response) => {
      const write = (): void => {
        for (let hasRoom = true; hasRoom && sent < 2000; sent += 1) hasRoom = response.write(piece);
        response.once('drain', write);
      };
      write();
    };
    const { body } = await nodeFetch(url, request());
    const reader = body?.[Symbol.asyncIterator]();
    await reader?.next();
    let before = -1;
    // Until the server has not been asked for more for a while: what the system itself buffers is some megabytes.
    for (let quiet = 0; quiet < 200; quiet = sent === before ? quiet + 1 : 0) {
      before = sent;
      await nextTurn();
    }
    assert.ok(sent < 400, `${sent} of 2000 pieces were taken for a reader of one`);
    let read = 1;
    while (read < 100_000_000 && sent < 1000) read += (await reader?.next())?.value?.byteLength ?? 0;
    assert.ok(sent >= 1000, 'and goes on when the reader does');
    await reader?.return?.();
  });

  it('fails when the response breaks off, compressed or not', async () => {
    const whole = zlib.gzipSync('a'.repeat(100_000));
    for (const [headers, body] of [
      [{ 'content-length': '100' }, 'a'],
      [{ 'content-encoding': 'gzip' }, whole.subarray(0, 60)],
      [{ 'content-encoding': 'gzip' }, 'no gzip at all'],
    ] as const) {
      handler = (_request, response) => {
        response.writeHead(200, headers);
        response.write(body, () => ('content-length' in headers ? response.destroy() : response.end()));
      };
      const answer = await nodeFetch(url, request());
      await assert.rejects(textOf(answer));
    }
  });

  it('ends with its signal and closes the connection', async () => {
    let closed = 0;
    handler = (incoming, response) => {
      response.once('close', () => (closed += 1));
      if (incoming.url === '/begun') response.write('a');
    };
    for (const place of ['', 'begun']) {
      const leaving = new AbortController();
      const answer = nodeFetch(url + place, { ...request(), signal: leaving.signal });
      if (place === '') setTimeout(() => leaving.abort(), 20);
      else await answer.then(() => leaving.abort());
      await assert.rejects(answer.then(textOf));
    }
    await eventually(() => assert.equal(closed, 2));
    const reader = (await nodeFetch(`${url}begun`, request())).body?.[Symbol.asyncIterator]();
    await reader?.next();
    assert.deepEqual(await reader?.return?.(), { value: undefined, done: true });
    await eventually(() => assert.equal(closed, 3));
  });

  it('waits through a thousand interim responses and no more', async () => {
    let closed = 0;
    for (const [count, ended] of [
      [1000, 200],
      [1001, 'the server sends interim answers without end'],
    ] as const) {
      handler = (_request, response) => {
        response.once('close', () => (closed += 1));
        for (let sent = 0; sent < count; sent += 1) response.writeProcessing();
        // The answer itself comes later, so that it finds a connection that was given up.
        if (count === 1000) setTimeout(() => response.end(), 30);
      };
      const answer = nodeFetch(url, request()).then(
        async (answered) => (await textOf(answered), answered.status),
        (error: unknown) => (error as Error).message,
      );
      assert.equal(await answer, ended);
    }
    await eventually(() => assert.equal(closed, 2));
  });
});
