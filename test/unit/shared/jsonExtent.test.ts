import assert from 'node:assert/strict';
import { excessOf, findExcess } from '../../../src/shared/jsonExtent.ts';

const limits = { maxValues: 5, maxDepth: 3 };

describe('findExcess', () => {
  it('counts values and levels outside of strings', () => {
    assert.equal(findExcess('[1,2,3]', limits), undefined);
    assert.equal(findExcess('{"a":1,"b":[2]}', limits), undefined);
    assert.equal(findExcess('[1,2,3]', { maxValues: 4, maxDepth: 1 }), undefined);
    assert.match(findExcess('[1,2,3]', { maxValues: 3, maxDepth: 1 }) ?? '', /more than 3 values/);
    assert.match(findExcess('[1,2,3,4,5]', limits) ?? '', /more than 5 values/);
    assert.match(findExcess('[[[[]]]]', limits) ?? '', /more than 3 levels/);
    assert.equal(findExcess('[[],[],[]]', { maxValues: 20, maxDepth: 2 }), undefined);
  });

  it('reads nothing in strings, however they are written', () => {
    assert.equal(findExcess('["[[[[,,,,,,"]', limits), undefined);
    assert.equal(findExcess(String.raw`["\"[[[[,,,,,,"]`, limits), undefined);
    assert.match(findExcess(String.raw`["\\",1,2,3,4,5]`, limits) ?? '', /values/);
    assert.equal(findExcess('["never closed [[[[,,,,,,', limits), undefined);
  });

  it('counts lists and objects, opened and closed, and their commas', () => {
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

  it('takes twice as many texts as values, since a name and its value are two, and no more', () => {
    assert.equal(findExcess('""'.repeat(10), limits), undefined);
    assert.equal(findExcess('""'.repeat(11), limits), 'more than 5 values');
  });

  it('counts values of many characters as well, and looks no further where no value has so many', () => {
    for (const value of ['false', '-1.5e+10', 'null', '1234567890']) {
      assert.equal(findExcess(`[${Array.from({ length: 4 }, () => value).join()}]`, limits), undefined, value);
      assert.equal(
        findExcess(`[${Array.from({ length: 5 }, () => value).join()}]`, limits),
        'more than 5 values',
        value,
      );
    }
    assert.equal(findExcess(`${'x'.repeat(95)},1,2,3,4,5`, limits), 'more than 5 values');
    assert.equal(findExcess(`${'x'.repeat(101)},1,2,3,4,5`, limits), undefined);
  });

  it('counts the digits of one number, whatever stands around it', () => {
    for (const digit of ['0', '9']) {
      assert.equal(findExcess(digit.repeat(401), limits), 'a number of more than 400 digits');
      assert.equal(findExcess(`[${digit.repeat(400)},${digit.repeat(400)}]`, limits), undefined);
    }
    assert.equal(findExcess(`${'/'.repeat(401)}`, limits), undefined);
    assert.equal(findExcess(`${'a'.repeat(401)}`, limits), undefined);
    assert.equal(findExcess(`["x",${'1'.repeat(401)}]`, limits), 'a number of more than 400 digits');
  });

  it('refuses a number whose reading would take long', () => {
    assert.equal(findExcess('9'.repeat(400), limits), undefined);
    assert.match(findExcess('9'.repeat(401), limits) ?? '', /400 digits/);
    assert.equal(findExcess(`"${'9'.repeat(401)}"`, limits), undefined);
  });

  it('tells by a code what it is, for those who say it in words of their own', () => {
    assert.deepEqual(
      ['[1,2,3,4,5]', '[[[[]]]]', '[123]', '[12]'].map((text) => excessOf(text, { ...limits, maxDigits: 2 })),
      ['values', 'depth', 'digits', undefined],
    );
  });
});
