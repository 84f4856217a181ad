import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { checkOrigin, createTokenCheck, startServer } from '../../../../src/service/http/server.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { pythonTask, startTestService, type TestService, testToken, until } from '../support/testService.ts';

describe('Request guard', () => {
  it('accepts the loopback as Host, without a port only on the default one', () => {
    checkOrigin({ host: 'localhost' }, { protocol: 'http', port: 80 });
    checkOrigin({ host: '[::1]', 'sec-fetch-site': 'none' }, { protocol: 'https', port: 443 });
    for (const host of ['localhost', undefined])
      assert.throws(() => checkOrigin({ host }, { protocol: 'http', port: 8080 }), { status: 403 }, host);
  });

  it('accepts the token as Bearer or as the password of Basic', () => {
    const check = createTokenCheck('se:cret');
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    for (const authorization of ['Bearer se:cret', 'bearer  se:cret ', basic('token:se:cret')])
      check({ authorization });
    for (const authorization of ['Bearer', 'Bearer se:cret x', 'Digest se:cret', 'x Bearer se:cret', 'se:cret', ''])
      assert.throws(() => check({ authorization }), {
        status: 401,
        message: /The token is not valid for this service/,
      });
    for (const text of ['user:se:cret', 'token:x', 'token'])
      assert.throws(() => check({ authorization: basic(text) }), { status: 401, errorCode: 'UNAUTHENTICATED' });
    assert.throws(() => check({}), { status: 401, message: /carries no token/ });
  });
});

