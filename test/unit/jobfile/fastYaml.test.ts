import assert from 'node:assert/strict';
import { parseComplete } from '../../../src/jobfile/completeYaml.ts';
import { parseFast } from '../../../src/jobfile/fastYaml.ts';

/** A small generator with a seed, so that a failure can be repeated. */
function randomness(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pieces = [
  'a', 'name', 'key:', ': ', ':', ' ', '  ', '    ', '\n', '\n', '\n  ', '\n    ', '\n- ', '\n  - ', '- ', '-', '#', ' # note', '"', "'", '"q"', "'it''s'", '"a\\n\\u00e9"', '\\', '|', '|-', '|+', '>', '[', ']', '{', '}', ',', ', ',
  '1', '-1', '+2', '007', '0x1f', '0o17', '1.50', '.5', '1e3', '.inf', '.nan', '9007199254740993', '-9223372036854775808', 'true', 'no', 'null', '~', '&x ', '*x', '!t ', '?', '? ', '<<: ', '---', '...', '%', '@', '`', '\t', '\r\n', '\r', 'é', '😀', '\u00a0', '\u2028', '\ufeff',
  'a: b', 'libraries:\n- jar: x', '\nm: {a: 1, "b":2, c: [x, y]}', '\nt: |\n  x\n   y\n\n', '\nk: v # c', '{"a": [1, {"b": null}]}', 'x:y', 'http://x/#y', 'a b',
];

function show(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? `${item}n` : item === Infinity || item === -Infinity ? String(item) : item));
}

/** What the fast parser says must be what the complete parser says; where it is silent, nothing is claimed. */
function compare(text: string): boolean {
  const fast = parseFast(text);
  if (fast === undefined) return false;
  const complete = parseComplete(text);
  assert.deepEqual([show(complete.root), complete.problems], [show(fast), []], `differs for ${JSON.stringify(text)}`);
  return true;
}

describe('parseFast', () => {
  it('reads what job files are written in as the complete parser does', () => {
    const texts = [
      '', '# only a comment\n', '---\na: 1\n', 'a: 1', 'a:\nb:\n', 'a: 1 # note\n\n  # far\nb: 2\n',
      'libraries:\n- jar: x\n- pypi:\n    package: y\n- - 1\n  - 2\n-\nname: z\n',
      'libraries:\n  - jar: x\n\n  - maven: {coordinates: "a:b:1", exclusions: [c, d]}\n',
      't: |\n  a\n   b\n\n  c\n\nu: |-\n    x\n', '- |\n x\n- y\n', 'a: "x\\ty" # c\nb: \'it\'\'s\'\n"c d": e\n',
      '{\n  "a": 1,\n  "b": {"c": [true, null, "x", 1.5]},\n}\n', 'a: [1,\n  2, # two\n  3]\nb: {}\nc: []\n',
      'a:\r\n  b: 1\r\n  c: |\r\n    x\r\n    y\r\n', 'n: 9007199254740993\nm: -9223372036854775808\nz: -0\np: +5\n', 'a:\n  - b:\n      - c: 1\n        d: 2\n    e: 3\n',
    ];
    assert.deepEqual(texts.map((text) => [text, compare(text)]), texts.map((text) => [text, true]));
  });

  it('leaves everything else to the complete parser', () => {
    const texts = ['a: &x 1\nb: *x\n', 'a: !t b\n', 'a: >\n  x\n', 'a: b\n  c\n', '<<: {a: 1}\n', 'a: b: c\n', 'a\n- b\n', '\ta: 1\n', 'a: "x\n  y"\n', '[a: 1]', '? a\n: b\n', 'a: [1, 2', "a: 'x", '---\na: 1\n---\nb: 2\n', '%YAML 1.2\n---\na: 1\n'];
    assert.deepEqual(texts.map((text) => [text, parseFast(text)]), texts.map((text) => [text, undefined]));
  });

  it('never differs from the complete parser on generated texts', () => {
    let read = 0;
    for (let seed = 1; seed <= Number(process.env['FUZZ_CASES'] ?? 6000); seed++) {
      const next = randomness(seed);
      let text = '';
      for (let count = 1 + next(14); count > 0; count--) text += pieces[next(pieces.length)] ?? '';
      if (compare(text)) read++;
    }
    assert.ok(read > 100, `only ${read} texts were read by both`);
  });
});
