import assert from 'node:assert/strict';
import { connectionProblem } from '../../../src/connection/connectionProblem.ts';
import { AppError, type ErrorKind } from '../../../src/shared/errors.ts';
import { assertApproved } from '../../support/approved.ts';

const https = 'https://host.example.com/path//';

/** An error of the system, two causes down. */
const below = (kind: ErrorKind, code: string | undefined, more: object = {}, text = 'said'): AppError =>
  new AppError(kind, `Failed: ${kind}.`, {
    remedy: 'Try it.',
    cause: new TypeError('fetch failed', {
      cause: Object.assign(new Error(text), code === undefined ? {} : { code }, more),
    }),
  });
const answered = (kind: ErrorKind, status?: number, errorCode?: string): AppError =>
  new AppError(kind, `Failed: ${kind}.`, { remedy: 'Try it.', status, errorCode });

const codes = [
  ...['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'],
  ...['HPE_INVALID_CONSTANT', 'EOTHER', undefined],
];
const certificates = [
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_REVOKED', 'EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', undefined],
];
const cases: [title: string, error: AppError, url?: string][] = [
  ...codes.map((code): [string, AppError] => [`${code}`, below('network', code)]),
  ...certificates.map((code): [string, AppError] => [`TLS ${code}`, below('tls', code)]),
  ['time-out', below('timeout', 'ETIMEDOUT')],
  ...(
    [
      [443, https],
      [3128, https],
      [80, 'http://host.example.com'],
      [443, 'http://host.example.com'],
      [8443, 'https://host.example.com:8443'],
      [443, 'https://host.example.com:8443'],
    ] as const
  ).map(([port, url]): [string, AppError, string] => [
    `refused at ${port}, ${url}`,
    below('network', 'ECONNREFUSED', { port, address: '10.0.0.9' }),
    url,
  ]),
  ['proxy 407', below('network', undefined, {}, 'Proxy response (407) !== 200')],
  ['proxy auth', below('network', undefined, {}, 'Proxy Authentication Required')],
  ['407 alone', below('network', undefined, {}, 'status 407')],
  ['tunnel', below('network', undefined, {}, 'tunneling socket could not be established')],
  ...(
    [
      ['unauthenticated', 401],
      ['unauthenticated', undefined],
      ['forbidden', 403, 'PERMISSION_DENIED'],
      ['forbidden', 403],
      ['notFound', 404],
      ['rejected', 400],
      ['rejected', 407],
      ['rejected', 409],
      ['protocol', 200],
      ['protocol', 299],
      ['protocol', 300],
      ['protocol', 399],
      ['protocol', 400],
      ['cutOff', undefined],
      ['tooLarge', undefined],
      ['rateLimited', 429],
      ['server', 500],
      ['server', 502],
      ['server', 503],
      ['server', 504],
      ['server', undefined],
      ['internal', undefined],
    ] as const
  ).map(([kind, status, code]): [string, AppError] => [
    `${kind} ${status ?? ''} ${code ?? ''}`.trim(),
    answered(kind, status, code),
  ]),
  ['no address', answered('notFound', 404), 'no address'],
];

describe('what is wrong with a connection', () => {
  it('is said as it was approved, each failure with its next step', () => {
    const told = cases.map(([title, error, url = https]) => {
      const { place, message } = connectionProblem(error, url);
      return `${title}\n  ${place}: ${message}\n`;
    });
    assertApproved('connection-failures', told.join(''));
  });

  it('tells a dead proxy from a dead server', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.9:3128'), {
      code: 'ECONNREFUSED',
      address: '10.0.0.9',
      port: 3128,
    });
    const error = new AppError('network', 'x', { cause: new TypeError('fetch failed', { cause: refused }) });
    assert.match(
      connectionProblem(error, 'https://host.example.com').message,
      /^Proxy: nothing answers at the proxy 10\.0\.0\.9:3128/,
    );
  });

  it('says that a proxy asks for credentials', () => {
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

  for (const [code, words] of [
    ['CERT_HAS_EXPIRED', /expired/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /another name/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /authority/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /authority/],
  ] as const) {
    it(`names what is wrong with a certificate: ${code}`, () => {
      const error = new AppError('tls', 'x', { cause: Object.assign(new Error('x'), { code }) });
      const { place, message } = connectionProblem(error, 'https://host.example.com');
      assert.equal(place, 'address');
      assert.match(message, /^TLS: /);
      assert.match(message, words);
    });
  }
});
