import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { startTestService, testToken, type TestService } from '../support/testService.ts';

describe('HTTP', () => {
  let test: TestService;
  let port = 0;
  before(async () => {
    test = await startTestService();
    port = Number(new URL(test.service.url).port);
  });
  after(() => test.close());

  /** Sends bytes as they are and gives all that comes back until the connection closes. */
  function raw(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.setTimeout(60_000, () => socket.destroy(new Error(`No answer to ${text.slice(0, 100)}`)));
      socket
        .setEncoding('utf8')
        .on('data', (chunk: string) => (answer += chunk))
        .on('error', reject)
        .on('close', () => resolve(answer));
    });
  }
  const send = (line: string, headers = '', body = ''): Promise<string> =>
    raw(
      `${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${testToken}\r\nConnection: close\r\n${headers}\r\n${body}`,
    );

  it('answers HEAD as GET, without the body', async () => {
    const answer = await send('HEAD /api/2.0/clusters/list-zones');
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.match(answer, /content-length: 42/);
    assert.ok(answer.endsWith('\r\n\r\n'));
  });

  it('answers on ::1 too, where the machine has it, with the same checks', async function () {
    const look = createServer().listen(0, '::1');
    const hasIpv6 = await once(look, 'listening').then(
      () => true,
      () => false,
    );
    look.close();
    if (!hasIpv6) this.skip();
    const url = `http://[::1]:${port}/api/2.0/clusters/list-zones`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${testToken}`, connection: 'close' } });
    assert.equal(answer.status, 200);
    assert.equal((await fetch(url, { headers: { connection: 'close' } })).status, 401);
    const other = await startTestService();
    const place = `http://[::1]:${new URL(other.service.url).port}/api/millrace/health`;
    assert.equal((await fetch(place, { headers: { connection: 'close' } })).status, 401);
    await other.close();
    await assert.rejects(fetch(place), 'it is closed with the other');
  });

  it('names the methods of a path that another one was sent to', async () => {
    for (const [line, allowed] of [
      ['OPTIONS /api/2.0/jobs/list', 'GET, HEAD'],
      ['PUT /api/2.0/jobs/create', 'POST'],
      ['GET /api/2.0/jobs/run-now', 'POST'],
      ['PATCH /api/2.0/serving-endpoints/guide', 'GET, DELETE, HEAD'],
    ] as const) {
      const answer = await send(line);
      assert.match(answer, /^HTTP\/1\.1 405 /, line);
      assert.ok(answer.includes(`allow: ${allowed}\r\n`), answer);
    }
  });

  it('answers an address that cannot be read, and one with slashes too many', async () => {
    assert.match(await send('GET //'), /^HTTP\/1\.1 404 .*ENDPOINT_NOT_FOUND/s);
    assert.match(await send('GET http://['), /^HTTP\/1\.1 400 .*MALFORMED_REQUEST/s);
    assert.match(await send('GET //api//2.0/clusters/list-zones/'), /^HTTP\/1\.1 200 .*local/s);
    assert.match(await send(`GET http://127.0.0.1:${port}/api/2.0/clusters/list-zones`), /^HTTP\/1\.1 200 /);
  });

  it('says what is wrong with what is no request', async () => {
    assert.match(await raw('hello\r\n\r\n'), /^HTTP\/1\.1 400 .*This is not an HTTP request/s);
    assert.match(await send(`GET /${'a'.repeat(40_000)}`), /^HTTP\/1\.1 431 .*more than 32 KB/s);
  });

  it('refuses a compressed body in words', async () => {
    const answer = await send(
      'POST /api/2.0/jobs/runs/cancel',
      'Content-Encoding: gzip\r\nContent-Length: 2\r\n',
      '{}',
    );
    assert.match(answer, /^HTTP\/1\.1 415 .*without Content-Encoding/s);
  });

  it('keeps a connection for several requests, and takes bodies in chunks', async () => {
    const head = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${testToken}\r\n`;
    const answers = await raw(
      `GET /api/2.0/clusters/list-zones HTTP/1.1\r\n${head}\r\nPOST /api/2.0/jobs/delete HTTP/1.1\r\n` +
        `${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\nd\r\n{"job_id": 9}\r\n0\r\n\r\n`,
    );
    assert.equal(answers.match(/HTTP\/1\.1 200/g)?.length, 2, answers);
  });

  it('survives JSON that is nested too deep, and takes a byte order mark', async () => {
    for (const deep of ['['.repeat(200_000) + ']'.repeat(200_000), '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)]) {
      const reply = await test.post('/api/2.0/jobs/create', `{"name":${deep}}`);
      assert.equal(reply.status, 400);
      assert.match(reply.json.message, /nested/);
    }
    assert.equal(
      (
        await test.post(
          '/api/2.0/jobs/create',
          '\ufeff{"name":"x","existing_cluster_id":"x","spark_python_task":{"python_file":"/a.py"}}',
        )
      ).status,
      200,
    );
  });
});
