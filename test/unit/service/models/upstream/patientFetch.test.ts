import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { patientFetch } from '../../../../../src/service/models/upstream/patientFetch.ts';

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
            socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}');
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
    assert.equal((await ask(200)).status, 200);
    await assert.rejects(ask(Infinity), /interim answers without end/);
  });
});
