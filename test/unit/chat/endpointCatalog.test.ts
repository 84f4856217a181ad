import assert from 'node:assert/strict';
import type { EndpointList } from '../../../src/chat/chatPorts.ts';
import { EndpointCatalog } from '../../../src/chat/endpointCatalog.ts';
import { fakePorts } from '../../support/chatHarness/fakePorts.ts';

describe('the list of endpoints', () => {
  it('is the one that was asked for last, whichever comes first, and whether or not it can be had', async () => {
    const { backend } = fakePorts();
    const asked: PromiseWithResolvers<EndpointList>[] = [];
    const signals: AbortSignal[] = [];
    backend.listEndpoints = ({ signal }) => {
      signals.push(signal);
      asked.push(Promise.withResolvers());
      return asked.at(-1)?.promise ?? Promise.reject(new Error('none'));
    };
    const catalog = new EndpointCatalog(backend);
    const lists = [catalog.refresh(), catalog.refresh(), catalog.refresh()];
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, true, false],
    );
    asked[2]?.resolve({ items: [{ name: 'new', server: 'L' }], isWhole: true });
    await lists[2];
    asked[0]?.resolve({ items: [{ name: 'old', server: 'L' }], isWhole: true });
    asked[1]?.reject(new Error('of before'));
    await Promise.all(lists);
    assert.deepEqual(catalog.state, { status: 'ready', items: [{ name: 'new', server: 'L' }] });
    catalog.dispose();
  });
});
