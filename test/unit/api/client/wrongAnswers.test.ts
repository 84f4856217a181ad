import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createClient } from '../../../../src/api/client/index.ts';
import { clientOf, rejectionOf } from './exchangeSetup.ts';
import { runOut } from './runOut.ts';

describe('Answer that is whole and wrong', () => {
  it('fails at once with the position of the wrong character', async () => {
    for (const [body, at] of [
      ['{"runs":[],"has_more":NaN}', 23],
      ['{"runs":[{"run_id":1,"run_name":"a\u001bb"}]}', 35],
      ['{"runs":[]} trailing', 13],
      ['{"runs":[],}', 12],
      ["{'runs':[]}", 2],
      ['{"runs":[] // none\n}', 12],
    ] as const) {
      const { client, requests, clock } = clientOf(() => ({ status: 200, body }), { retry: 'wait' });
      const { error } = await runOut(clock, client.jobs.listRuns());
      assert.deepEqual([error?.kind, requests.length], ['protocol', 1], body);
      assert.match(error?.message ?? '', new RegExp(`character ${at}\\b`), body);
    }
  });

  it('is retried only if it was cut', async () => {
    const whole = '{"runs":[{"run_id":1,"run_name":"a\\u0041","start_time":-1.5e3}],"has_more":false}';
    for (let length = 1; length < whole.length; length += 1) {
      const { client, requests, clock } = clientOf(
        (_, count) => ({ status: 200, body: count === 1 ? whole.slice(0, length) : whole }),
        { retry: 'wait' },
      );
      const { error } = await runOut(clock, client.jobs.listRuns());
      assert.deepEqual([error, requests.length], [undefined, 2], whole.slice(0, length));
    }
  });

  it('fails at once if it is not encoded as its header says', async () => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      response.setHeader('content-encoding', request.url?.startsWith('/br') ? 'br' : 'gzip');
      response.end(request.url?.startsWith('/br') ? gzipSync('{"runs":[]}') : '{"runs":[]}');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      for (const base of ['gzip', 'br']) {
        requests = 0;
        const client = createClient({ baseUrl: `http://127.0.0.1:${port}/${base}`, auth: { kind: 'none' } });
        const { kind } = await rejectionOf(client.jobs.listRuns());
        assert.deepEqual([kind, requests], ['protocol', 1], base);
      }
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
