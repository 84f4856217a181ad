import assert from 'node:assert/strict';
import { parseJson, stringifyJson } from '../../../src/shared/json.ts';
import { findExcess } from '../../../src/shared/jsonExtent.ts';
import { readJsonc } from '../../../src/shared/readJsonc.ts';
import { cases, seededRandom } from '../../support/counts.ts';
import { cpuOf } from '../../support/cpuTime.ts';

/** The slow way that is right by construction: the source of every number is looked at. */
function reference(text: string): unknown {
  const parse = JSON.parse as (
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ) => unknown;
  return parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && /^-?\d+$/.test(source) && !Number.isSafeInteger(value)
      ? BigInt(source)
      : value,
  );
}

/** Texts that a fast way could get wrong. */
const probes = [
  '9007199254740993',
  ' 9007199254740993 ',
  '[9007199254740991,9007199254740992,9007199254740993,-9007199254740991,-9007199254740992]',
  '{"a":9223372036854775807,"b":-9223372036854775808,"c":18446744073709551615}',
  '{"a":"9007199254740993","b":":9007199254740993,","c":"\\":9007199254740993,\\"","d":9007199254740993}',
  '["a",":9007199254740993,",9007199254740993]',
  '":9007199254740993,"',
  '{"a":{"b":[{"c":9007199254740993},9007199254740995]},"d":9007199254740992,"10":9007199254740994}',
  '{"s":"[9007199254740993]","f":9007199254740992.0,"e":9.007199254740993e15}',
  '["\\\\\\\\\\":9007199254740993,",9007199254740993]',
  '{"9007199254740993":1,"k":{"9007199254740993":9007199254740993}}',
  '[1.9007199254740993,9007199254740993.0,9007199254740993e0,9007199254740993E+2,0.0000000000000000001,1e400]',
  '{"2":9007199254740993,"1":9007199254740992}',
  '[-0,0,-0.0,1e-7,0.1]',
  '["\\u0001900719925474099399","\\u00019007199254740993",9007199254740993]',
  `[${Array.from({ length: 26 }, (_, code) => code)
    .map((code) => `"\\u00${code.toString(16).padStart(2, '0')}"`)
    .join(',')},9007199254740993]`,
  '["\\u007f9007199254740993aaaa","\\u007F90071992547409931",9007199254740993]',
  '["\x7f900719925474099399","\x80",9007199254740993]',
  '["\x7f","\\u008090071992547409931",9007199254740993]',
  `[${['7f', '80', '81', '82', '83', '84'].map((code) => `"\\u00${code}"`).join(',')},9007199254740993]`,
  '{"text":"id: 12345678901234567890, and ü€😀","id":12345678901234567890}',
  `[${'1'.repeat(400)}]`,
  '[\n\t9007199254740993\r\n,\n9007199254740993\n]',
  '{"__proto__":{"x":9007199254740993}}',
];

const broken = [
  ...['', '{', '[9007199254740993', '[01234567890123456789]', '[-01234567890123456789]', '[+9007199254740993]'],
  ...['[- 9007199254740993]', '[--9007199254740993]', '{9007199254740993:1}', '{"a":1,9007199254740993}'],
  ...['[1 9007199254740993]', '{"a" 9007199254740993}', '9007199254740993,', '["9007199254740993'],
  ...['[9007199254740993}', 'x9007199254740993'],
];

