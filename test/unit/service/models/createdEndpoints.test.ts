import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createFileStore } from '../../../../src/service/models/modelRouter.ts';
import { createModels } from '../../../../src/service/models/models.ts';
import type { WireChat } from '../../../../src/service/models/wire.ts';
import { eachWithTempFolder } from '../../../support/tempFolder.ts';
import { bodyOf, chatTexts, quickClock, refusal } from './support.ts';

describe('the models of a service', () => {
  const clock = quickClock();
  const messages = [{ role: 'user', content: 'What is max_retries?' }];
  const entities = (...names: string[]) => ({ served_entities: names.map((entity_name) => ({ entity_name })) });

  const routed = (...routes: [name: string, percentage: number][]) => ({
    ...entities('guide'),
    traffic_config: {
      routes: routes.map(([served_model_name, traffic_percentage]) => ({ served_model_name, traffic_percentage })),
    },
  });

  describe('with provisioned endpoints', () => {
    let folder = '';
    eachWithTempFolder((one) => (folder = one));

    const open = (random?: () => number) => createModels({ discover: false, clock, dataFolder: folder, random });

    it('are created, listed, invoked with n, kept and deleted', async () => {
      const created = await open().create({ name: 'mine', config: entities('guide') });
      assert.equal(created.task, 'llm/v1/chat');
      assert.equal(created.endpoint_type, 'PROVISIONED_THROUGHPUT');
      const models = open();
      assert.deepEqual(
        (await models.list()).map((endpoint) => endpoint.name),
        ['guide', 'guide-completion', 'guide-embedding', 'mine'],
      );
      const answer = bodyOf<WireChat>(await models.invoke('mine', { messages, n: 3 }));
      assert.deepEqual(
        answer.choices.map((choice) => choice.index),
        [0, 1, 2],
      );
      assert.equal((await chatTexts(await models.invoke('mine', { messages, n: 2, stream: true }))).length, 2);
      await models.delete('mine');
      assert.equal((await refusal(open().invoke('mine', { messages }))).status, 404);
      assert.doesNotMatch((await refusal(open().delete('mine'))).message, /Create/);
    });

    it('leave nothing behind when they cannot be stored', async () => {
      await mkdir(path.join(folder, 'endpoints.json'), { recursive: true });
      await assert.rejects(createFileStore(folder).save([]));
      assert.deepEqual(await readdir(folder), ['endpoints.json']);
    });

    const refused: readonly (readonly [request: object, status: number, expected: RegExp])[] = [
      [{ name: 'x', config: entities('guide', 'guide-embedding') }, 400, /same API format/],
      [{ name: 'x', config: entities('nothing') }, 400, /is not served here/],
      [{ name: 'guide' }, 409, /exists already/],
      [
        { name: 'x', config: { served_entities: [{ name: 'a' }] } },
        400,
        /served_entities\[0\]\.entity_name is required/,
      ],
      [
        { name: 'x', config: routed(['other', 100]) },
        400,
        /names "other", which is not a served entity\. Use one of guide\./,
      ],
      [{ name: 'x', config: routed(['guide', 60], ['guide', 39]) }, 400, /add up to 99; they must add up to 100/],
    ];
    it('share the traffic by their routes', async () => {
      const shares = async (name: string, config: object): Promise<number[]> => {
        await open().create({ name, config });
        const counts = [0, 0];
        let point = 0;
        const models = open(() => point);
        for (point = 0; point < 1; point += 0.25) {
          const { model } = bodyOf<WireChat>(await models.invoke(name, { messages, max_tokens: 1 }));
          counts[model === 'millrace-guide-1' ? 0 : 1]! += 1;
        }
        return counts;
      };
      assert.deepEqual(await shares('one', { served_models: [{ model_name: 'guide' }] }), [4, 0]);
      assert.deepEqual(await shares('sum', routed(['guide', 60], ['guide', 40])), [4, 0]);
      const byEntity = {
        ...entities('guide'),
        traffic_config: { routes: [{ served_entity_name: 'guide', traffic_percentage: 100 }] },
      };
      assert.deepEqual(await shares('entity', byEntity), [4, 0]);
    });

    for (const [request, status, expected] of refused) {
      it(`refuse ${JSON.stringify(request).slice(0, 70)}`, async () => {
        const models = open();
        const error = await refusal(models.create(request));
        assert.equal(error.status, status);
        assert.match(error.message, expected);
        assert.equal((await models.list()).length, 3);
      });
    }

    it('refuse error_behavior', async () => {
      const models = open();
      await models.create({ name: 'texts', config: entities('guide-completion') });
      assert.match(
        (await refusal(models.invoke('texts', { prompt: 'x', error_behavior: 'truncate' }))).message,
        /pay-per-token/,
      );
    });

    it('keep all endpoints that are created concurrently', async () => {
      const models = open();
      await Promise.all(Array.from({ length: 20 }, (_unused, index) => models.create({ name: `e${index}` })));
      assert.equal((JSON.parse(await readFile(path.join(folder, 'endpoints.json'), 'utf8')) as unknown[]).length, 20);
    });

    it('leave a damaged file unchanged', async () => {
      await writeFile(path.join(folder, 'endpoints.json'), '[{"name":');
      assert.match((await refusal(open().create({ name: 'x' }))).message, /not JSON/);
      assert.equal(await readFile(path.join(folder, 'endpoints.json'), 'utf8'), '[{"name":');
      assert.equal((await open().list()).length, 3);
      assert.match((await refusal(open().invoke('mine', { messages }))).message, /not JSON/);
    });
  });

  describe('on OpenAI routes', () => {
    const models = createModels({ discover: false, clock });

    it('find the endpoint by model and accept the OpenAI format', async () => {
      const body = bodyOf<WireChat>(
        await models.openAi('chat/completions', {
          model: 'guide',
          messages: [
            { role: 'developer', content: 'Be short.' },
            { role: 'system', content: 'Really.' },
            { role: 'user', content: [{ type: 'text', text: 'What is max_retries?' }] },
          ],
          max_completion_tokens: 5,
          tools: [{ type: 'function', function: { name: 'f' } }],
          tool_choice: 'none',
        }),
      );
      assert.equal(body.usage.completion_tokens, 5);
    });

    it("find the endpoint for the route's task beside the named one", async () => {
      assert.equal(
        bodyOf(await models.openAi('completions', { model: 'guide', prompt: 'cancel' }))['object'],
        'text_completion',
      );
      const vectors = bodyOf<{ data: { embedding: number[] }[] }>(
        await models.openAi('embeddings', { model: 'guide', input: 'a' }),
      );
      assert.equal(vectors.data[0]?.embedding.length, 256);
    });

    it('refuse a request without a model', async () => {
      assert.match((await refusal(models.openAi('completions', { prompt: 'x' }))).message, /model is required/);
      assert.equal((await refusal(models.openAi('completions', { model: 'nothing', prompt: 'x' }))).status, 404);
    });
  });
});

describe('the endpoint file', () => {
  let folder: string;
  eachWithTempFolder((one) => (folder = one));
  const fileOf = (data: string): string => path.join(data, 'endpoints.json');

  it('is private and readable', async () => {
    await createFileStore(folder).save([{ name: 'a' }]);
    assert.deepEqual(await readdir(folder), ['endpoints.json']);
    assert.equal(await readFile(fileOf(folder), 'utf8'), '[\n  {\n    "name": "a"\n  }\n]\n');
    assert.equal((await stat(fileOf(folder))).mode & 0o777, 0o600);
    assert.deepEqual(await createFileStore(folder).load(), [{ name: 'a' }]);
  });
});
