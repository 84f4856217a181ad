import assert from 'node:assert/strict';
import { generateJson, type ValueSource } from '../../../../../src/service/models/jsonSchema/generateJson.ts';

describe('two limits of one value', () => {
  const long = 'abcdefghijklmnopqrstuvwxyz';
  const source: ValueSource = {
    text: () => long,
    number: () => 50,
    boolean: () => true,
    list: () => undefined,
  };
  for (const [type, name, limits, measure] of [
    ['string', 'maxLength', [5, 12], 5],
    ['string', 'minLength', [40, 30], 40],
    ['integer', 'maximum', [7, 9], 7],
    ['integer', 'minimum', [70, 60], 70],
    ['integer', 'exclusiveMaximum', [7, 9], 6],
    ['integer', 'exclusiveMinimum', [70, 60], 71],
    ['array', 'minItems', [4, 2], 4],
  ] as const)
    it(`the stricter ${name} holds, whichever comes first`, () => {
      for (const each of [[...limits], limits.toReversed()]) {
        const schema = { type, items: { type: 'string' }, allOf: each.map((limit) => ({ [name]: limit })) };
        const value = generateJson(schema, source)?.value;
        const size = typeof value === 'number' ? value : (value as string | unknown[]).length;
        if (name.toLowerCase().includes('min')) assert.ok(size >= measure, `${size} for ${each.join(' and ')}`);
        else assert.ok(size <= measure, `${size} for ${each.join(' and ')}`);
      }
    });
});
