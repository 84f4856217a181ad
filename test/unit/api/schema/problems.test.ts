import assert from 'node:assert/strict';
import * as z from 'zod';
import {
  decodeChecked,
  encodeChecked,
  formatPath,
  formatProblem,
  formatProblems,
  type FieldProblem,
} from '../../../../src/api/schema/problems.ts';

describe('problems in words', () => {
  const problem = (path: (string | number)[], message: string): FieldProblem => ({ path, code: 'c', message });
  const told = (schema: z.ZodType, value: unknown): string[] => {
    const checked = decodeChecked(schema, value);
    return checked.ok ? [] : checked.problems.map(formatProblem);
  };

  it('a place is written as a reader of JSON knows it', () => {
    assert.equal(formatPath(['a', 'b-1', 2, 'c d', 'e']), 'a.b-1[2]["c d"].e');
    assert.equal(formatPath([0, 'a']), '[0].a');
    assert.equal(formatPath([]), '');
    assert.equal(formatPath(['x'.repeat(61)]), `["${'x'.repeat(60)}…"]`);
    assert.equal(formatPath(['x'.repeat(60)]), 'x'.repeat(60));
  });

  it('a problem is a sentence, and of many the first are told', () => {
    assert.equal(formatProblem(problem(['a'], 'is wrong')), 'a: is wrong.');
    assert.equal(formatProblem(problem([], 'is it wrong?')), 'Is it wrong?');
    const many = Array.from({ length: 7 }, (_, index) => problem([`f${index}`], 'is wrong'));
    assert.equal(
      formatProblems(many),
      'f0: is wrong. f1: is wrong. f2: is wrong. f3: is wrong. f4: is wrong. And 2 more.',
    );
    assert.equal(
      formatProblems(many.slice(0, 5)),
      'f0: is wrong. f1: is wrong. f2: is wrong. f3: is wrong. f4: is wrong.',
    );
    assert.equal(formatProblems(many, 1), 'f0: is wrong. And 6 more.');
    assert.equal(
      told(
        z.array(z.string()),
        Array.from({ length: 2000 }, () => 5),
      ).length,
      1000,
    );
  });

  it('each kind of mistake has its words', () => {
    for (const [schema, value, words] of [
      [z.string(), undefined, 'Is required: text.'],
      [z.string(), 5, 'Must be text, not the number 5.'],
      [z.string(), null, 'Must be text, not null (empty).'],
      [z.number(), '', 'Must be a number, not an empty text.'],
      [z.boolean(), 'x'.repeat(61), `Must be true or false, not the text "${'x'.repeat(60)}…".`],
      [z.array(z.string()), {}, 'Must be a list, not an object with fields.'],
      [z.looseObject({}), [], 'Must be an object with fields, not a list.'],
      [z.enum(['a', 'b']), 'c', 'Must be one of a or b, not the text "c".'],
      [z.literal('a'), true, 'Must be a, not true.'],
      [z.string().min(1), '', 'Must not be empty.'],
      [z.string().min(2), 'a', 'Must have at least 2 characters.'],
      [z.array(z.string()).min(1), [], 'Must not be an empty list.'],
      [z.array(z.string()).min(2), [], 'Must hold at least 2 entries.'],
      [z.number().min(1), 0, 'Must be at least 1, not 0.'],
      [z.number().gt(1), 1, 'Must be greater than 1, not 1.'],
      [z.number().max(1), 2, 'Must be at most 1, not 2.'],
      [z.number().lt(2), 2, 'Must be less than 2, not 2.'],
      [z.number().multipleOf(5), 7, 'Must be a multiple of 5, not 7.'],
      [z.string().max(2), 'abc', 'Has 3 characters; at most 2 are allowed. Shorten it.'],
      [z.array(z.string()).max(1), ['a', 'b'], 'Holds 2 entries; at most 1 are allowed. Remove some.'],
      [z.int(), 1.5, 'Must be a whole number, not the number 1.5.'],
      [z.bigint(), true, 'Must be a whole number, not true.'],
      [z.undefined(), 5, 'Must be left out, not the number 5.'],
      [z.number(), 'x', 'Must be a number, not the text "x".'],
      [z.enum(['a', 'b']), undefined, 'Is required: one of a or b.'],
      [z.literal('a'), undefined, 'Is required: a.'],
      [z.string().regex(/b/), 'a', 'Is not valid: the text "a".'],
      [z.union([z.literal('a'), z.literal('b')]), true, 'Must be one of a or one of b, not true.'],
      [
        z.record(z.string().max(1), z.string()),
        { ab: 'x' },
        'ab: the name has 2 characters; at most 1 are allowed. Shorten it.',
      ],
      [
        z.looseObject({ map: z.record(z.string().max(1), z.string()) }),
        { map: { abc: 'x' } },
        'map.abc: the name has 3 characters; at most 1 are allowed. Shorten it.',
      ],
      [z.strictObject({}), { toString: 1 }, 'Has fields that are not known: toString. Remove them.'],
      [z.union([z.string(), z.array(z.string())]), 5, 'Must be text or a list, not the number 5.'],
      [z.union([z.string(), z.array(z.string())]), ['a', 5], '[1]: must be text, not the number 5.'],
      [z.union([z.string(), z.number()]), undefined, 'Is required.'],
      [z.looseObject({ constructor: z.string() }), {}, 'constructor: is required: text.'],
      [
        z.union([z.looseObject({ a: z.string(), b: z.string() }), z.looseObject({ a: z.number() }), z.string()]),
        {},
        'a: is required: a number.',
      ],
    ] as const)
      assert.deepEqual(told(schema, value), [words]);
  });

  it('a rule has its own word and its own sentence', () => {
    const ruled = z.string().check((context) => {
      context.issues.push({
        code: 'custom',
        message: 'Say it otherwise',
        params: { rule: 'other' },
        input: context.value,
      });
    });
    const checked = decodeChecked(z.looseObject({ a: ruled, b: z.string().min(2, 'is too short here') }), {
      a: 'x',
      b: '',
    });
    assert.deepEqual(checked.ok ? [] : checked.problems, [
      { path: ['a'], code: 'other', message: 'Say it otherwise' },
      { path: ['b'], code: 'too_small', message: 'is too short here' },
    ]);
    assert.deepEqual(decodeChecked(z.string(), 'a'), { ok: true, value: 'a' });
    assert.deepEqual(encodeChecked(z.string(), 'a'), { ok: true, value: 'a' });
    assert.deepEqual(encodeChecked(z.string().min(2), 'a'), {
      ok: false,
      problems: [{ path: [], code: 'too_small', message: 'must have at least 2 characters' }],
    });
  });
});
