import assert from 'node:assert/strict';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { createClient } from '../../../src/api/client/index.ts';
import { checkConnection } from '../../../src/connection/checkConnection.ts';
import { nodeFetch } from '../../../src/connection/host/nodeFetch.ts';
import { type CertificateOptions, selfSigned } from '../service/support/selfSigned.ts';
import { workspace } from './testServer.ts';

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

  it('is accepted where its authority is known', async () => {
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
      /^TLS: the certificate of 127\.0\.0\.1:\d+ is made for another name/,
    ],
    [
      'signed by itself',
      {},
      false,
      /^TLS: .* an authority that this machine does not know \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    ],
    [
      'signed by an unknown authority',
      { issuer: 'Nobody knows me' },
      false,
      /^TLS: .* an authority that this machine does not know \(UNABLE_TO_/,
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
