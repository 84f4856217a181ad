import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { checkOrigin, createTokenCheck } from '../../../../src/service/http/server.ts';
import { refusalOf } from './refusalOf.ts';

describe('the head of a request', () => {
  it("comes from this machine: Host and port are the service's own, and no page sent it", () => {
    const check = (
      headers: IncomingHttpHeaders,
      own: { protocol: 'http' | 'https'; port: number } = { protocol: 'http', port: 8080 },
    ): void => checkOrigin(headers, own);
    for (const host of ['127.0.0.1:8080', 'localhost:8080', 'LocalHost:8080', '[::1]:8080']) check({ host });
    check({ host: 'localhost' }, { protocol: 'http', port: 80 });
    check({ host: 'localhost' }, { protocol: 'https', port: 443 });
    check({ host: 'localhost:8080', 'sec-fetch-site': 'none' });
    for (const host of [
      undefined,
      '',
      'localhost',
      'localhost:8081',
      'evil.example:8080',
      '127.0.0.2:8080',
      'localhost:8080x',
      '[::1',
      'x localhost:8080',
      'localhost:8080 ',
      'x@localhost:8080',
    ]) {
      const { status, errorCode, message } = refusalOf(() => check({ host }));
      assert.deepEqual([status, errorCode], [403, 'PERMISSION_DENIED'], host);
      assert.match(message, /Send the request to http:\/\/127\.0\.0\.1:8080\./);
    }
    assert.equal(refusalOf(() => check({}, { protocol: 'http', port: 80 })).status, 403);
    for (const headers of [
      { origin: 'null' },
      { origin: 'http://localhost:8080' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      assert.match(
        refusalOf(() => check({ host: 'localhost:8080', ...headers })).message,
        /Requests of web pages are refused/,
      );
    }
  });

  it('carries the token, as Bearer or as the password of Basic', () => {
    const check = createTokenCheck('se:cret');
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    for (const authorization of [
      'Bearer se:cret',
      'bearer  se:cret ',
      basic('token:se:cret'),
      basic('token:se:cret').replace('Basic ', 'basic   '),
    ])
      check({ authorization });
    for (const authorization of [
      'Bearer',
      'Bearer se:cre',
      'Bearer se:cret x',
      'Digest se:cret',
      'x Bearer se:cret',
      `x ${basic('token:se:cret')}`,
      `${basic('token:se:cret')} x`,
      basic('user:se:cret'),
      basic('token:x'),
      basic('token'),
      'se:cret',
      '',
    ]) {
      const { status, errorCode, message } = refusalOf(() => check({ authorization }));
      assert.deepEqual([status, errorCode], [401, 'UNAUTHENTICATED'], authorization);
      assert.match(message, /The token is not the one of this service.*Authorization: Bearer/);
    }
    assert.match(refusalOf(() => check({})).message, /carries no token/);
  });
});
