import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, Socket, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { eventually } from '../../../support/eventually.ts';
import '../../../support/editorStandIn/editorStandIn.ts';
import { selfSigned } from '../../service/support/selfSigned.ts';

const { probeNetwork } = await import('../../../../src/connection/host/networkProbe.ts');

describe('the way to an address', () => {
  const servers: Server[] = [];
  after(() => servers.forEach((server) => server.close()));

  async function listening(server: Server): Promise<number> {
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
  const probe = async (url: string): Promise<string[]> =>
    (await probeNetwork(url)).map(({ name, ok, outcome, durationInMs = -1 }) => {
      assert.ok(durationInMs >= 0 && durationInMs < 10_000);
      return `${name}: ${ok ? 'yes' : 'no'}: ${outcome}`;
    });

  it('is looked at step by step', async () => {
    const port = await listening(createServer());
    assert.deepEqual(await probe(`http://127.0.0.1:${port}/x`), [
      'DNS, the name 127.0.0.1: yes: 127.0.0.1',
      `TCP, port ${port}: yes: connected to 127.0.0.1:${port}`,
    ]);
  });

  it('leaves no connection open', async () => {
    const ended: Promise<unknown>[] = [];
    const port = await listening(
      createServer((socket) => {
        socket.on('error', () => undefined);
        ended.push(once(socket.resume(), 'close'));
      }),
    );
    await probe(`https://127.0.0.1:${port}`.replace('https', 'http'));
    for (let turn = 0; turn < 200 && ended.length === 0; turn += 1)
      await new Promise((resolve) => setTimeout(resolve, 1));
    assert.equal(ended.length, 1);
    const late = new Promise((_resolve, reject) => setTimeout(() => reject(new Error('still open')), 2000).unref());
    await Promise.race([Promise.all(ended), late]);
  });

  it('ends at the step that fails', async () => {
    const server = createServer();
    const port = await listening(server);
    servers.pop()?.close();
    await once(server, 'close');
    const [dns, tcp, more] = await probe(`https://127.0.0.1:${port}`);
    assert.equal(dns, 'DNS, the name 127.0.0.1: yes: 127.0.0.1');
    assert.match(tcp ?? '', new RegExp(`^TCP, port ${port}: no: .*ECONNREFUSED`));
    assert.equal((tcp ?? '').match(/ECONNREFUSED/g)?.length, 1);
    assert.equal(more, undefined);
    const [name, further] = await probe('http://nowhere.invalid');
    assert.match(name ?? '', /^DNS, the name nowhere\.invalid: no: .*(?:ENOTFOUND|EAI_AGAIN)/);
    assert.equal(further, undefined);
  });

  it('tells of a certificate that is not accepted, and whose it is', async () => {
    const { cert, key } = selfSigned();
    const port = await listening(createTlsServer({ cert, key }));
    const [, , tls] = await probe(`https://127.0.0.1:${port}`);
    assert.match(tls ?? '', /^TLS: no: TLSv1\.\d, certificate of .+ from .+, valid to .+; not accepted: /);
  });

  it('says where it ends before anything is encrypted', async () => {
    const port = await listening(createServer((socket) => socket.destroy()));
    const [, , tls] = await probe(`https://127.0.0.1:${port}`);
    assert.match(tls ?? '', /^TLS: no: .*(?:ECONNRESET|disconnected|socket)/i);
  });

  it('has the usual ports where the address names none', async () => {
    assert.match((await probe('http://127.0.0.1'))[1] ?? '', /^TCP, port 80: /);
    assert.match((await probe('https://127.0.0.1'))[1] ?? '', /^TCP, port 443: /);
    assert.match((await probe('http://[::1]:1'))[0] ?? '', /^DNS, the name ::1: /);
  });

  it('gives a server that is silent ten seconds, and says so', async () => {
    const port = await listening(createServer((socket) => void socket.on('error', () => undefined)));
    const { setTimeout: limited } = Socket.prototype;
    const limits: unknown[] = [];
    const closed: boolean[] = [];
    Socket.prototype.setTimeout = function setTimeout(this: Socket, limitInMs: number, passed?: () => void) {
      limits.push(limitInMs);
      // Of the steps only the one of encryption gets no answer.
      if (this instanceof TLSSocket)
        this.once('connect', () => {
          this.once('close', () => closed.push(true));
          passed?.();
        });
      return this;
    };
    try {
      const [, tcp, tls] = await probe(`https://127.0.0.1:${port}`);
      assert.deepEqual(
        [tcp, tls],
        [`TCP, port ${port}: yes: connected to 127.0.0.1:${port}`, 'TLS: no: no answer within 10 s'],
      );
      assert.deepEqual(limits, [10_000, 10_000]);
      await eventually(() => assert.deepEqual(closed, [true]));
    } finally {
      Socket.prototype.setTimeout = limited;
    }
  });
});
