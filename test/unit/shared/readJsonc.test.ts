import assert from 'node:assert/strict';
import { readJsonc } from '../../../src/shared/readJsonc.ts';

describe('JSON as people keep it', () => {
  it('may hold comments and a comma before the end of what holds a value', () => {
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

  it('is refused where it is something else', () => {
    for (const text of [
      '',
      '// only\n',
      '[,]',
      '{,}',
      '[1,,]',
      '[1,,2]',
      ',',
      '1,',
      '{"a" 1}',
      '[1',
      '{"a": 1,',
      'a: 1',
      '[1}',
      '[1 2]',
      '1 2',
      '/* a',
      '["a',
    ])
      assert.throws(() => readJsonc(text), SyntaxError, `it is ${JSON.stringify(text)}`);
  });
});
