import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ApiError } from '../../../../src/service/base/apiError.ts';
import { checkDeclared } from '../../../../src/service/http/body.ts';
import { checkOrigin, createTokenCheck } from '../../../../src/service/http/guard.ts';
import type { RouteHandler } from '../../../../src/service/http/handler.ts';
import { createHttpRouter } from '../../../../src/service/http/router.ts';
import { parseObject, queryFields, shortenedValue } from '../../../../src/service/http/validateRequest.ts';

function refusalOf(body: () => unknown): ApiError {
  try {
    body();
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error;
  }
  assert.fail('it was not refused');
}

describe('the parts of a request', () => {
  it("come from this machine: Host and port are the service's own, and no page sent it", () => {
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

  it('carry the token, as Bearer or as the password of Basic', () => {
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

  it('are no larger than 10 MB and not compressed', () => {
    const check = (headers: IncomingHttpHeaders): void => checkDeclared({ headers } as IncomingMessage);
    check({});
    check({ 'content-length': String(10 * 1024 * 1024), 'content-encoding': 'identity' });
    const large = refusalOf(() => check({ 'content-length': String(10 * 1024 * 1024 + 1) }));
    assert.deepEqual([large.status, large.errorCode], [413, 'MAX_REQUEST_SIZE_EXCEEDED']);
    assert.match(large.message, /nothing was done\. Pass large values through files\./);
    const packed = refusalOf(() => check({ 'content-encoding': 'gzip' }));
    assert.deepEqual([packed.status, packed.errorCode], [415, 'MALFORMED_REQUEST']);
    assert.match(packed.message, /encoded with gzip.*Send it without Content-Encoding\./);
  });

  it('are read from the address: truth values, whole numbers for pages, ids as they are', () => {
    const query = 'a=true&b=FALSE&c=untrue&d=falsely&limit=25&offset=-1&job_id=007&x=&__proto__=1&run_id=12';
    assert.deepEqual(queryFields(new URLSearchParams(query)), {
      a: true,
      b: false,
      c: 'untrue',
      d: 'falsely',
      limit: 25,
      offset: -1,
      job_id: '007',
      run_id: '12',
    });
    assert.deepEqual(queryFields(new URLSearchParams('limit=1e3&offset=9999999999')), {
      limit: '1e3',
      offset: '9999999999',
    });
    assert.deepEqual(
      [shortenedValue('x'.repeat(100)), shortenedValue('x'.repeat(101))],
      ['x'.repeat(100), `${'x'.repeat(100)}…`],
    );
  });

  it('are one JSON object of not too many parts', async () => {
    assert.deepEqual(
      [await parseObject(''), await parseObject(' \n'), await parseObject('{"a":[1]}')],
      [{}, {}, { a: [1] }],
    );
    const list = (length: number): string => JSON.stringify({ a: Array.from({ length }, () => 1) });
    const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    await parseObject(list(9999));
    await parseObject(`{"a":[${'[[]],{"b":{}},'.repeat(1000)}0]}`);
    await parseObject(
      `{${Array.from({ length: 9000 }, (_, index) => `"k${index}" : ${'0123456789'.repeat(10)}`.replace(': 0', ': 9')).join(',')}}`,
    );
    await parseObject(nested(100));
    await parseObject(`{"a":${'1'.repeat(100)},"b":"${'[,'.repeat(20_000)}"}`);
    const refused: [text: string, code: string, words: RegExp][] = [
      ['{', 'MALFORMED_REQUEST', /is not JSON: .* Nothing was done\./],
      ['[]', 'MALFORMED_REQUEST', /is not a JSON object/],
      ['null', 'MALFORMED_REQUEST', /is not a JSON object/],
      [`{"a":${'9'.repeat(101)}}`, 'INVALID_PARAMETER_VALUE', /more than 100 digits/],
      [`{"a":${'0'.repeat(101)}}`, 'INVALID_PARAMETER_VALUE', /more than 100 digits/],
      [`{"a":1${']'.repeat(200)}${'['.repeat(20_000)}`, 'MALFORMED_REQUEST', /is not JSON/],
      [`{"a":${'x'.repeat(200_001)}${'['.repeat(20_000)}`, 'MALFORMED_REQUEST', /is not JSON/],
      ['"a"', 'MALFORMED_REQUEST', /is not a JSON object/],
      [list(10_000), 'INVALID_PARAMETER_VALUE', /more than 10,000 values.*Pass long lists through a file/],
      [nested(101), 'INVALID_PARAMETER_VALUE', /nested more than 100 levels deep/],
      [`{"a":${'1'.repeat(101)}}`, 'INVALID_PARAMETER_VALUE', /more than 100 digits.*Send it as text/],
    ];
    for (const [text, code, words] of refused) {
      const { status, errorCode, message } = await parseObject(text).then(
        () => assert.fail(text.slice(0, 20)),
        (error: unknown) => error as ApiError,
      );
      assert.deepEqual([status, errorCode], [400, code], text.slice(0, 20));
      assert.match(message, words);
    }
  });
});

describe('the way to a handler', () => {
  const at = (method: RouteHandler['method'], path: string, isOpen?: boolean): RouteHandler => ({
    method,
    path,
    isOpen,
    handle: () => undefined,
  });
  const handlers = [
    at('GET', '/api/2.0/jobs/list'),
    at('POST', '/api/2.0/jobs/create'),
    at('GET', '/e/{name}'),
    at('DELETE', '/e/{name}'),
    at('GET', '/e/fixed'),
    at('GET', '/page/{id}/{key}', true),
    at('GET', '/'),
  ];
  const router = createHttpRouter(handlers);
  const found = (method: string, path: string): unknown => {
    const { handler, path: parameters } = router.match(method, path);
    return [handlers.indexOf(handler), parameters];
  };

  it('is its path and method, with parameters decoded and fixed paths first', () => {
    assert.deepEqual(
      [
        found('GET', '/api/2.0/jobs/list'),
        found('HEAD', '/api/2.0/jobs/list'),
        found('GET', '/api/2.0/jobs/list//'),
        found('GET', '/'),
      ],
      [
        [0, {}],
        [0, {}],
        [0, {}],
        [6, {}],
      ],
    );
    assert.deepEqual(
      [found('GET', '/e/a%2Fb%20c'), found('DELETE', '/e/x'), found('GET', '/e/fixed'), found('DELETE', '/e/fixed')],
      [
        [2, { name: 'a/b c' }],
        [3, { name: 'x' }],
        [4, {}],
        [3, { name: 'fixed' }],
      ],
    );
  });

  it('is told where the method is another one', () => {
    const { status, errorCode, message, allowedMethods } = refusalOf(() => router.match('POST', '/e/x'));
    assert.deepEqual([status, errorCode, allowedMethods], [405, 'METHOD_NOT_ALLOWED', ['GET', 'DELETE', 'HEAD']]);
    assert.match(message, /It takes GET and DELETE and HEAD\./);
    assert.deepEqual(refusalOf(() => router.match('GET', '/api/2.0/jobs/create')).allowedMethods, ['POST']);
  });

  it('is told where there is none, with what may be meant', () => {
    const cases: [path: string, words: RegExp][] = [
      ['/api/2.0/jobs/lists', /Did you mean \/api\/2\.0\/jobs\/list\?/],
      ['/api/2.1/jobs/list', /speaks version 2\.0; 2\.1 is not there\. Set the client to version 2\.0/],
      ['/api/2.10/jobs/list', /2\.10 is not there\. .* speaks 2\.0, or call \/api\/2\.0\/jobs\/list\.$/],
      ['/api/2.1/jobs/none', /use a release of it that speaks 2\.0\.$/],
      ['/v1/models', /The models are listed by \/api\/2\.0\/serving-endpoints\.$/],
      ['/v1/responses', /Below \/serving-endpoints\/ are chat\/completions.* Set the client to chat completions\.$/],
      ['/v1/embeddings', /Did you mean \/serving-endpoints\/embeddings\? Set the client's base address/],
      ['/api/2.0/models', /Of \/api\/2\.0\/ this service has jobs/],
      ['/api/2.0/dbfs/put', /Files are not uploaded to this service/],
      ['/api/2.1/workspace/import', /Files are not uploaded to this service/],
      ['/api/2.0/secrets/scopes/none', /Of \/api\/2\.0\/ this service has jobs/],
      ['/qqqqqqqqqqqqqqq', /Check the path/],
      ['/e/%zz', /nothing was done/],
      ['/e/', /nothing was done/],
      [`/${'x'.repeat(300)}`, /^There is no \/x{199}…; /],
      [`/${'x'.repeat(200)}`, /^There is no \/x{199}…; /],
      [`/${'x'.repeat(199)}`, /^There is no \/x{199}; /],
      ['/x/api/2.1/zzzzzzzz/qqqqqqqq', /Check the path/],
    ];
    for (const [path, words] of cases) {
      const { status, errorCode, message } = refusalOf(() => router.match('GET', path));
      assert.deepEqual([status, errorCode], [404, 'ENDPOINT_NOT_FOUND'], path);
      assert.match(message, words);
    }
  });

  it('is open for pages only', () => {
    assert.deepEqual(router.matchOpen('GET', '/page/1/k')?.path, { id: '1', key: 'k' });
    assert.equal(router.matchOpen('HEAD', '/page/1/k')?.handler, handlers[5]);
    for (const [method, path] of [
      ['POST', '/page/1/k'],
      ['GET', '/page/1'],
      ['GET', '/page//k'],
      ['GET', '/page/1/'],
      ['GET', '/page/1/%zz'],
      ['GET', '/api/2.0/jobs/list'],
      ['GET', '/nowhere'],
    ] as const)
      assert.equal(router.matchOpen(method, path), undefined);
  });
});