describe('parseJson', () => {
  for (const probe of probes) {
    it(`reads ${probe.length > 70 ? `${probe.slice(0, 70)}…` : probe}`, () => {
      assert.deepEqual(parseJson(probe), reference(probe));
    });
  }

  it('reads very long integers as JSON.parse does, in linear time', async () => {
    assert.deepEqual(parseJson(`[${'1'.repeat(1000)}]`), [BigInt('1'.repeat(1000))]);
    assert.deepEqual(parseJson(`[${'1'.repeat(1001)}]`), [Number.POSITIVE_INFINITY]);
    assert.deepEqual(parseJson(`["\\u007f\x7f\x80\x81\x82\x83\x84",9007199254740993,${'1'.repeat(1001)}]`), [
      '\x7f\x7f\x80\x81\x82\x83\x84',
      9007199254740993n,
      Number.POSITIVE_INFINITY,
    ]);
    const text = `[9007199254740993,${'7'.repeat(9_000_000)}]`;
    assert.ok((await cpuOf(() => parseJson(text))) < 1000);
  });

  it('throws the errors of JSON.parse', () => {
    for (const text of broken) {
      let expected: unknown;
      try {
        JSON.parse(text);
      } catch (error) {
        expected = error;
      }
      assert.ok(expected instanceof SyntaxError, text);
      assert.throws(() => parseJson(text), { name: 'SyntaxError', message: expected.message }, text);
    }
  });

  it('reads deep nesting and long strings quickly', () => {
    let value = parseJson(`${'['.repeat(50_000)}9007199254740993${']'.repeat(50_000)}`);
    while (Array.isArray(value)) value = value[0];
    assert.equal(value, 9007199254740993n);
    const text = `["${':9007199254740993,'.repeat(100_000)}",9007199254740993]`;
    assert.equal((parseJson(text) as unknown[])[1], 9007199254740993n);
  });

  it('agrees with the reference on generated texts', () => {
    const random = seededRandom(11);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const digits = (): string =>
      `${random() < 0.3 ? '-' : ''}${1 + Math.floor(random() * 9)}` +
      `${Array.from({ length: Math.floor(random() * 24) }, () => Math.floor(random() * 10)).join('')}`;
    const text = (): string =>
      JSON.stringify(
        Array.from({ length: Math.floor(random() * 6) }, () =>
          pick(['"', '\\', ':', ',', '[', ']', ' ', 'ü', '\u0001', '\x7f', '\n', digits(), `:${digits()},`]),
        ).join(''),
      );
    // Names without escapes: V8 itself may read a one-letter escape as a name that it has seen before.
    const name = (): string =>
      JSON.stringify(pick(['a', 'b:', ',c', '[', '10', 'ü', '', 'x 12345678901234567,', `:${digits()},`]));
    const space = (): string => pick(['', '', '', ' ', '\n', '\t ']);
    const value = (depth: number): string => {
      const dice = random();
      if (depth > 4 || dice < 0.35)
        return pick([
          digits(),
          digits(),
          text(),
          `${digits()}.${Math.floor(random() * 1e9)}`,
          `${digits()}e${Math.floor(random() * 9)}`,
          'true',
          'null',
        ]);
      const items = Array.from({ length: Math.floor(random() * 5) }, () => value(depth + 1));
      if (dice < 0.65) return `[${space()}${items.join(`${space()},${space()}`)}${space()}]`;
      return `{${items.map((item) => `${space()}${name()}${space()}:${space()}${item}${space()}`).join(',')}}`;
    };
    for (let count = 0; count < cases(100_000, 5000); count++) {
      const generated = value(0);
      assert.deepEqual(parseJson(generated), reference(generated), generated);
    }
  });

  it('round-trips 10,000 INT64 values (P11)', () => {
    const random = seededRandom(12);
    for (let count = 0; count < 10_000; count++) {
      const bits = Math.floor(random() * 64);
      const id =
        (((BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32))) >>
          BigInt(63 - bits || 1)) *
        (random() < 0.5 ? -1n : 1n);
      const back = parseJson(stringifyJson({ id, list: [id] })) as { id: bigint | number; list: (bigint | number)[] };
      assert.equal(BigInt(back.id), id);
      assert.equal(BigInt(back.list[0] ?? 0), id);
    }
  });

  it('reads prototype names as plain fields (P13)', () => {
    const value = parseJson(
      '{"__proto__":{"polluted":9007199254740993},"constructor":{"prototype":{"polluted":1}},"id":9007199254740993}',
    ) as Record<string, unknown>;
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });
});

