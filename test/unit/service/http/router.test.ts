import assert from 'node:assert/strict';
import type { RouteHandler } from '../../../../src/service/http/handler.ts';
import { createHttpRouter } from '../../../../src/service/http/router.ts';
import { refusalOf } from './refusalOf.ts';

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
    for (const path of ['/api/2.0/jobs/create', '/api/2.0/jobs/create/'])
      assert.deepEqual(refusalOf(() => router.match('GET', path)).allowedMethods, ['POST'], path);
  });

  it('is told where there is none, with what may be meant', () => {
    const cases: [path: string, words: RegExp][] = [
      ['/api/2.0/jobs/lists', /Did you mean \/api\/2\.0\/jobs\/list\?/],
      ['/api/2.0/jobs/creates', /Did you mean \/api\/2\.0\/jobs\/create\?/],
      ['/e/a/b', /Check the path/],
      ['/api/2.1/jobs/list', /speaks version 2\.0; 2\.1 is not there\. Set the client to version 2\.0/],
      ['/api/2.10/jobs/list', /2\.10 is not there\. .* speaks 2\.0, or call \/api\/2\.0\/jobs\/list\.$/],
      ['/api/2.1/jobs/none', /use a release of it that speaks 2\.0\.$/],
      ['/v1/models', /The models are listed by \/api\/2\.0\/serving-endpoints\.$/],
      ['/v1/moderations', /Below \/serving-endpoints\/ are .* Set the client to chat completions\.$/],
      ['/v1/responses', /Below \/serving-endpoints\/ are chat\/completions.* Set the client to chat completions\.$/],
      ['/v1/embeddings', /Did you mean \/serving-endpoints\/embeddings\? Set the client's base address/],
      ['/v1/completions', /Did you mean \/serving-endpoints\/completions\? Set the client's base address/],
      ['/v1/chat/completions', /Did you mean \/serving-endpoints\/chat\/completions\? Set the client's base address/],
      ['/v1/chat/completions/', /Did you mean \/serving-endpoints\/chat\/completions\?/],
      ['/api/2.1/jobs/list/', /speaks 2\.0, or call \/api\/2\.0\/jobs\/list\.$/],
      ['/api/2.0/jobs/lists/', /Did you mean \/api\/2\.0\/jobs\/list\?/],
      ['/api/2.0/models', /Of \/api\/2\.0\/ this service has jobs/],
      ['/api/2.0/dbfs/put', /Files are not uploaded to this service/],
      ['/api/2.1/workspace/import', /Files are not uploaded to this service/],
      ['/api/2.0/secrets/scopes/none', /Of \/api\/2\.0\/ this service has jobs/],
      ['/qqqqqqqqqqqqqqq', /Check the path/],
      ['/e/%zz', /nothing was done/],
      ['/e/', /nothing was done/],
      ['/ex/a', /nothing was done/],
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
