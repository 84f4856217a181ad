import assert from 'node:assert/strict';
import { readVectors } from '../../../../../src/service/models/upstream/readVectors.ts';

describe('vectors as model servers send them', () => {
  const read = (answer: unknown, more: { asBase64?: boolean; firstIndex?: number } = {}) => {
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const { entries, ...rest } = readVectors({
      body: new TextEncoder().encode(text),
      label: 'Up',
      asBase64: false,
      firstIndex: 0,
      ...more,
    });
    return { ...rest, entries: JSON.parse(`[${new TextDecoder().decode(entries)}]`) as unknown };
  };

  it('are put into the order of the texts, and counted on', () => {
    const data = [
      { index: 1, embedding: [3, 4] },
      { index: 0, embedding: [1, 2] },
    ];
    assert.deepEqual(read({ data, model: 'real', usage: { prompt_tokens: 5 } }, { firstIndex: 7 }), {
      count: 2,
      promptTokens: 5,
      model: 'real',
      entries: [
        { object: 'embedding', index: 7, embedding: [1, 2] },
        { object: 'embedding', index: 8, embedding: [3, 4] },
      ],
    });
    assert.deepEqual(read({ data: [{ embedding: [1] }, { embedding: [2] }], model: '' }), {
      count: 2,
      promptTokens: undefined,
      model: undefined,
      entries: [
        { object: 'embedding', index: 0, embedding: [1] },
        { object: 'embedding', index: 1, embedding: [2] },
      ],
    });
  });

  it('may be one alone, or none, and are written as base64 where that is wanted', () => {
    assert.equal(read({ data: { embedding: [1] }, usage: { prompt_tokens: 'x' } }).count, 1);
    assert.deepEqual([read({ data: [] }).count, read({}).count, read({ data: 7 }).count], [0, 0, 0]);
    const { entries } = read({ data: [{ embedding: [1, 2] }] }, { asBase64: true });
    assert.deepEqual(entries, [{ object: 'embedding', index: 0, embedding: 'AACAPwAAAEA=' }]);
  });

  it('are refused in words where they are none', () => {
    const cases: [unknown, string][] = [
      ['no JSON', 'Up sent something that is not JSON: no JSON'],
      ['[1]', 'Up sent something that is not an object: [1]'],
      ['null', 'Up sent something that is not an object: null'],
      [{ data: [{ embedding: [] }] }, 'Up answered with something that is no vector of numbers.'],
      [{ data: [{ embedding: [1, 'x'] }] }, 'Up answered with something that is no vector of numbers.'],
      [{ data: [7] }, 'Up answered with something that is no vector of numbers.'],
      [{ error: 'Too long' }, 'Up answered: Too long'],
      [{ error: { message: 'Too long' } }, 'Up answered: Too long'],
      [{ error: {} }, 'Up answered: an error without a text'],
      [{ error: 7 }, 'Up answered: an error without a text'],
      [{ error: 'x'.repeat(400) }, `Up answered: ${'x'.repeat(300)}`],
      [`{"a${'x'.repeat(200)}`, `Up sent something that is not JSON: {"a${'x'.repeat(117)}`],
    ];
    for (const [answer, message] of cases) assert.throws(() => read(answer), { message }, message);
    assert.equal(read({ error: 'beside', data: [{ embedding: [1] }] }).count, 1);
    assert.equal(read({ error: null }).count, 0);
  });
});
