import assert from 'node:assert/strict';
import { startTestService, testToken, type TestService } from '../support/testService.ts';

describe('endpoints of models over HTTP', () => {
  let test: TestService;
  before(async () => (test = await startTestService()));
  after(() => test.close());

  const remove = (name: string): Promise<Response> =>
    fetch(`${test.service.url}/api/2.0/serving-endpoints/${name}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${testToken}`, connection: 'close' },
    });

  it('that are deleted are gone when that is answered, and what cannot be deleted is told', async () => {
    for (const [name, status, code] of [
      ['none', 404, 'RESOURCE_DOES_NOT_EXIST'],
      ['guide', 400, 'INVALID_PARAMETER_VALUE'],
    ] as const) {
      const refused = await remove(name);
      assert.deepEqual([refused.status, ((await refused.json()) as { error_code: string }).error_code], [status, code]);
      assert.equal((await test.get('/api/2.0/serving-endpoints/guide')).status, 200);
    }
  });

  it('take no more values in a request than anybody needs', async () => {
    const messages = Array.from({ length: 12_000 }, () => 1);
    const refused = await test.post('/serving-endpoints/guide/invocations', { messages });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /more than a request to a model may hold\. Nothing was done\./);
  });

  it('take nothing that is nested deeper than anybody needs', async () => {
    const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    for (const [depth, words] of [
      [100, /messages/],
      [101, /more than a request to a model may hold/],
    ] as const) {
      const refused = await test.post('/serving-endpoints/guide/invocations', nested(depth));
      assert.equal(refused.status, 400);
      assert.match(refused.text, words, `${depth} levels`);
    }
  });

  it('are listed, created and asked by either route, and errors are told as each route tells them', async () => {
    const names = async (): Promise<string[]> =>
      (await test.get('/api/2.0/serving-endpoints')).json.endpoints.map(({ name }: { name: string }) => name);
    assert.ok((await names()).includes('guide'));
    const created = await test.post('/api/2.0/serving-endpoints', {
      name: 'mine',
      config: { served_entities: [{ entity_name: 'guide' }] },
    });
    assert.deepEqual([created.status, created.json.name, (await names()).includes('mine')], [200, 'mine', true]);
    assert.equal((await test.get('/api/2.0/serving-endpoints/mine')).json.name, 'mine');
    const messages = [{ role: 'user', content: 'What is max_retries?' }];
    for (const reply of [
      await test.post('/serving-endpoints/mine/invocations', { messages }),
      await test.post('/serving-endpoints/chat/completions', { model: 'mine', messages }),
    ])
      assert.match(reply.json.choices[0].message.content, /max_retries/);
    const embedded = await test.post('/serving-endpoints/embeddings', { model: 'guide-embedding', input: 'a' });
    assert.ok(embedded.json.data[0].embedding.length > 0);
    assert.equal('error' in (await test.post('/serving-endpoints/none/invocations', { messages })).json, false);
    assert.equal('error' in (await test.post('/serving-endpoints/chat/completions', { messages })).json, true);
    await remove('mine');
    assert.equal((await test.get('/api/2.0/serving-endpoints/mine')).status, 404);
  });
});
