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

  it('is not believed if it is about another job or run, or has no settings', async () => {
    for (const body of ['{"job_id":8,"settings":{}}', '{"job_id":7}', '{"job_id":7,"settings":null}']) {
      const { client } = clientOf(() => ({ status: 200, body }));
      assert.equal((await rejectionOf(client.jobs.get('7'))).kind, 'protocol', body);
    }
    const { client } = clientOf(() => ({ status: 200, body: '{"run_id":8}' }));
    assert.equal((await rejectionOf(client.jobs.getRun('7'))).kind, 'protocol');
  });

  it('asks to correct a value only if the user wrote one', async () => {
    const body = '{"error_code":"INVALID_PARAMETER_VALUE","message":"No."}';
    const { client } = clientOf(() => ({ status: 400, body }));
    const settings = { name: 'a', existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } };
    assert.match((await rejectionOf(client.jobs.create(settings))).remedy ?? '', /Correct/);
    for (const call of [client.jobs.getRunOutput('1'), client.jobs.list(), client.jobs.cancelRun('1')])
      assert.doesNotMatch((await rejectionOf(call)).remedy ?? '', /Correct/);
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
