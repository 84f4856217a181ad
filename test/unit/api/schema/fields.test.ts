import assert from 'node:assert/strict';
import * as z from 'zod';
import {
  asciiString,
  countCharacters,
  int32,
  int64,
  maxTextLength,
  maybe,
  millis,
  utf8Bytes,
} from '../../../../src/api/schema/field.ts';
import { decodeChecked } from '../../../../src/api/schema/problems.ts';

describe('Field values', () => {
  const taken = (schema: z.ZodType, value: unknown): unknown => {
    const checked = decodeChecked(schema, value);
    return checked.ok ? checked.value : 'refused';
  };

  it('accept INT64 values in each form, up to the limits', () => {
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

  it('convert response fields or leave them out', () => {
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

  it('count characters and bytes and check for ASCII', () => {
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
});