describe('stringifyJson', () => {
  it('writes bigints as digits and the rest as JSON.stringify does', () => {
    assert.equal(
      stringifyJson({ id: 9007199254740993n, text: 'a', list: [1, undefined], none: undefined }),
      '{"id":9007199254740993,"text":"a","list":[1,null]}',
    );
    assert.equal(stringifyJson(undefined), 'null');
    assert.equal(stringifyJson([1n], 2), '[\n  1\n]');
  });

  it('writes the same without JSON.rawJSON', () => {
    const json = JSON as { rawJSON?: unknown };
    const { rawJSON } = json;
    const marks = ['\x7f', '\x80', '\x81', '\x82', '\x83', '\x84'].map((mark) => `${mark}5`);
    const values = [
      { id: 9007199254740993n, text: '5', list: [1n, -2n, '1'] },
      { marks, id: 5n },
      [7n],
      3n,
      undefined,
      { '"\x7f': 1n, '\x7f"': 'a"' },
    ];
    const wanted = values.map((value) => stringifyJson(value, 2));
    delete json.rawJSON;
    try {
      assert.deepEqual(
        values.map((value) => stringifyJson(value, 2)),
        wanted,
      );
    } finally {
      Object.defineProperty(JSON, 'rawJSON', { value: rawJSON, configurable: true, writable: true });
    }
  });
});

describe('findExcess', () => {
  it('counts values and levels', () => {
    for (const [text, values, depth] of [
      ['1', 1, 0],
      ['[]', 2, 1],
      ['{}', 2, 1],
      ['[{},{}]', 5, 2],
      ['{"a":{"b":{}},"c":[]}', 6, 3],
      ['[{"a":1},{"b":2},{"c":3}]', 7, 2],
      [' \t\n\r [ 1 ,\n 2 ] ', 3, 1],
    ] as const) {
      assert.equal(findExcess(text, { maxValues: values, maxDepth: depth }), undefined, text);
      if (values > 1)
        assert.equal(
          findExcess(text, { maxValues: values - 1, maxDepth: depth }),
          `more than ${values - 1} values`,
          text,
        );
      if (depth > 0)
        assert.equal(
          findExcess(text, { maxValues: values, maxDepth: depth - 1 }),
          `more than ${depth - 1} levels of lists and objects inside of each other`,
          text,
        );
    }
  });
});

describe('readJsonc', () => {
  it('accepts comments and trailing commas', () => {
    for (const [text, value] of [
      ['{"a": 1, "b": [true, null]}', { a: 1, b: [true, null] }],
      ['\ufeff{"a": 1}', { a: 1 }],
      ['// first\n{"a": /* one */ 1, // last\n}', { a: 1 }],
      ['[1, 2,]', [1, 2]],
      ['{"a": [{"b": 1,},], }', { a: [{ b: 1 }] }],
      ['[[],]', [[]]],
      ['[1, // more\n /* and more */]', [1]],
      ['{"a": "// no, /* comment */,]"}', { a: '// no, /* comment */,]' }],
      ['[9007199254740993, -1.5]', [9007199254740993n, -1.5]],
      [' "a" ', 'a'],
      ['[]', []],
      ['{}', {}],
    ] as const)
      assert.deepEqual(readJsonc(text), value, text);
  });

  it('rejects other texts', () => {
    for (const text of [
      ...['', '// only\n', '[,]', '{,}', '[1,,]', '[1,,2]', ',', '1,', '{"a" 1}', '[1', '{"a": 1,', 'a: 1', '[1}'],
      ...['[1 2]', '1 2', '/* a', '["a'],
    ])
      assert.throws(() => readJsonc(text), SyntaxError, `it is ${JSON.stringify(text)}`);
  });
});
