import assert from 'node:assert/strict';
import { ModelRouter } from '../../../../src/service/models/modelRouter.ts';
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
    new ModelRouter({
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

  it('is the sibling of the named one for the task of the route, of an upstream, too', async () => {
    const models = router({
      upstreams: [{ name: 'up', kind: 'vllm', baseUrl: `${server.url}/v1`, models: [{ model: 'm', endpoint: 'm' }] }],
    });
    const chosen = async (route: 'completions' | 'chat/completions' | 'embeddings', body: object): Promise<string> => {
      server.requests.length = 0;
      const error = await refusal(models.openAi(route, { model: 'm', ...body }));
      return `${server.requests.at(-1)?.url} ${error.message.slice(0, 60)}`;
    };
    assert.match(await chosen('completions', { prompt: 'x', use_raw_prompt: true }), /^\/v1\/completions /);
    assert.match(await chosen('chat/completions', { messages }), /^\/v1\/chat\/completions /);
    // It has no sibling for vectors.
    assert.match(
      await chosen('embeddings', { input: 'x' }),
      /^undefined The endpoint "m" has the task chat and takes "messages"/,
    );
  });

  it('is not asked for again where it was found before, however long ago, and is looked for anew where it was not', async () => {
    const clock = new FakeClock();
    const models = router({ clock });
    const searches = (): number => server.requests.filter(({ url }) => url === '/v1/models').length;
    assert.equal((await models.get('m')).name, 'm');
    assert.equal(searches(), 1);
    await clock.advance(3_600_000);
    await models.get('m');
    assert.equal(searches(), 1);
    await refusal(models.get('none'));
    assert.equal(searches(), 2);
    await clock.advance(3_600_000);
    assert.deepEqual((await models.list()).map(({ name }) => name).slice(-2), ['m', 'm-completion']);
    assert.equal(searches(), 3);
  });

  it('is created with the time of the clock among those that are served, and is deleted once', async () => {
    const clock = new FakeClock();
    const models = router({ clock });
    const config = { served_entities: [{ entity_name: 'm' }] };
    assert.equal((await models.create({ name: 'mine', config })).creation_timestamp, clock.now());
    assert.match((await refusal(models.create({ name: 'm' }))).message, /"m" exists already/);
    await models.delete('mine');
    assert.equal((await refusal(models.delete('mine'))).status, 404);
    assert.match((await refusal(models.delete('m'))).message, /"m" was not created through the API/);
  });

  it('gets the share of its traffic, and the signal of who asked', async () => {
    let point = 0;
    const models = router({ random: () => point });
    const served_entities = [
      { name: 'a', entity_name: 'm' },
      { name: 'b', entity_name: 'guide' },
    ];
    const traffic_config = {
      routes: [
        { served_entity_name: 'a', traffic_percentage: 30 },
        { served_entity_name: 'b', traffic_percentage: 70 },
      ],
    };
    await models.create({ name: 'split', config: { served_entities, traffic_config } });
    const isGuide = async (): Promise<boolean> => {
      const answer = await models.invoke('split', { messages }).catch(() => undefined);
      return answer?.kind === 'text';
    };
    assert.equal(await isGuide(), false);
    point = 0.31;
    assert.equal(await isGuide(), true);
    const stop = new AbortController();
    stop.abort();
    for (const asked of [
      models.invoke('guide', { messages }, { signal: stop.signal }),
      models.openAi('chat/completions', { model: 'guide', messages }, { signal: stop.signal }),
    ])
      await assert.rejects(asked, { name: 'AbortError' });
  });

  it('that serves nothing any more says why', async () => {
    const kept = [
      { name: 'old', createdInMs: 1, request: { name: 'old', config: { served_entities: [{ entity_name: 'gone' }] } } },
    ];
    const models = router({ store: { load: async () => kept, save: async () => undefined } });
    const error = await refusal(models.invoke('old', { messages }));
    assert.deepEqual([error.kind, error.status], ['network', 503]);
    assert.match(
      error.message,
      /^The endpoint "old" cannot answer: The model "gone" is not served here\. Use one of guide, .*, m, m-completion\.$/,
    );
    assert.equal((await models.get('old')).state.ready, 'NOT_READY');
  });

  it('is told with the upstream whose models could not be listed', async () => {
    const models = router({ upstreams: [{ name: 'up', kind: 'vllm', baseUrl: 'http://127.0.0.1:9/v1' }] });
    assert.match(
      (await refusal(models.invoke('none', { messages }))).message,
      /"none" does not exist\. Use one of guide, guide-completion, guide-embedding\. The models of the upstream "up" could not be listed\. /,
    );
    assert.match(
      (await refusal(router({ upstreams: [7] }).invoke('none', { messages }))).message,
      /^The upstreams were not used: /,
    );
    assert.equal(
      bodyOf<WireChat>(await router({ upstreams: [7] }).invoke('guide', { messages })).object,
      'chat.completions',
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
