import assert from 'node:assert/strict';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createClient, type Client } from '../../../src/api/client/index.ts';
import { checkAddress, checkConnection } from '../../../src/connection/checkConnection.ts';
import type { ProblemPlace } from '../../../src/connection/connectionProblem.ts';
import { nodeFetch } from '../../../src/connection/host/nodeFetch.ts';
import { type Answerer, reply, startServer, workspace } from './testServer.ts';
import './checkConnectionAnswers.part.ts';
import './certificates.part.ts';

const token = 'dapi-right';

function clientOf(baseUrl: string, secret = token): Client {
  return createClient({
    baseUrl,
    auth: { kind: 'bearer', token: secret },
    fetch: nodeFetch,
    retry: 'fail',
    limits: { headersInMs: 2_000 },
  });
}

describe('check of a connection', () => {
  it('accepts a workspace that answers', async () => {
    const server = await startServer(workspace(token));
    try {
      assert.deepEqual(await checkConnection(clientOf(server.url)), {
        ok: true,
        hasJobs: true,
        listsEndpoints: true,
        notes: [],
      });
      assert.deepEqual([...new Set(server.requests.map(({ method }) => method))], ['GET']);
    } finally {
      await server.close();
    }
  });

  it('asks for a run that is not there only where the list alone proves nothing', async () => {
    const own = workspace(token);
    for (const runs of [[{ run_id: 5, state: { life_cycle_state: 'RUNNING' } }], []]) {
      const server = await startServer((request, response, body) =>
        request.url?.startsWith('/api/2.0/jobs/runs/list')
          ? reply(response, 200, { runs, has_more: false })
          : own(request, response, body),
      );
      try {
        const check = await checkConnection(clientOf(server.url));
        assert.ok(check.ok, check.ok ? '' : check.message);
        assert.ok(
          server.requests.some(({ path }) => path === '/api/2.0/jobs/runs/list?limit=1'),
          'no more is read than is needed',
        );
        assert.equal(
          server.requests.some(({ path }) => path.startsWith('/api/2.0/jobs/runs/get')),
          runs.length === 0,
        );
      } finally {
        await server.close();
      }
    }
  });

  it('knows by that run a server that answers the same to everything, and takes one that has the run', async () => {
    const own = workspace(token);
    for (const [run, isThis] of [
      [{ runs: [], has_more: false, ok: true }, false],
      [{ run_id: 1, state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } }, true],
    ] as const) {
      const server = await startServer((request, response, body) =>
        request.url?.startsWith('/api/2.0/jobs/runs/get') ? reply(response, 200, run) : own(request, response, body),
      );
      try {
        const check = await checkConnection(clientOf(server.url));
        assert.deepEqual([check.ok, check.ok ? '' : check.place], isThis ? [true, ''] : [false, 'address']);
      } finally {
        await server.close();
      }
    }
  });

  it('tells what the sign-in may not do, and what the service does not have', async () => {
    const notes = async (answers: Record<string, [number, unknown]>): Promise<readonly string[]> => {
      const own = workspace(token);
      const server = await startServer((request, response, body) => {
        const found = Object.entries(answers).find(([path]) => request.url?.startsWith(path))?.[1];
        if (found) reply(response, found[0], found[1]);
        else own(request, response, body);
      });
      try {
        const check = await checkConnection(clientOf(server.url));
        return check.ok ? check.notes : [check.message];
      } finally {
        await server.close();
      }
    };
    const runs = '/api/2.0/jobs/runs/list';
    assert.deepEqual(await notes({ [runs]: [403, { error_code: 'PERMISSION_DENIED', message: 'no' }] }), [
      'The user of this sign-in is not allowed to read jobs.',
    ]);
    assert.deepEqual(await notes({ [runs]: [404, { error_code: 'ENDPOINT_NOT_FOUND', message: 'no' }] }), [
      'This service has no Jobs API.',
    ]);
    assert.deepEqual(await notes({ '/api/2.0/serving-endpoints': [404, {}] }), [
      'This service does not list its endpoints. Name the ones that you use in the profile.',
    ]);
  });

  it('is refused where the Jobs API has a problem, also if the rest answers', async () => {
    const own = workspace(token);
    const server = await startServer((request, response, body) =>
      request.url?.startsWith('/api/2.0/jobs/') ? reply(response, 503, 'sorry') : own(request, response, body),
    );
    try {
      const check = await checkConnection(clientOf(server.url));
      assert.deepEqual([check.ok, check.ok ? '' : check.place], [false, 'service']);
    } finally {
      await server.close();
    }
  });

  it('ends where nobody waits for it any more', async () => {
    const server = await startServer(workspace(token));
    try {
      const stopped = AbortSignal.abort();
      await assert.rejects(checkConnection(clientOf(server.url), { signal: stopped }), { kind: 'aborted' });
      await assert.rejects(checkAddress(clientOf(server.url), { signal: stopped }), { kind: 'aborted' });
      assert.equal(server.requests.length, 0);
    } finally {
      await server.close();
    }
  });

  const html = '<!doctype html><html><head><title>Sign in</title></head></html>';
  const cases: [name: string, answer: Answerer, place: ProblemPlace, message: RegExp][] = [
    ['a wrong token', workspace('another'), 'signIn', /does not accept this sign-in \(401\)/],
    [
      'a user without permission',
      (_, response) => reply(response, 403, { error_code: 'PERMISSION_DENIED', message: 'no' }),
      'signIn',
      /does not allow .* \(403\)/,
    ],
    [
      'another kind of server, which refuses everything',
      (_, response) => reply(response, 403, 'Forbidden'),
      'address',
      /\(403\), but not as this API does: it is another kind of server/,
    ],
    [
      'a path that is not there',
      (_, response) => reply(response, 404, 'Not Found'),
      'address',
      /has nothing at .*\/api\/2\.0 \(404\).*path/,
    ],
    ['a web page', (_, response) => reply(response, 200, html), 'address', /not as this API does/],
    [
      'a server that says ok to everything',
      (_, response) => reply(response, 200, { ok: true }),
      'address',
      /not as this API does/,
    ],
    [
      'a list where an object belongs',
      (_, response) => reply(response, 200, [1, 2]),
      'address',
      /not as this API does/,
    ],
    [
      'a redirect to a sign-in page elsewhere',
      (_, response) => reply(response, 302, '', { location: 'https://login.example.com/' }),
      'address',
      /redirects to another place.*login\.example\.com/,
    ],
    [
      'too many requests',
      (_, response) => reply(response, 429, { error_code: 'REQUEST_LIMIT_EXCEEDED', message: 'slow down' }),
      'service',
      /no more requests/,
    ],
    ['a server in trouble', (_, response) => reply(response, 503, 'sorry'), 'service', /problem of its own \(503\)/],
  ];
  for (const [name, answer, place, message] of cases) {
    it(`says what is wrong: ${name}`, async () => {
      const server = await startServer(answer);
      try {
        const check = await checkConnection(clientOf(server.url));
        assert.equal(check.ok, false);
        if (check.ok) return;
        assert.match(check.message, message);
        assert.equal(check.place, place);
        assert.ok(!check.message.includes(token));
      } finally {
        await server.close();
      }
    });
  }

  it('says that the name is not known', async () => {
    const check = await checkConnection(clientOf('http://no-such-host.invalid'));
    assert.match(check.ok ? '' : check.message, /^DNS: the name no-such-host\.invalid was not found/);
  });

  it('says that nothing answers', async () => {
    const server = await startServer(() => undefined);
    await server.close();
    const check = await checkConnection(clientOf(server.url));
    assert.match(check.ok ? '' : check.message, /Nothing answers at 127\.0\.0\.1:\d+/);
  });

  it('says that plain http is not https', async () => {
    const server = await startServer(workspace(token));
    try {
      const check = await checkConnection(clientOf(server.url.replace('http:', 'https:')));
      assert.match(check.ok ? '' : check.message, /TLS: .*http:\/\//);
    } finally {
      await server.close();
    }
  });

  it('says that a port closes the connection', async () => {
    const server = createTcpServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const check = await checkConnection(clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
      assert.match(check.ok ? '' : check.message, /closed it again|broke/);
    } finally {
      server.close();
    }
  });

  it("says that a server in the way asks for a proxy's credentials", async () => {
    const server = await startServer((_, response) => reply(response, 407, ''));
    try {
      const check = await checkConnection(clientOf(server.url));
      assert.match(check.ok ? '' : check.message, /^Proxy: it asks for credentials/);
    } finally {
      await server.close();
    }
  });

  it('takes a service without a Jobs API and one that cannot list its endpoints', async () => {
    const onlyInference = await startServer((request, response) =>
      request.url === '/api/2.0/serving-endpoints'
        ? reply(response, 200, { endpoints: [] })
        : reply(response, 404, { error_code: 'ENDPOINT_NOT_FOUND', message: 'x' }),
    );
    const onlyJobs = await startServer((request, response, body) =>
      request.url === '/api/2.0/serving-endpoints'
        ? reply(response, 404, {})
        : workspace(token)(request, response, body),
    );
    try {
      const [inference, jobs] = [
        await checkConnection(clientOf(onlyInference.url)),
        await checkConnection(clientOf(onlyJobs.url)),
      ];
      assert.deepEqual([inference.ok && inference.hasJobs, inference.ok && inference.listsEndpoints], [false, true]);
      assert.deepEqual([jobs.ok && jobs.hasJobs, jobs.ok && jobs.listsEndpoints], [true, false]);
    } finally {
      await Promise.all([onlyInference.close(), onlyJobs.close()]);
    }
  });

  it('looks at an address without sending anything secret there', async () => {
    const server = await startServer(workspace(token));
    try {
      const client = createClient({ baseUrl: server.url, auth: { kind: 'none' }, retry: 'fail' });
      assert.equal(await checkAddress(client), undefined);
      assert.ok(
        server.requests.length > 0 && server.requests.every(({ headers }) => headers.authorization === undefined),
      );
    } finally {
      await server.close();
    }
    const page = await startServer((_, response) => reply(response, 200, html));
    try {
      const problem = await checkAddress(createClient({ baseUrl: page.url, auth: { kind: 'none' }, retry: 'fail' }));
      assert.equal(problem?.place, 'address');
    } finally {
      await page.close();
    }
  });
});
