import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { patientFetch } from '../../../../../src/service/models/upstream/patientFetch.ts';
import { startHttpServer, type Handler } from '../../../../support/httpServer.ts';

describe('the fetch that model servers are reached with', () => {
  async function ask(interim: number): Promise<Response> {
    const server = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          let sent = 0;
          const send = (): void => {
            while (sent < interim) {
              sent += 1;
              if (!socket.write('HTTP/1.1 102 Processing\r\n\r\n')) return void socket.once('drain', send);
            }
            // By itself, so that what came before it has been read.
            setTimeout(() => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}'), 20);
          };
          send();
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      return await patientFetch(url, {
        method: 'GET',
        headers: {},
        signal: AbortSignal.timeout(20_000),
        redirect: 'manual',
      });
    } finally {
      server.close();
    }
  }

  it('takes interim answers, and not without end', async () => {
    assert.equal((await ask(1000)).status, 200);
    for (const interim of [1001, Infinity]) await assert.rejects(ask(interim), /interim answers without end/);
  });

  const send = async (handler: Handler, options: object = {}): Promise<{ response: Response; text: string }> => {
    const server = await startHttpServer(handler);
    try {
      const response = await patientFetch(`${server.url}/v1/x?y=1`, {
        method: 'POST',
        headers: { 'x-own': 'a' },
        signal: AbortSignal.timeout(20_000),
        redirect: 'manual',
        ...options,
      });
      // It is read as long as the server is there.
      return { response, text: await response.text() };
    } finally {
      await server.close();
    }
  };

  it('sends what it is given, with the length of the body in bytes', async () => {
    const asked: unknown[] = [];
    const note: Handler = ({ method, url, headers, body }, response) => {
      asked.push([method, url, headers['x-own'], headers['content-length'], headers['transfer-encoding'], body]);
      response.end('ok');
    };
    await send(note, { body: '{"a":"ü"}' });
    await send(note, { method: 'GET' });
    assert.deepEqual(asked, [
      ['POST', '/v1/x?y=1', 'a', '10', undefined, '{"a":"ü"}'],
      ['GET', '/v1/x?y=1', 'a', undefined, undefined, ''],
    ]);
  });

  it('gives the status, headers and body of the answer, and follows no redirect', async () => {
    const { response, text } = await send((_request, answer) => {
      answer.writeHead(302, 'Look There', { location: '/other', 'set-cookie': ['a=1', 'b=2'], 'x-more': 'yes' });
      answer.end('ünder');
    });
    const { status, statusText, headers } = response;
    assert.deepEqual(
      [status, statusText, headers.get('location'), headers.get('set-cookie'), headers.get('x-more')],
      [302, 'Look There', '/other', 'a=1, b=2', 'yes'],
    );
    assert.equal(text, 'ünder');
  });

  for (const status of [204, 205, 304])
    it(`gives an answer without a body for ${status}`, async () => {
      const { response } = await send((_request, answer) => void answer.writeHead(status).end());
      assert.deepEqual([response.status, response.body], [status, null]);
    });

  it('speaks TLS to an address that says so, and to no other', async () => {
    const firstBytes: number[] = [];
    const server = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .once('data', (bytes: Buffer) => {
          firstBytes.push(bytes[0] ?? 0);
          socket.destroy();
        }),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const url of [`https://127.0.0.1:${port}/`, `http://127.0.0.1:${port}/https:`])
      await assert.rejects(
        patientFetch(url, { method: 'GET', headers: {}, signal: AbortSignal.timeout(20_000), redirect: 'manual' }),
      );
    server.close();
    // The first byte of a handshake, and that of GET.
    assert.deepEqual(firstBytes, [0x16, 0x47]);
  });

  it('ends as soon as nobody wants the answer, and fails where nobody is there', async () => {
    const controller = new AbortController();
    await assert.rejects(
      send(() => controller.abort(), { signal: controller.signal }),
      { name: 'AbortError' },
    );
    await assert.rejects(
      patientFetch('http://127.0.0.1:9/', {
        method: 'GET',
        headers: {},
        signal: AbortSignal.timeout(20_000),
        redirect: 'manual',
      }),
      /ECONNREFUSED/,
    );
  });

  it('leaves each connection with its request', async () => {
    let open = 0;
    const server = await startHttpServer((_request, response) => void response.end('ok'));
    try {
      for (let time = 0; time < 2; time += 1) {
        const response = await patientFetch(server.url, {
          method: 'GET',
          headers: {},
          signal: AbortSignal.timeout(20_000),
          redirect: 'manual',
        });
        await response.text();
        open += server.requests.filter(({ headers }) => headers.connection === 'close').length;
      }
      assert.equal(open, 3);
    } finally {
      await server.close();
    }
  });
});