describe('Service access', () => {
  interface RawAnswer {
    status: number;
    text: string;
  }

  let test: TestService;
  let port = 0;
  const open = new Set<Socket>();

  before(async () => {
    test = await startTestService();
    port = Number(new URL(test.service.url).port);
    await test.createJob();
  });
  after(async () => {
    open.forEach((socket) => socket.destroy());
    await test.close();
  });

  function dial(): Socket {
    const socket = connect(port, '127.0.0.1');
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
    return socket;
  }

  /** Sends bytes as they are and gives what comes back. */
  function raw(text: string): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const socket = dial();
      let answer = '';
      const timer = setTimeout(() => reject(new Error(`No answer to ${text.slice(0, 200)}`)), 60_000);
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        answer += chunk;
        const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
        if (!status || !answer.includes('\r\n\r\n')) return;
        clearTimeout(timer);
        socket.destroy();
        resolve({ status: Number(status), text: answer });
      });
      socket.write(text);
    });
  }

  const jobs = {
    POST: 'create delete reset update run-now runs/submit runs/cancel runs/cancel-all runs/delete'.split(' '),
    GET: 'list get runs/list runs/get runs/export runs/get-output'.split(' '),
  };
  const routes = [
    ...Object.entries(jobs).flatMap(([method, names]) => names.map((name) => `${method} /api/2.0/jobs/${name}`)),
    ...['spark-versions', 'list-node-types', 'list-zones'].map((name) => `GET /api/2.0/clusters/${name}`),
    ...['POST /serving-endpoints/guide/invocations', 'POST /serving-endpoints/chat/completions'],
    ...['GET /api/2.0/serving-endpoints', 'POST /api/2.0/serving-endpoints', 'GET /api/millrace/health'],
    ...['POST /api/millrace/stop', 'GET /', 'GET /nothing', 'POST /api/millrace/test/clock'],
  ];

  it('answers 401 on every route without the right token, before the body is read (P24)', async () => {
    const wrong = [
      '',
      'Authorization: Bearer\r\n',
      'Authorization: Bearer wrong-token-here\r\n',
      `Authorization: Bearer ${testToken.slice(0, -1)}\r\n`,
      `Authorization: Bearer ${testToken}x\r\n`,
      `Authorization: Basic ${Buffer.from(`user:${testToken}`).toString('base64')}\r\n`,
      `X-Api-Key: ${testToken}\r\n`,
    ];
    for (const route of routes) {
      for (const header of wrong) {
        // The body that is announced is never sent: an answer shows that nobody waited for it.
        const announced = route.startsWith('POST') ? 'Content-Length: 1000\r\n' : '';
        const answer = await raw(`${route} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${header}${announced}\r\n`);
        assert.equal(answer.status, 401, `${route} ${header}`);
        assert.match(answer.text, /UNAUTHENTICATED/);
        assert.ok(!answer.text.includes(testToken));
      }
    }
  });

  it('refuses a Host that is not its own (P25)', async () => {
    const hosts = [
      ...['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, '127.0.0.1', '127.0.0.1:1', ''],
      ...[`127.0.0.2:${port}`, `0.0.0.0:${port}`, `localhost.evil:${port}`, `[::2]:${port}`],
      ...[`127.0.0.1:${port}@evil.example`, `127.0.0.1:${port},evil`],
    ];
    for (const host of hosts) {
      for (const line of ['GET /api/2.0/jobs/list', 'POST /api/2.0/jobs/runs/submit', `GET /runs/1/x`]) {
        const answer = await raw(
          `${line} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${testToken}\r\nContent-Length: 0\r\n\r\n`,
        );
        assert.ok(answer.status === 403 || answer.status === 400, `${host}: ${answer.status}`);
        assert.ok(!answer.text.includes('"jobs"'));
      }
    }
    const own = `Host: 127.0.0.1:${port}\r\n`;
    for (const [address, headers, status] of [
      ['/api/2.0/jobs/list', `${own}Host: evil.example\r\n`, 403],
      ['/api/2.0/jobs/list', `Host: evil.example\r\n${own}`, 403],
      [`http://evil.example:${port}/api/2.0/jobs/list`, own, 403],
      [`http://127.0.0.1:${port}@evil.example/api/2.0/jobs/list`, own, 403],
      [`http://127.0.0.1:${port}/api/2.0/jobs/list`, own, 200],
    ] as const) {
      const answer = await raw(`GET ${address} HTTP/1.1\r\n${headers}Authorization: Bearer ${testToken}\r\n\r\n`);
      assert.equal(answer.status, status, address + headers);
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
      assert.equal(
        (await raw(`GET /api/2.0/jobs/list HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${testToken}\r\n\r\n`))
          .status,
        200,
        host,
      );
    }
  });

  it('refuses 20 shapes of cross-site requests and starts no run (P26)', async () => {
    const body = JSON.stringify({ job_id: 1 });
    const own = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
    const origins = ['https://evil.example', 'null', 'vscode-webview://x', ...own];
    const form = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
    const types = ['text/plain', 'application/json', ...form];
    let shapes = 0;
    for (const origin of origins) {
      for (const type of types) {
        shapes += 1;
        const answer = await raw(
          `POST /api/2.0/jobs/run-now HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${origin}\r\n` +
            `Authorization: Bearer ${testToken}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n` +
            `\r\n${body}`,
        );
        assert.equal(answer.status, 403);
        assert.doesNotMatch(answer.text, /access-control-allow/i);
      }
    }
    const preflight = await raw(
      `OPTIONS /api/2.0/jobs/run-now HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
    );
    assert.equal(preflight.status, 403);
    const navigation = await raw(
      `GET /api/2.0/jobs/list HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nSec-Fetch-Site: cross-site\r\nAuthorization: Bearer ${testToken}\r\n\r\n`,
    );
    assert.equal(navigation.status, 403);
    assert.equal(shapes, 20);
    assert.equal((await test.get('/api/2.0/jobs/runs/list')).json.runs.length, 0);
  });

  it('listens on the loopback interface only (P27)', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .filter((address) => address && !address.internal && address.family === 'IPv4');
    for (const address of outside) {
      await assert.rejects(
        new Promise((resolve, reject) =>
          connect(port, address!.address).once('connect', resolve).once('error', reject),
        ),
      );
    }
  });

  it('refuses more than 10 MB, announced or not (P27)', async () => {
    const head = `POST /api/2.0/jobs/create HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${testToken}\r\n`;
    const announced = await raw(`${head}Content-Length: 10485761\r\n\r\n`);
    assert.equal(announced.status, 413);
    for (const mebibytes of [11, 24]) {
      const socket = dial();
      const sent = await new Promise<Error | null | undefined>((resolve) => {
        const body = Buffer.alloc(mebibytes * 1024 * 1024, 'x');
        socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`);
        socket.write(body, resolve);
      });
      assert.equal(sent ?? undefined, undefined, `${mebibytes} MiB can be sent to the end`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      assert.match(answer.toString(), /^HTTP\/1\.1 413 [^]*nothing was done/, 'and who reads only then is told why');
      await once(socket.resume(), 'close');
    }
    const chunked = await new Promise<number>((resolve) => {
      const socket = dial();
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
      let sent = 0;
      const push = (): void => {
        while (sent < 170 && !socket.destroyed) {
          sent += 1;
          if (!socket.write(chunk)) return void socket.once('drain', push);
        }
      };
      socket.once('data', (data: Buffer) => resolve(Number(/ (\d+) /.exec(data.toString())![1])));
      push();
    });
    assert.equal(chunked, 413);
    const fits = await test.post('/api/2.0/jobs/create', {
      name: 'x',
      ...pythonTask,
      padding: 'x'.repeat(10 * 1024 * 1024 - 1000),
    });
    assert.equal(fits.status, 200);
    await test.post('/api/2.0/jobs/delete', { job_id: fits.json.job_id });
  });

  it('answers within a second beside 2,500 silent connections (P27)', async function () {
    this.timeout(120_000);
    const quietInMs = await slowestCall(5);
    const all: Socket[] = [];
    // No more at a time than the system keeps for a program that is slow to accept them.
    for (let batch = 0; batch < 10; batch += 1) {
      const silent = Array.from({ length: 250 }, dial);
      const closed = silent.map((socket) => once(socket.resume(), 'close'));
      await Promise.all(silent.map((socket, index) => Promise.race([once(socket, 'connect'), closed[index]])));
      all.push(...silent);
    }
    const slowest = await slowestCall(5);
    assert.ok(slowest < Math.max(1000, 20 * quietInMs), `${slowest} ms, and ${quietInMs} ms beside nothing`);
    for (const socket of all) socket.destroy();
  });

  it('answers a thousand calls that arrive at once', async function () {
    this.timeout(120_000);
    const count = 1000;
    const headers = { authorization: `Bearer ${testToken}` };
    const script = `const [url, headers] = ${JSON.stringify([`http://127.0.0.1:${port}/api/millrace/health`, headers])};
      Promise.all(Array.from({ length: ${count} }, () => fetch(url, { headers })
      .then(({ status }) => status, (error) => error.cause?.code ?? error.message))).then((all) => console.log(JSON.stringify([...new Set(all)])))`;
    // In a process of its own, so that its connections are all there before the service looks at the first.
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]);
    assert.deepEqual(JSON.parse(stdout), [200]);
  });

  it('closes a connection that sends nothing (P27)', async () => {
    const limits = { strangers: { maxCount: 10, timeoutInMs: 50 } };
    const server = await startServer({ port: 0, token: testToken, handlers: [], logger: silentLogger, limits });
    try {
      await once(connect(server.port, '127.0.0.1').resume(), 'close');
    } finally {
      await server.close();
    }
  });

  it('closes a connection whose body does not come, and an idle one (P27)', async function () {
    this.timeout(120_000);
    const limits = { headersTimeoutInMs: 100, requestTimeoutInMs: 200, keepAliveTimeoutInMs: 100, checkEveryInMs: 20 };
    const handlers = [{ method: 'POST' as const, path: '/known', handle: ({ text }: { text: string }) => ({ text }) }];
    const server = await startServer({ port: 0, token: testToken, handlers, logger: silentLogger, limits });
    try {
      const ask = (text: string): Promise<string> =>
        new Promise((resolve, reject) => {
          const socket = connect(server.port, '127.0.0.1', () => socket.write(text));
          let answer = '';
          socket
            .on('error', reject)
            .on('data', (data: Buffer) => (answer += String(data)))
            .once('close', () => resolve(answer));
        });
      const head = `Host: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${testToken}\r\n`;
      assert.match(await ask(`POST /nothing HTTP/1.1\r\n${head}Content-Length: 10\r\n\r\n{`), /^HTTP\/1\.1 (404|408)/);
      const startAt = performance.now();
      assert.match(await ask(`POST /known HTTP/1.1\r\n${head}Content-Length: 10\r\n\r\n{`), /^HTTP\/1\.1 (400|408)|^$/);
      assert.ok(performance.now() - startAt < 60_000, 'as long as any request may take by default');
      assert.match(await ask(`GET /nothing HTTP/1.1\r\n${head}`), /^HTTP\/1\.1 408 Request Timeout/);
      assert.match(await ask(`GET /nothing HTTP/1.1\r\n${head}\r\n`), /^HTTP\/1\.1 404/);
    } finally {
      await server.close();
    }
  });

  it('takes no more connections than its limit (P27)', async () => {
    const server = await startServer({
      port: 0,
      token: testToken,
      handlers: [],
      logger: silentLogger,
      limits: { maxConnections: 3 },
    });
    try {
      const sockets = Array.from({ length: 10 }, () => connect(server.port, '127.0.0.1').on('error', () => undefined));
      let closed = 0;
      for (const socket of sockets) socket.once('close', () => (closed += 1)).resume();
      await until(
        async () => closed >= 7,
        () => `7 of 10 to be closed; ${closed} are`,
      );
      assert.equal(closed, 7);
      sockets.forEach((socket) => socket.destroy());
    } finally {
      await server.close();
    }
  });

  /** Of so many calls in a row the one that took longest, in ms. */
  async function slowestCall(count: number): Promise<number> {
    let slowest = 0;
    for (let index = 0; index < count; index += 1) {
      const startAt = performance.now();
      assert.equal((await test.get('/api/2.0/jobs/list')).status, 200);
      slowest = Math.max(slowest, performance.now() - startAt);
    }
    return slowest;
  }
});
