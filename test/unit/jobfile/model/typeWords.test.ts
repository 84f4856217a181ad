import assert from 'node:assert/strict';
import * as z from 'zod';
import { fieldText, typeWords } from '../../../../src/jobfile/model/fieldText.ts';
import type { Field, FieldType, LeafType } from '../../../../src/jobfile/model/fieldTree.ts';

const schema = z.unknown();
const leaf = (type: LeafType['type'], more: Partial<LeafType> = {}): LeafType => ({
  kind: 'leaf',
  type,
  values: [],
  schema,
  ...more,
});
const kinds = ['text', 'integer', 'int64', 'boolean', 'scalar'] as const;
const choice = leaf('choice', { values: ['A', 'B', 'C'] });

describe('the words for a field', () => {
  it('are those of its type, and of what a list holds', () => {
    const list = (element: FieldType): FieldType => ({ kind: 'list', element, schema });
    const object: FieldType = { kind: 'object', fields: new Map() };
    assert.deepEqual(
      [...kinds.map((type) => leaf(type)), choice].map((type) => [typeWords(type), typeWords(list(type))]),
      [
        ['text', 'list of texts'],
        ['whole number', 'list of whole numbers'],
        ['whole number', 'list of whole numbers'],
        ['true or false', 'list of true or false'],
        ['value', 'list of values'],
        ['A, B or C', 'list of A, B or C'],
      ],
    );
    assert.deepEqual(
      [object, list(object), { kind: 'map', key: leaf('text'), value: leaf('scalar'), schema } as const].map(typeWords),
      ['mapping', 'list of mappings', 'mapping of names to values'],
    );
  });

  const field = (type: FieldType, more: Partial<Field['meta']> = {}, required = false): Field => ({
    name: 'a',
    type,
    required,
    meta: { description: 'Says it.', ...more },
  });

  it('have limits, as far as they are no more than those of any number', () => {
    const most = 2_147_483_647;
    for (const [limits, wanted] of [
      [{}, undefined],
      [{ min: 1 }, 'At least 1'],
      [{ min: 0 }, 'At least 0'],
      [{ max: 0 }, 'At most 0'],
      [{ max: 9 }, 'At most 9'],
      [{ min: 1, max: 9 }, 'From 1 to 9'],
      [{ min: -most, max: most }, undefined],
      [{ min: -most - 1, max: most + 1 }, undefined],
      [{ min: 1 - most, max: most - 1 }, `From ${1 - most} to ${most - 1}`],
      [{ min: 3, max: most }, 'At least 3'],
      [{ min: -most, max: 3 }, 'At most 3'],
    ] as const) {
      const facts = wanted === undefined ? '' : `\n\n- ${wanted}`;
      assert.equal(fieldText(field(leaf('integer', limits))), `**a** · whole number\n\nSays it.${facts}`);
      assert.equal(fieldText(field(leaf('scalar', limits))), '**a** · value\n\nSays it.', 'no number');
    }
  });

  it('have all that the document says, one fact a line', () => {
    assert.equal(
      fieldText(field(leaf('integer', { min: 1 }), { default: 5, unit: 'seconds', deprecated: true }, true)),
      '**a** · whole number · required\n\nSays it.\n\n- Default: `5`\n- Unit: seconds\n- At least 1\n- Deprecated',
    );
    const told = (value: unknown): string => fieldText(field(leaf('text'), { default: value })).split('\n\n')[2] ?? '';
    assert.deepEqual(
      [told('A'), told('none at all'), told(false), told(0), told({ a: 'b c' }), told('')],
      [
        '- Default: `A`',
        '- Default: none at all',
        '- Default: `false`',
        '- Default: `0`',
        '- Default: `{"a":"b c"}`',
        '- Default: ``',
      ],
    );
    assert.equal(fieldText(field(leaf('text'), { deprecated: false })), '**a** · text\n\nSays it.');
  });
});
