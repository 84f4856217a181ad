import assert from 'node:assert/strict';
import { createClient, type Fetch } from '../../../../src/api/client/index.ts';
import { responseOf, type Reply } from '../../../support/scriptedFetch.ts';
import { base, clientOf, rejectionOf } from './exchangeSetup.ts';

const settings = { existing_cluster_id: 'c', notebook_task: { notebook_path: '/n' } };

describe('redirects', () => {
  const to =
    (location: string, status = 302): ((request: unknown, count: number) => Reply) =>
    (_request, count) =>
      count === 1 ? { status, headers: { location } } : { status: 200, body: '{"jobs":[],"job_id":1}' };

  for (const status of [301, 302, 303, 307, 308]) {
    it(`${status} is followed on the same origin for what is read`, async () => {
      const { client, requests } = clientOf(to('/other', status));
      assert.deepEqual(await client.jobs.list(), []);
      assert.deepEqual(
        requests.map(({ url, redirect }) => [url, redirect]),
        [
          [`${base}/api/2.0/jobs/list`, 'manual'],
          [`${base}/other`, 'manual'],
        ],
      );
      assert.equal(requests[1]?.headers['authorization'], 'Bearer token-of-the-test');
    });
    it(`${status} ${status > 303 ? 'is followed with the content' : 'would drop the content of a change, and is not followed'}`, async () => {
      const { client, requests } = clientOf(to('/other', status));
      if (status > 303) {
        await client.jobs.create(settings);
        assert.deepEqual(
          requests.map(({ body }) => body),
          [JSON.stringify(settings), JSON.stringify(settings)],
        );
      } else
        assert.match(
          (await rejectionOf(client.jobs.create(settings))).message,
          /in a way that would drop the request's content\. That was not followed\. The job was not created\./,
        );
    });
  }

  for (const [location, words] of [
    ['https://other.example/x', /redirects to another place, https:\/\/other\.example \(HTTP 302\)/],
    ['http://service.example/x', /redirects to another place, http:\/\/service\.example/],
    ['https://service.example:8443/x', /redirects to another place/],
    ['https://u:p@service.example/x', /an address with credentials in it/],
    ['https://:p@service.example/x', /an address with credentials in it/],
    ['https://u@service.example/x', /an address with credentials in it/],
  ] as const) {
    it(`to ${location} are not followed`, async () => {
      const { client, requests } = clientOf(to(location));
      const { kind, message, status } = await rejectionOf(client.jobs.list());
      assert.deepEqual([kind, status, requests.length], ['protocol', 302, 1]);
      assert.match(message, words);
      assert.match(message, /The jobs were not read\.$/);
    });
  }

  it('are followed five times and no more', async () => {
    const { client, requests } = clientOf((_request, count) =>
      count <= 5 ? { status: 307, headers: { location: `/${count}` } } : { status: 200, body: '{"jobs":[]}' },
    );
    await client.jobs.list();
    assert.equal(requests.length, 6);
    const endless = clientOf((_request, count) => ({ status: 307, headers: { location: `/${count}` } }));
    assert.match((await rejectionOf(endless.client.jobs.list())).message, /in a circle \(5 times\)/);
    assert.equal(endless.requests.length, 6);
  });

  it('that are not followed leave no connection open', async () => {
    const { client, requests } = clientOf(to('https://other.example/x'));
    await rejectionOf(client.jobs.list());
    assert.equal(requests[0]?.signal.aborted, true);
  });

  it('to nowhere are failures of their own', async () => {
    const { client } = clientOf(() => ({ status: 302 }));
    assert.deepEqual((({ kind, status }) => [kind, status])(await rejectionOf(client.jobs.list())), ['protocol', 302]);
  });

  it('leave no body open', async () => {
    let closed = 0;
    const fetch: Fetch = (url) => {
      const response = responseOf(url.endsWith('/x') ? 200 : 307, '{"jobs":[]}', { location: '/x' });
      if (url.endsWith('/x')) return Promise.resolve(response);
      const body = {
        [Symbol.asyncIterator]: () => ({
          next: () => Promise.resolve({ value: undefined, done: true as const }),
          return: () => Promise.resolve({ value: void closed++, done: true as const }),
        }),
      };
      return Promise.resolve({ ...response, body });
    };
    await createClient({ baseUrl: base, auth: { kind: 'none' }, fetch }).jobs.list();
    assert.equal(closed, 1);
  });
});
