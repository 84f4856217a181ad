import assert from 'node:assert/strict';
import { joinMembers, rawMembers, withoutRepeatedMembers } from '../../../../src/service/store/rawJson.ts';

describe('Raw JSON', () => {
  it('keeps the text of every value', () => {
    const text =
      ' { "a" : 9007199254740993 , "b":"x\\"},{" ,"c" : [1, {"d":"]"}, 1.50e3 ] , "e":{} , "\\u0061b":null }\n';
    assert.deepEqual(
      [...rawMembers(text)],
      [
        ['a', '9007199254740993'],
        ['b', '"x\\"},{"'],
        ['c', '[1, {"d":"]"}, 1.50e3 ]'],
        ['e', '{}'],
        ['ab', 'null'],
      ],
    );
  });

  it('takes the last of repeated members and keeps __proto__ harmless', () => {
    const members = rawMembers('{"a":1,"__proto__":{"x":2},"a":3}');
    assert.deepEqual(
      [...members],
      [
        ['a', '3'],
        ['__proto__', '{"x":2}'],
      ],
    );
    assert.equal(joinMembers(members), '{"a":3,"__proto__":{"x":2}}');
  });

  it('agrees with JSON.parse on generated objects', () => {
    let seed = 7;
    const random = (most: number): number => (seed = (seed * 48271) % 2147483647) % most;
    const value = (depth: number): unknown => {
      const kind = random(depth > 3 ? 4 : 6);
      if (kind === 0) return random(1e9) - 5e8;
      if (kind === 1) return ['', 'é"\\', '}{][,:', '\u2028\ud83d\ude00', '\n\t'][random(5)];
      if (kind === 2) return random(2) === 0;
      if (kind === 3) return null;
      if (kind === 4) return Array.from({ length: random(4) }, () => value(depth + 1));
      return Object.fromEntries(Array.from({ length: random(4) }, (_, index) => [`k${index}"`, value(depth + 1)]));
    };
    for (let round = 0; round < 2000; round += 1) {
      const object = { a: value(0), 'b c': value(0), '"': value(0) };
      const text = JSON.stringify(object, undefined, random(3));
      const found = Object.fromEntries([...rawMembers(text)].map(([key, raw]) => [key, JSON.parse(raw) as unknown]));
      assert.deepEqual(found, object);
    }
  });

  it('drops repeated members at every level', () => {
    const plain = ' { "a" : [ { "b" : "}\\"," } , 1.50 ] , "c" : "," } ';
    assert.equal(withoutRepeatedMembers(plain), plain);
    assert.equal(
      withoutRepeatedMembers(
        '{"a": 1, "b": [{"x":"1","y":2,"x":"]}"}, "p,\\"q", [], 1e3 ], "a" : {"c":null,"c":true}, "\\u0062":3}',
      ),
      '{"a":{"c":true},"b":3}',
    );
    assert.equal(withoutRepeatedMembers('{"a":1,"a":2, "b":3, "c": {"d":4}}'), '{"a":2,"b":3,"c":{"d":4}}');
    assert.equal(withoutRepeatedMembers('[{"x":1,"x":"a b"}, "c" , 2 ]'), '[{"x":"a b"},"c",2]');
    assert.equal(withoutRepeatedMembers('"a"'), '"a"');
  });
});
