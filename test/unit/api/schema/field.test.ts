import assert from 'node:assert/strict';
import * as z from 'zod';
import {
  asciiString,
  firstNonAscii,
  countCharacters,
  field,
  int32,
  int64,
  isDefaultMessage,
  maxTextLength,
  maybe,
  millis,
  oneOf,
  openEnum,
  ruleOf,
  text,
  utf8Bytes,
} from '../../../../src/api/schema/field.ts';
import { decodeChecked } from '../../../../src/api/schema/problems.ts';

describe('values on the wire', () => {
  const taken = (schema: z.ZodType, value: unknown): unknown => {
    const checked = decodeChecked(schema, value);
    return checked.ok ? checked.value : 'refused';
  };

  it('an INT64 is taken in each form, up to its borders', () => {
    for (const [value, expected] of [
      [1, '1'],
      ['-0', '0'],
      ['007', '7'],
      [2n ** 63n - 1n, '9223372036854775807'],
      [-(2n ** 63n), '-9223372036854775808'],
      ['9223372036854775807', '9223372036854775807'],
      [Number.MAX_SAFE_INTEGER, '9007199254740991'],
      [2n ** 63n, 'refused'],
      [-(2n ** 63n) - 1n, 'refused'],
      ['9223372036854775808', 'refused'],
      ['1'.repeat(20), 'refused'],
      [2 ** 53, 'refused'],
      [1.5, 'refused'],
      ['', 'refused'],
      ['1.0', 'refused'],
      ['0x1', 'refused'],
      [' 1', 'refused'],
      [true, 'refused'],
      [null, 'refused'],
    ] as const)
      assert.equal(taken(int64(), value), expected, String(value));
    assert.deepEqual(
      [taken(millis(), '12'), taken(millis(), 12n), taken(millis(), 1.5), taken(millis(), 'x')],
      [12, 12, 'refused', 'refused'],
    );
    assert.deepEqual(
      [2_147_483_647, -2_147_483_648, 2_147_483_648, -2_147_483_649, 1.5].map((value) => taken(int32(), value)),
      [2_147_483_647, -2_147_483_648, 'refused', 'refused', 'refused'],
    );
  });

  it('a field of an answer is made what it should be, or is absent', () => {
    assert.deepEqual(
      ['a', 5, 5n, true, null, {}, undefined].map((value) => taken(maybe(z.string()), value)),
      ['a', '5', '5', 'true', undefined, undefined, undefined],
    );
    assert.deepEqual(
      [5, '5', 5n, '', ' ', 'x', Infinity, 'Infinity', true, null].map((value) => taken(maybe(z.number()), value)),
      [5, 5, 5, undefined, undefined, undefined, undefined, undefined, undefined, undefined],
    );
    assert.deepEqual(
      [true, 'true', 'false', 1, 'yes', null].map((value) => taken(maybe(z.boolean()), value)),
      [true, true, false, undefined, undefined, undefined],
    );
    assert.deepEqual(
      [{ a: 1 }, [], 'x', null].map((value) => taken(maybe(z.looseObject({})), value)),
      [{ a: 1 }, undefined, undefined, undefined],
    );
    assert.deepEqual(
      [['a'], null, 'x', [{}]].map((value) => taken(maybe(z.array(z.string())), value)),
      [['a'], undefined, 'refused', 'refused'],
      'a list is never left out',
    );
    assert.deepEqual(
      ['5', 5, 'x'].map((value) => taken(maybe(int64()), value)),
      ['5', '5', undefined],
    );
  });

  it('the first that is not ASCII, by its number', () => {
    for (const [text, expected] of [
      ['aü', '"ü" (U+00FC)'],
      ['a😀€', '"😀" (U+1F600)'],
      ['€', '"€" (U+20AC)'],
      ['\x80', '"\x80" (U+0080)'],
    ] as const)
      assert.equal(firstNonAscii(text), expected);
  });

  it('characters, bytes and ASCII', () => {
    assert.deepEqual(
      [
        countCharacters('a😀€'),
        countCharacters('😀'.repeat(5000)),
        countCharacters('😀'.repeat(5001)),
        utf8Bytes('a😀€'),
        maxTextLength,
      ],
      [3, 5000, 10_002, 8, 4096],
    );
    assert.deepEqual(
      ['\x00a\x7f', '\x80', 'ü', ''].map((value) => taken(asciiString(), value)),
      ['\x00a\x7f', 'refused', 'refused', ''],
    );
  });

  const firstIssue = (schema: z.ZodType, value: unknown): z.core.$ZodIssue => {
    const issue = schema.safeParse(value).error?.issues[0];
    assert.ok(issue);
    return issue;
  };

  it('a number says what it must be, and the bounds of 32 bits in words of their own', () => {
    const borders = 'must be a whole number between -9223372036854775808 and 9223372036854775807';
    assert.equal(firstIssue(int64(), undefined).message, 'is required: a whole number');
    for (const value of [true, null, 'x', 2n ** 63n]) assert.equal(firstIssue(int64(), value).message, borders);
    assert.equal(firstIssue(millis(), 'x').message, borders);
    for (const value of [1.5, 'x', undefined])
      assert.equal(firstIssue(int32(), value).message, 'must be a whole number');
    const large = firstIssue(int32(), 2_147_483_648);
    assert.deepEqual([large.code, isDefaultMessage(large.message)], ['too_big', true]);
    assert.deepEqual(
      [z.encode(int64(), '9007199254740993'), z.encode(millis(), 5), int64().safeEncode('x').success],
      [9007199254740993n, 5, false],
    );
  });

  it('a text of one line has an end, and each open list takes what it does not know', () => {
    assert.equal(text().safeParse('x'.repeat(maxTextLength)).success, true);
    assert.equal(
      firstIssue(text(), 'x'.repeat(maxTextLength + 1)).message,
      'has more than 4,096 characters; shorten it',
    );
    assert.deepEqual(
      [oneOf(['A', 'B']).safeParse('C').success, openEnum(['A', 'B'], 'd').safeParse('C').success],
      [false, true],
    );
  });

  it('what is said of a field stays with it, in an answer too', () => {
    const said = { description: 'How long.', unit: 's', default: 5, knownValues: ['a'] };
    const { description, ...more } = said;
    assert.deepEqual(field(z.string(), description, more).meta(), said);
    assert.deepEqual(maybe(field(z.string(), description, more)).meta(), said);
    assert.equal(maybe(z.string()).meta(), undefined);
    assert.deepEqual(openEnum(['A', 'B'], 'd').meta(), { description: 'd', knownValues: ['A', 'B'] });
  });

  it('a rule of ours is known by its word, and words of zod by their beginning', () => {
    const notAscii = firstIssue(asciiString(), 'aü');
    assert.deepEqual(
      [ruleOf(notAscii), notAscii.message],
      ['asciiOnly', 'must hold ASCII characters only; "ü" (U+00FC) is not one'],
    );
    assert.equal(ruleOf(firstIssue(z.string(), 5)), undefined);
    assert.equal(ruleOf({ code: 'custom', path: [], message: 'm', params: { rule: 5 } }), undefined);
    const ofZod: [schema: z.ZodType, value: unknown][] = [
      [z.string(), 5],
      [z.string().min(2), ''],
      [z.number().max(2), 3],
      [z.strictObject({}), { a: 1 }],
      [z.union([z.string(), z.number()]), null],
      [z.enum(['a']), 'b'],
    ];
    for (const [schema, value] of ofZod) assert.equal(isDefaultMessage(firstIssue(schema, value).message), true);
    for (const words of ['must be text', 'is Invalid input', 'Invalidated', 'Too late: 5'])
      assert.equal(isDefaultMessage(words), false, words);
  });
});
