import assert from 'node:assert/strict';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Client, createClient } from '../../../src/api/client/index.ts';
import { checkAddress, checkConnection } from '../../../src/connection/checkConnection.ts';
import { connectionProblem, type ProblemPlace } from '../../../src/connection/connectionProblem.ts';
import { nodeFetch } from '../../../src/connection/host/nodeFetch.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { type CertificateOptions, selfSigned } from '../service/support/selfSigned.ts';
import { type Answerer, reply, startServer, workspace } from './testServer.ts';

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

describe('the check of a connection', () => {
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

  it('reports missing permissions and missing features', async () => {
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

  it('fails when the Jobs API fails', async () => {
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

  const html = '<!doctype html><html><head><title>Sign in</title></head></html>';
  const cases: [name: string, answer: Answerer, place: ProblemPlace, message: RegExp][] = [
    ['a wrong token', workspace('another'), 'signIn', /rejected this sign-in \(401\)/],
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
    ['a web page', (_, response) => reply(response, 200, html), 'address', /not with this API/],
    [
      'a server that says ok to everything',
      (_, response) => reply(response, 200, { ok: true }),
      'address',
      /not with this API/,
    ],
    ['a list where an object belongs', (_, response) => reply(response, 200, [1, 2]), 'address', /not with this API/],
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
      /rate limiting/,
    ],
    ['a server in trouble', (_, response) => reply(response, 503, 'sorry'), 'service', /internal problem \(503\)/],
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

  it('reports an unknown host name', async () => {
    const check = await checkConnection(clientOf('http://no-such-host.invalid'));
    assert.match(check.ok ? '' : check.message, /^DNS: the name no-such-host\.invalid was not found/);
  });

  it('reports that nothing listens', async () => {
    const server = await startServer(() => undefined);
    await server.close();
    const check = await checkConnection(clientOf(server.url));
    assert.match(check.ok ? '' : check.message, /The connection to 127\.0\.0\.1:\d+ was refused/);
  });

  it('reports a proxy that asks for credentials', async () => {
    const server = await startServer((_, response) => reply(response, 407, ''));
    try {
      const check = await checkConnection(clientOf(server.url));
      assert.match(check.ok ? '' : check.message, /^Proxy: it asks for credentials/);
    } finally {
      await server.close();
    }
  });

  it('sends no secret when it checks an address', async () => {
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

describe('the problem of a connection', () => {
  it('separates a dead proxy from a dead server', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.9:3128'), {
      code: 'ECONNREFUSED',
      address: '10.0.0.9',
      port: 3128,
    });
    const error = new AppError('network', 'x', { cause: new TypeError('fetch failed', { cause: refused }) });
    assert.match(
      connectionProblem(error, 'https://host.example.com').message,
      /^Proxy: no proxy is listening at 10\.0\.0\.9:3128/,
    );
  });

  it('is a proxy that asks for credentials', () => {
    const tunnel = new AppError('network', 'x', {
      cause: new TypeError('fetch failed', { cause: new Error('Proxy response (407) !== 200 when HTTP Tunneling') }),
    });
    for (const error of [tunnel, new AppError('rejected', 'x', { status: 407 })]) {
      assert.deepEqual(
        [
          connectionProblem(error, 'https://h').place,
          connectionProblem(error, 'https://h').message.startsWith('Proxy: it asks for credentials'),
        ],
        ['address', true],
      );
    }
  });
});

describe('a service with a certificate', () => {
  const { options: agent } = https.globalAgent;
  const own = agent.ca;
  let server: https.Server | undefined;

  afterEach(async () => {
    if (own === undefined) delete agent.ca;
    else agent.ca = own;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
    server = undefined;
  });

  /** Starts it, makes its certificate an authority of this machine if `known`, and checks it as the wizard does. */
  async function check(
    options: CertificateOptions,
    known: boolean,
  ): Promise<Awaited<ReturnType<typeof checkConnection>>> {
    const certificate = selfSigned(options);
    const started = https.createServer(certificate, (request, response) => workspace('right')(request, response, ''));
    server = started;
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
    if (known) agent.ca = certificate.cert;
    const baseUrl = `https://127.0.0.1:${(started.address() as AddressInfo).port}`;
    return checkConnection(
      createClient({ baseUrl, auth: { kind: 'bearer', token: 'right' }, fetch: nodeFetch, retry: 'fail' }),
    );
  }

  it('is accepted when its authority is known', async () => {
    assert.equal((await check({}, true)).ok, true);
  });

  const cases: [name: string, options: CertificateOptions, known: boolean, message: RegExp][] = [
    ['expired', { fromYear: -3, toYear: -1 }, true, /^TLS: the certificate of 127\.0\.0\.1:\d+ has expired/],
    [
      'not valid yet',
      { fromYear: 1, toYear: 3 },
      true,
      /^TLS: the certificate of 127\.0\.0\.1:\d+ is not valid yet.*clock/,
    ],
    [
      'made for another name',
      { name: 'other.example' },
      true,
      /^TLS: the certificate of 127\.0\.0\.1:\d+ is for another name/,
    ],
    [
      'signed by itself',
      {},
      false,
      /^TLS: this machine does not know the authority .* \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    ],
    [
      'signed by an unknown authority',
      { issuer: 'Nobody knows me' },
      false,
      /^TLS: this machine does not know the authority .* \(UNABLE_TO_/,
    ],
  ];
  for (const [name, options, known, message] of cases) {
    it(`is told to be ${name}`, async () => {
      const outcome = await check(options, known);
      assert.equal(outcome.ok, false);
      if (outcome.ok) return;
      assert.match(outcome.message, message);
      assert.deepEqual([outcome.place, outcome.error.kind], ['address', 'tls']);
    });
  }
});
