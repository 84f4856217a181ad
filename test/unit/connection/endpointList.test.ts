import assert from 'node:assert/strict';
import { formatEndpointList, parseEndpointList } from '../../../src/connection/endpointList.ts';

describe('a list of endpoints as a person types it', () => {
  it('is names with their tasks; without one it is chat', () => {
    const { endpoints, problem } = parseEndpointList(' my-chat, , my-embedder : embedding ,x:completion,y:chat');
    assert.equal(problem, undefined);
    assert.deepEqual(endpoints, [
      { name: 'my-chat', task: 'chat' },
      { name: 'my-embedder', task: 'embedding' },
      { name: 'x', task: 'completion' },
      { name: 'y', task: 'chat' },
    ]);
    assert.equal(formatEndpointList(endpoints), 'my-chat, my-embedder:embedding, x:completion, y');
    assert.deepEqual(parseEndpointList(formatEndpointList(endpoints)), { endpoints });
    assert.deepEqual(parseEndpointList(''), { endpoints: [] });
  });

  it('names the part that is wrong, and takes none of the others', () => {
    for (const part of ['a:images', ':chat', 'a:chat:b', 'a:'])
      assert.deepEqual(
        parseEndpointList(`good, ${part}`),
        {
          endpoints: [],
          problem: `"${part}" is not name or name:task. The task is one of chat, completion, embedding.`,
        },
        part,
      );
  });
});
