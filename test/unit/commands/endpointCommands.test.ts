import assert from 'node:assert/strict';
import { handlers } from '../../../src/commands/handlers.ts';
import { holdTrail } from '../../support/trail.ts';
import { holdApproved } from './approvedCommands.ts';
import { Bench } from './commandSetup.ts';

const endpoints = [
  { name: 'guide', task: 'llm/v1/chat', endpoint_type: 'PAY_PER_TOKEN' },
  { name: 'qwen', task: 'llm/v1/chat', endpoint_type: 'PAY_PER_TOKEN' },
  { name: 'mini', task: 'chat' },
  { name: 'vectors', task: 'llm/v1/embeddings', endpoint_type: 'PAY_PER_TOKEN' },
  { name: 'mine', task: 'llm/v1/chat', endpoint_type: 'PROVISIONED_THROUGHPUT' },
];

describe('serving endpoints', () => {
  holdTrail(import.meta.url);
  holdApproved('endpoints');

  let bench: Bench;
  let calls: unknown[];
  let listed: typeof endpoints;
  /** What each call was given beside its request. */
  let signals: unknown[];
  beforeEach(() => {
    bench = new Bench();
    [calls, listed, signals] = [[], endpoints as never, []];
    bench.inference = {
      listEndpoints: async (given?: object) => (signals.push(given), listed),
      createEndpoint: async (request: unknown, given?: object) => (
        signals.push(given),
        calls.push(['create', request]),
        {}
      ),
      deleteEndpoint: async (name: string, given?: object) => (signals.push(given), void calls.push(['delete', name])),
    };
  });

  it('are created of the models that are chosen, which share the requests, after profile and name were told', async () => {
    bench.picks = ['guide', 'qwen', 'mini'];
    bench.inputs = ['team'];
    await handlers['millrace.endpoint.create'](bench.services, {});
    const routes = [34, 33, 33].map((traffic_percentage, index) => ({
      served_model_name: ['guide', 'qwen', 'mini'][index],
      traffic_percentage,
    }));
    assert.deepEqual(calls, [
      [
        'create',
        {
          name: 'team',
          config: {
            served_entities: ['guide', 'qwen', 'mini'].map((name) => ({ name, entity_name: name })),
            traffic_config: { routes },
          },
        },
      ],
    ]);
    assert.ok(
      bench.trail.includes('mutation: Create the endpoint "team" of guide, qwen, mini'),
      bench.trail.join('\n'),
    );
  });

  it('are not created of models that do different things, nor where the question is declined', async () => {
    bench.picks = ['guide', 'vectors'];
    await assert.rejects(
      async () => handlers['millrace.endpoint.create'](bench.services, {}),
      /guide and vectors do different things/,
    );
    bench.picks = ['guide'];
    bench.inputs = ['team'];
    bench.mutationDeclined = true;
    await handlers['millrace.endpoint.create'](bench.services, {});
    assert.deepEqual(calls, []);
  });

  it('are not created where there is no model to serve, which is said in place of an empty list', async () => {
    listed = [];
    await handlers['millrace.endpoint.create'](bench.services, {});
    assert.ok(bench.trail.some((line) => line.includes('Local has no endpoint whose model could be served.')));
    assert.deepEqual(calls, []);
  });

  it('are deleted where they were created, after a question that names profile and endpoint', async () => {
    bench.picks = ['mine'];
    await handlers['millrace.endpoint.delete'](bench.services, {});
    assert.deepEqual(calls, [['delete', 'mine']]);
    const asked = bench.trail.findIndex((line) => line.includes('Delete the endpoint "mine" on Local?'));
    // A profile that refuses changes, or asks by itself, comes first.
    assert.deepEqual(bench.trail.indexOf('mutation: Delete the endpoint "mine"'), asked - 1, bench.trail.join('\n'));
    calls = [];
    bench.picks = ['mine'];
    bench.mutationDeclined = true;
    await handlers['millrace.endpoint.delete'](bench.services, {});
    assert.deepEqual(calls, []);
  });

  it('are deleted also where the service does not tell what kind they are', async () => {
    bench.picks = ['mini'];
    await handlers['millrace.endpoint.delete'](bench.services, {});
    assert.deepEqual(calls, [['delete', 'mini']]);
  });

  it('can be cancelled while they are listed, created or deleted', async () => {
    const { signal } = new AbortController();
    bench.services.ui.progress = (_title, task) => task(signal);
    bench.picks = ['guide'];
    bench.inputs = ['team'];
    await handlers['millrace.endpoint.create'](bench.services, {});
    bench.picks = ['mine'];
    await handlers['millrace.endpoint.delete'](bench.services, {});
    assert.deepEqual(signals, [{ signal }, { signal }, { signal }, { signal }]);
    assert.ok(signals.every((given) => (given as { signal: unknown }).signal === signal));
  });

  it('that exist in advance are not offered for that', async () => {
    listed = endpoints.filter((endpoint) => endpoint.endpoint_type === 'PAY_PER_TOKEN');
    await handlers['millrace.endpoint.delete'](bench.services, {});
    assert.ok(bench.trail.some((line) => line.includes('Local has no endpoint that could be deleted.')));
    assert.deepEqual(calls, []);
  });

  it('have a name that is free and can be one, which is told while it is typed', async () => {
    for (const [typed, refused] of [
      ['qwen', 'An endpoint with this name already exists.'],
      ['vectors', 'An endpoint with this name already exists.'],
      ['-a', 'Start with a letter or digit. At most 63 letters, digits, "-", "_" and ".".'],
      ['', 'Start with a letter or digit. At most 63 letters, digits, "-", "_" and ".".'],
      ['a'.repeat(64), 'Start with a letter or digit. At most 63 letters, digits, "-", "_" and ".".'],
      ['a'.repeat(63), undefined],
      ['9_a.B-c', undefined],
    ] as const) {
      bench = Object.assign(new Bench(), { inference: bench.inference, picks: ['guide'], inputs: [typed] });
      await handlers['millrace.endpoint.create'](bench.services, {});
      const told = bench.trail.find((line) => line.startsWith('refused: '))?.slice('refused: '.length);
      assert.equal(told, refused, typed);
    }
  });

  it('are not created nor deleted where nothing was chosen or named', async () => {
    calls.length = 0;
    Object.assign(bench.services.ui, { pickMany: async () => undefined, pick: async () => undefined });
    await handlers['millrace.endpoint.create'](bench.services, {});
    await handlers['millrace.endpoint.delete'](bench.services, {});
    Object.assign(bench.services.ui, { pickMany: async () => [] });
    await handlers['millrace.endpoint.create'](bench.services, {});
    Object.assign(bench.services.ui, { pickMany: async () => [endpoints[0]], input: async () => undefined });
    await handlers['millrace.endpoint.create'](bench.services, {});
    assert.deepEqual([calls, bench.trail], [[], []]);
    Object.assign(bench.services.ui, { pickMany: async () => [endpoints[0], endpoints[3]] });
    await assert.rejects(async () => handlers['millrace.endpoint.create'](bench.services, {}), {
      remedy: 'Choose models for the same task.',
    });
  });
});
