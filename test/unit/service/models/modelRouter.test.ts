import assert from 'node:assert/strict';
import { createModelRouter } from '../../../../src/service/models/modelRouter.ts';
import type { WireChat } from '../../../../src/service/models/wire.ts';
import { silentLogger } from '../../../../src/shared/log.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { answerJson, startHttpServer, type TestServer } from '../../../support/httpServer.ts';
import { bodyOf, refusal } from './support.ts';

const messages = [{ role: 'user', content: 'What is max_retries?' }];

describe('the endpoint of a request', () => {
  let server: TestServer;
  let errors: string[];
  let isThere = true;
  before(async () => {
    server = await startHttpServer((_request, response) =>
      answerJson(
        response,
        JSON.stringify({ object: 'list', data: !isThere ? [] : [{ id: 'm', object: 'model', owned_by: 'vllm' }] }),
      ),
    );
  });
  beforeEach(() => {
    server.requests.length = 0;
    errors = [];
  });
  after(() => server.close());
  const router = (more: object = {}) =>
    createModelRouter({
      discover: false,
      upstreams: [{ name: 'up', kind: 'vllm', baseUrl: `${server.url}/v1` }],
      logger: { ...silentLogger, error: (text: string) => void errors.push(text) },
      ...more,
    });

  it('is a built-in one without anybody else being asked', async () => {
    const answer = bodyOf<WireChat>(await router().invoke('guide', { messages }));
    assert.match(answer.choices[0]?.message.content ?? '', /max_retries/);
    assert.equal((await router().get('guide')).name, 'guide');
    const routed = bodyOf<{ data: unknown[] }>(
      await router().openAi('embeddings', { model: 'guide-embedding', input: 'a' }),
    );
    assert.equal(routed.data.length, 1);
    assert.equal(server.requests.length, 0);
  });

  it('is the one of the right task where another is named in the way of another API', async () => {
    const routed = bodyOf<{ data: unknown[] }>(
      await router().openAi('embeddings', { model: 'guide', input: ['a', 'b'] }),
    );
    assert.equal(routed.data.length, 2);
    assert.match(
      (await refusal(router().openAi('embeddings', { model: 'none', input: 'a' }))).message,
      /"none" does not exist/,
    );
  });

  it('is searched for once where it is not known, and is told with those that there are', async () => {
    const refused = await refusal(router().invoke('none', { messages }));
    assert.deepEqual([refused.status, refused.errorCode], [404, 'RESOURCE_DOES_NOT_EXIST']);
    assert.match(refused.message, /"none" does not exist\. Use one of guide, guide-completion, guide-embedding/);
    assert.ok(server.requests.length > 0);
  });

  it('answers again as soon as the model that it serves is back', async () => {
    const clock = new FakeClock();
    const models = router({ clock, upstreams: [{ name: 'up', kind: 'ollama', baseUrl: `${server.url}/v1` }] });
    await models.create({ name: 'mine', config: { served_entities: [{ entity_name: 'm' }] } });
    assert.equal((await models.get('mine')).state?.ready, 'READY');
    isThere = false;
    await clock.advance(60_000);
    const state = async (): Promise<unknown> => (await models.list()).find(({ name }) => name === 'mine')?.state?.ready;
    assert.equal(await state(), 'NOT_READY');
    isThere = true;
    await clock.advance(60_000);
    assert.equal((await models.get('mine')).state?.ready, 'READY');
  });

  it('is deleted only where it was created, and what is there is told', async () => {
    const models = router();
    assert.match(
      (await refusal(models.delete('guide'))).message,
      /"guide" was not created through the API and cannot be deleted\./,
    );
    await models.create({ name: 'mine' });
    assert.match((await refusal(models.delete('none'))).message, /"none" does not exist\. Use one of mine\./);
    assert.equal((await models.list()).at(-1)?.name, 'mine');
    await models.delete('mine');
    assert.match((await refusal(models.delete('none'))).message, /Create it first\./);
    assert.deepEqual(errors, []);
  });

  it('is still there where the list of created ones cannot be read, which is said', async () => {
    const models = router({
      store: { load: () => Promise.reject(new Error('It is torn.')), save: async () => undefined },
    });
    assert.ok((await models.list()).some(({ name }) => name === 'guide'));
    assert.equal(errors.length, 1);
    assert.match((await refusal(models.invoke('none', { messages }))).message, /It is torn\./);
  });
});
