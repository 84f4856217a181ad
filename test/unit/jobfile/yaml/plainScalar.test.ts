import assert from 'node:assert/strict';
import { maxDigits, resolvePlain } from '../../../../src/jobfile/yaml/plainScalar.ts';
import type { ScalarValue } from '../../../../src/jobfile/yaml/yamlNode.ts';

describe('a text without quotes', () => {
  it('means what the core schema of YAML 1.2 says', () => {
    const wanted: readonly (readonly [value: ScalarValue, ...sources: string[]])[] = [
      [null, '~', 'null', 'Null', 'NULL'],
      [true, 'true', 'True', 'TRUE'],
      [false, 'false', 'False', 'FALSE'],
      [NaN, '.nan', '.NaN', '.NAN'],
      [Infinity, '.inf', '.Inf', '.INF', '+.inf'],
      [-Infinity, '-.inf', '-.Inf', '-.INF'],
      [0, '0', '-0', '+0', '000', '0x0', '0o0'],
      [12, '12', '+12', '012', '0xC', '0xc', '0o14'],
      [-12, '-12'],
      [1.5, '1.5', '+1.5', '15e-1', '0.15E1', '1.50'],
      [-0.5, '-.5', '-0.5'],
      [3, '3.', '3.0', '.3e+1'],
      [2 ** 53 - 1, '9007199254740991', '+9007199254740991', '0x1FFFFFFFFFFFFF', '0o377777777777777777'],
      [1 - 2 ** 53, '-9007199254740991'],
      [2n ** 53n, '9007199254740992', '+9007199254740992', '0x20000000000000'],
      [-(2n ** 53n), '-9007199254740992'],
    ];
    for (const [value, ...sources] of wanted)
      for (const source of sources) {
        const read = resolvePlain(source);
        assert.ok(read === value || (Object.is(read, NaN) && Object.is(value, NaN)), `${source}: ${String(read)}`);
      }
    assert.ok(Object.is(resolvePlain('-0'), 0), 'no negative zero');
  });

  it('is a text if it means nothing else', () => {
    for (const text of [
      ...['yes', 'no', 'on', 'off', 'nUll', 'tRUE', 'nulls', 'a true', '.nAn', '.iNF', '-.nan', 'a.inf', '.inf1'],
      ...[
        'toString',
        'constructor',
        '__proto__',
        '2020-01-01',
        '12:30:00',
        '1_000',
        '0b1',
        '0o8',
        '0xG',
        '-0x1',
        '+0o1',
      ],
      ...['0X1', '0O1', '1e', 'e1', '.', '-', '+', '1.2.3', '1e1.5', '--1', '1 ', '1a', 'a1', '0x1.5', '0o7x', 'x0o7'],
    ])
      assert.equal(resolvePlain(text), text);
  });

  it('is a text if it is an integer of more characters than any field takes', () => {
    assert.equal(maxDigits, 400);
    for (const [start, length] of [
      ['', 400],
      ['-', 399],
      ['0x', 398],
      ['0o', 398],
    ] as const) {
      const longest = start + '7'.repeat(length);
      assert.equal(typeof resolvePlain(longest), 'bigint', start);
      assert.equal(resolvePlain(`${longest}7`), `${longest}7`);
    }
  });
});
