import assert from 'node:assert/strict';
import { chooseServed, documentOf, type ServedEndpoint } from '../../../../src/service/models/endpoint.ts';

const endpoint = (more: Partial<ServedEndpoint> = {}): ServedEndpoint => ({
  name: 'e',
  task: 'chat',
  kind: 'pay-per-token',
  description: 'It answers.',
  served: [],
  ...more,
});

describe('an endpoint as it is shown', () => {
  const state = { ready: 'READY', config_update: 'NOT_UPDATING' };
  it('has its task, where it comes from and what it is paid by', () => {
    assert.deepEqual(documentOf(endpoint()), {
      name: 'e',
      task: 'llm/v1/chat',
      description: 'It answers.',
      state,
      source: 'built-in',
      endpoint_type: 'PAY_PER_TOKEN',
    });
    assert.deepEqual(documentOf(endpoint({ task: 'embedding', kind: 'provisioned', createdInMs: 0, config: null })), {
      name: 'e',
      task: 'llm/v1/embeddings',
      description: 'It answers.',
      state,
      source: 'created',
      endpoint_type: 'PROVISIONED_THROUGHPUT',
      creation_timestamp: 0,
      config: null,
    });
    assert.deepEqual(documentOf(endpoint({ task: 'completion', kind: 'upstream', createdInMs: 7, config: { a: 1 } })), {
      name: 'e',
      task: 'llm/v1/completions',
      description: 'It answers.',
      state,
      source: 'upstream',
      endpoint_type: 'PAY_PER_TOKEN',
      creation_timestamp: 7,
      config: { a: 1 },
    });
  });

  it('is not ready where something is wrong, which is told', () => {
    const { description, state: told } = documentOf(endpoint({ problem: 'Its model is gone.' }));
    assert.deepEqual([description, told.ready], ['It answers. Its model is gone.', 'NOT_READY']);
  });
});

describe('the model that answers of those that an endpoint serves', () => {
  const serving = (...shares: number[]): ServedEndpoint =>
    endpoint({
      served: shares.map((trafficPercentage, index) => ({
        name: `m${index}`,
        backend: {} as never,
        trafficPercentage,
      })),
    });
  const chosen = (shares: number[], point: number): string | undefined =>
    chooseServed(serving(...shares), () => point)?.name;

  it('has its share of the traffic', () => {
    for (const [shares, point, name] of [
      [[90, 10], 0, 'm0'],
      [[90, 10], 0.8999, 'm0'],
      [[90, 10], 0.9, 'm1'],
      [[90, 10], 0.9999, 'm1'],
      [[20, 0, 30, 50], 0.19, 'm0'],
      [[20, 0, 30, 50], 0.2, 'm2'],
      [[20, 0, 30, 50], 0.5, 'm3'],
      [[0, 50, 50], 0, 'm1'],
      // A sum that is a little less than it should be leaves nobody without an answer.
      [[33, 33, 33], 0.999, 'm2'],
      [[50, 40, 0], 0.999, 'm1'],
    ] as const)
      assert.equal(chosen([...shares], point), name, `${shares.join()} at ${point}`);
  });

  it('is the only one with traffic without a choice, or none', () => {
    const noChoice = (): number => assert.fail('nothing is to be chosen');
    assert.equal(chooseServed(serving(0, 100), noChoice)?.name, 'm1');
    assert.equal(chooseServed(serving(0, 0), noChoice), undefined);
    assert.equal(chooseServed(serving(), noChoice), undefined);
  });
});
