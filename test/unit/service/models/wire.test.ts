import assert from 'node:assert/strict';
import { newId, usageOf } from '../../../../src/service/models/wire.ts';

describe('what answers of models have in common', () => {
  it('is an id of their kind, another one each time', () => {
    for (const prefix of ['chatcmpl', 'cmpl', 'embd', 'call'] as const) {
      const [id, other] = [newId(prefix), newId(prefix)];
      assert.match(id, new RegExp(`^${prefix}-[0-9a-f]{32}$`));
      assert.notEqual(id, other);
    }
  });

  it('is what they used, with its sum', () =>
    assert.deepEqual(usageOf(7, 5), { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 }));
});
