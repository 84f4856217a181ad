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
});
