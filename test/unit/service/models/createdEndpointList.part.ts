import assert from 'node:assert/strict';
import type { ModelBackend } from '../../../../src/service/models/backend.ts';
import { CreatedEndpoints } from '../../../../src/service/models/createdEndpoints.ts';
import type { ServedEndpoint } from '../../../../src/service/models/endpoint.ts';
import type { EndpointStore } from '../../../../src/service/models/modelTypes.ts';
import { refusal } from './support.ts';

const backend = (task: ServedEndpoint['task'], model: string): ModelBackend =>
  ({ task, model, answer: undefined as never }) as never;
const served = (name: string, task: ServedEndpoint['task'] = 'chat', model = `${name}-1`): ServedEndpoint => ({
  name,
  task,
  kind: 'upstream',
  description: '',
  served: [{ name: model, backend: backend(task, model), trafficPercentage: 100 }],
});
const empty: ServedEndpoint = { ...served('empty'), served: [] };
const models = [served('guide'), served('other'), served('texts', 'completion'), empty];

describe('the endpoints that were created', () => {
  let saved: (readonly unknown[])[];
  let loads: number;
  beforeEach(() => void ([saved, loads] = [[], 0]));
  const store = (kept: readonly unknown[] = [], more: Partial<EndpointStore> = {}): EndpointStore => ({
    load: async () => {
      loads += 1;
      return [...kept];
    },
    save: async (endpoints) => void saved.push(endpoints),
    ...more,
  });
  const create = (config: unknown, name = 'mine'): Promise<ServedEndpoint> =>
    new CreatedEndpoints(store()).create({ name, config }, models, 7);
  const shares = async (config: unknown): Promise<string[]> =>
    (await create(config)).served.map(
      ({ name, backend: { model }, trafficPercentage }) => `${name} ${model} ${trafficPercentage}`,
    );

  it('are kept with their time and the request as it was, and serve what it names', async () => {
    const created = new CreatedEndpoints(store());
    const request = {
      name: 'mine',
      config: { served_entities: [{ name: 'a', entity_name: 'guide' }], extra: 1 },
      tags: [],
    };
    const endpoint = await created.create(request, models, 7);
    assert.deepEqual(endpoint, {
      name: 'mine',
      task: 'chat',
      kind: 'provisioned',
      description: 'Created; serves a.',
      served: [{ name: 'a', backend: models[0]?.served[0]?.backend, trafficPercentage: 100 }],
      createdInMs: 7,
      config: request.config,
    });
    assert.deepEqual(saved, [[{ name: 'mine', createdInMs: 7, request }]]);
    assert.deepEqual(await created.list(models), [endpoint]);
    assert.equal(loads, 1);
  });

  it('serve models by the name of their endpoint before their own', async () => {
    const both = [served('x', 'chat', 'y'), served('y', 'chat', 'z')];
    const one = async (entity_name: string): Promise<string | undefined> =>
      (
        await new CreatedEndpoints(store()).create(
          { name: 'mine', config: { served_entities: [{ entity_name }] } },
          both,
          7,
        )
      ).served[0]?.backend.model;
    assert.deepEqual([await one('x'), await one('y'), await one('z')], ['y', 'z', 'z']);
  });

  it('share the traffic as they are told, alike where nothing is told', async () => {
    const entities = [{ name: 'a', entity_name: 'guide' }, { model_name: 'other' }];
    const traffic = (...routes: [string, number][]): object => ({
      served_entities: entities,
      traffic_config: {
        routes: routes.map(([served_model_name, traffic_percentage]) => ({ served_model_name, traffic_percentage })),
      },
    });
    assert.deepEqual(await shares(undefined), ['guide guide-1 100']);
    assert.deepEqual(await shares({}), ['guide guide-1 100']);
    assert.deepEqual(await shares({ served_entities: [] }), ['guide guide-1 100']);
    assert.deepEqual(await shares({ served_models: [{ model_name: 'other' }] }), ['other other-1 100']);
    assert.deepEqual(await shares({ served_entities: entities }), ['a guide-1 50', 'other other-1 50']);
    assert.deepEqual(await shares({ served_entities: entities, traffic_config: {} }), [
      'a guide-1 50',
      'other other-1 50',
    ]);
    assert.deepEqual(await shares(traffic()), ['a guide-1 50', 'other other-1 50']);
    assert.deepEqual(await shares(traffic(['other', 25], ['a', 75])), ['a guide-1 75', 'other other-1 25']);
    assert.deepEqual(await shares(traffic(['a', 60], ['a', 40])), ['a guide-1 100', 'other other-1 0']);
    assert.deepEqual(await shares(traffic(['a', 33.3334], ['other', 66.6665])), [
      'a guide-1 33.3334',
      'other other-1 66.6665',
    ]);
    const named = { served_model_name: 'a', served_entity_name: 'other', traffic_percentage: 100 };
    assert.deepEqual(await shares({ served_entities: entities, traffic_config: { routes: [named] } }), [
      'a guide-1 100',
      'other other-1 0',
    ]);
    for (const [other, sum] of [
      [66.664, '99.9974'],
      [66.669, '100.0024'],
    ] as const)
      assert.match(
        (await refusal(create(traffic(['a', 33.3334], ['other', other])))).message,
        new RegExp(`^The traffic percentages add up to ${sum}; they must add up to 100\\.`),
      );
  });

  for (const [what, config, message] of [
    [
      'a model that is nowhere',
      { served_entities: [{ entity_name: 'none' }] },
      /^The model "none" is not served here\. Use one of guide, other, texts, empty\.$/,
    ],
    [
      'a model of an endpoint that serves none',
      { served_entities: [{ entity_name: 'empty' }] },
      /^The model "empty" is not served here\./,
    ],
    [
      'no model',
      { served_entities: [{ entity_name: 'guide' }, { name: 'b' }] },
      /^config\.served_entities\[1\]\.entity_name is required/,
    ],
    [
      'the same twice',
      { served_entities: [{ entity_name: 'other' }, { entity_name: 'guide' }, { entity_name: 'guide' }] },
      /^Two served entities have the name "guide"\./,
    ],
    [
      'other tasks',
      { served_entities: [{ entity_name: 'guide' }, { entity_name: 'texts' }] },
      /^"guide" has the task chat and "texts" the task completion: all models of an endpoint must expose the same API format\./,
    ],
    [
      'more than a hundred',
      { served_entities: Array.from({ length: 101 }, (_, index) => ({ name: `n${index}`, entity_name: 'guide' })) },
      /served_entities/,
    ],
    ['an empty name', { served_entities: [{ entity_name: '' }] }, /served_entities/],
    ['an empty name of a model', { served_models: [{ model_name: '', entity_name: 'guide' }] }, /served_models/],
    ['an entity that is called nothing', { served_entities: [{ name: '', entity_name: 'guide' }] }, /served_entities/],
  ] as const)
    it(`are refused with ${what}, and nothing is kept`, async () => {
      const error = await refusal(create(config));
      assert.deepEqual([error.status, saved.length], [400, 0]);
      assert.match(error.message, message);
    });

  it('may serve a hundred', async () => {
    const hundred = Array.from({ length: 100 }, (_, index) => ({ name: `n${index}`, entity_name: 'guide' }));
    assert.equal((await create({ served_entities: hundred })).served.length, 100);
  });

  it('have names that nothing else has', async () => {
    const created = new CreatedEndpoints(store([{ name: 'kept', createdInMs: 1, request: {} }]));
    for (const name of ['guide', 'kept']) {
      const { status, message } = await refusal(created.create({ name }, models, 7));
      assert.deepEqual(
        [status, message.slice(0, 40)],
        [409, `The serving endpoint "${name}" exists already`.slice(0, 40)],
      );
    }
    assert.deepEqual(saved, []);
  });

  it('are deleted by name, and only if they were there', async () => {
    const kept = ['a', 'b'].map((name) => ({ name, createdInMs: 1, request: {} }));
    const created = new CreatedEndpoints(store(kept));
    assert.deepEqual([await created.delete('none'), saved.length], [false, 0]);
    assert.deepEqual([await created.delete('a'), saved], [true, [[kept[1]]]]);
    assert.deepEqual(
      (await created.list(models)).map(({ name }) => name),
      ['b'],
    );
    assert.equal(await created.delete('a'), false);
  });

  it('are changed one after the other, also after one that failed', async () => {
    let isFull = true;
    const created = new CreatedEndpoints(
      store([], {
        save: async (endpoints) => {
          await new Promise(setImmediate);
          if (isFull) throw new Error('The disk is full.');
          saved.push(endpoints);
        },
      }),
    );
    const first = created.create({ name: 'a' }, models, 7).catch((error: Error) => ((isFull = false), error.message));
    const others = ['b', 'c'].map((name) => created.create({ name }, models, 7));
    assert.equal(await first, 'The disk is full.');
    await Promise.all(others);
    await Promise.all([created.create({ name: 'd' }, models, 7), created.delete('b')]);
    assert.deepEqual(
      saved.map((endpoints) => endpoints.map((each) => (each as { name: string }).name).join()),
      ['b', 'b,c', 'b,c,d', 'c,d'],
    );
    assert.deepEqual(
      (await created.list(models)).map(({ name }) => name),
      ['c', 'd'],
    );
  });

  it('that cannot be built any more say so, with their task', async () => {
    const request = { task: 'embedding', config: { served_entities: [{ entity_name: 'gone' }] } };
    const [endpoint] = await new CreatedEndpoints(store([{ name: 'old', createdInMs: 5, request }])).list(models);
    assert.deepEqual(endpoint, {
      name: 'old',
      task: 'embedding',
      kind: 'provisioned',
      description: 'Created.',
      served: [],
      createdInMs: 5,
      config: request.config,
      problem: 'The model "gone" is not served here. Use one of guide, other, texts, empty.',
    });
  });

  it('are read again after a file that was none', async () => {
    let kept: unknown[] = [{ name: 7 }];
    const created = new CreatedEndpoints(store([], { load: async () => kept }));
    await assert.rejects(created.list(models));
    kept = [];
    assert.deepEqual(await created.list(models), []);
  });
});
