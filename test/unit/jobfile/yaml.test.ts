import assert from 'node:assert/strict';
import { parseComplete } from '../../../src/jobfile/yaml/completeYaml.ts';
import { parseDocument } from '../../../src/jobfile/yaml/document.ts';
import { parseFast } from '../../../src/jobfile/yaml/fastYaml.ts';
import { nodeValue } from '../../../src/jobfile/yaml/nodeValue.ts';
import { cases } from '../../support/counts.ts';
import { generatedText, pieces, show } from './yamlTexts.ts';

function compare(text: string): boolean {
  const fast = parseFast(text);
  if (fast === undefined) return false;
  const complete = parseComplete(text);
  assert.deepEqual([show(complete.root), complete.problems], [show(fast), []], `differs for ${JSON.stringify(text)}`);
  return true;
}

describe('parseFast', () => {
  it('agrees with the yaml library on generated texts', function () {
    this.timeout(600_000);
    let read = 0;
    for (let seed = 1; seed <= cases(400_000, 3000); seed++) {
      if (compare(generatedText(seed, pieces))) read++;
    }
    assert.ok(read > 100, `only ${read} texts were read by both`);
  });
});

/** Texts with the shape of a job file, broken at any place. */
const jobPieces = [
  ...pieces.filter((piece) => !/[&*%]|---|\.\.\./.test(piece)),
  '\nname: x\n',
  '\nname: x\n',
  '\nschedule:\n',
  '\n  a: 1\n',
  '\n  b: c\n',
  '\n    d: e\n',
  '\nlibraries:\n',
  '\n  - jar: x\n',
  '\n- y: z\n',
  '\nfoo bar\n',
  '\n  foo\n',
  '\nfoo\n',
  '\ng: &h\n',
  '\n<<: *h\n',
  '\nm: *h\n',
  '\n- &h k: l\n',
  '\n\tb: c\n',
  '\n k: v\n',
  '\n   k: v\n',
  '\na:b\n',
];

describe('Parsing in parts', () => {
  it('agrees with the yaml library on generated job files', function () {
    this.timeout(600_000);
    let whole = 0;
    const count = cases(400_000, 1500);
    for (let seed = 1; seed <= count; seed++) {
      const text = generatedText(seed, jobPieces, 'k: v\n');
      // The library refuses lines of nothing but tabs, which are comments by the standard.
      if (parseFast(text) !== undefined || /^ *\t\s*$/m.test(text)) continue;
      const ours = parseDocument(text);
      const complete = parseComplete(text);
      assert.equal(ours.problems.length > 0, complete.problems.length > 0, `differs for ${JSON.stringify(text)}`);
      if (complete.problems.length > 0) continue;
      assert.equal(show(ours.root), show(complete.root), `differs for ${JSON.stringify(text)}`);
      whole++;
    }
    assert.ok(whole > count / 50, `only ${whole} texts were right`);
  });

  it('keeps the parts around an error', () => {
    const { root, problems, broken } = parseDocument(
      'name: x\nlibraries:\n  - jar: a\n  - jar: [b\n  - jar: c\nschedule:\n  timezone_id UTC\n  pause_status: PAUSED\n',
    );
    assert.deepEqual(
      problems.map(({ start, end }) => [start, end]),
      [
        [39, 40],
        [65, 80],
      ],
    );
    assert.deepEqual(broken, [
      { start: 30, end: 42 },
      { start: 63, end: 81 },
    ]);
    assert.equal(
      root?.kind === 'map' &&
        root.entries
          .map(
            ({ key, value }) =>
              `${key.name} ${value.kind === 'map' ? value.entries.length : value.kind === 'seq' ? value.items.length : ''}`,
          )
          .join(),
      'name ,libraries 3,schedule 1',
    );
  });
});

/** What is marked in a text. */
const marked = (text: string): string[] => parseComplete(text).problems.map(({ start, end }) => text.slice(start, end));

describe('parseComplete', () => {
  const mistakes: readonly (readonly [text: string, mark: string])[] = [
    ['a: "x\\qy"\n', '\\q'],
    ['a: 1\n---\nb: 1\n', '---'],
    ['a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n', '<<<<<<<'],
    ['{"a": "x" "b": 2}\n', '"b"'],
    ['a: [1,\nb: 2\n', '['],
    ['a: {b: 1,\nc: 2\n', '{'],
    ['a: "x\nb: 2\n', '"'],
    ['a: b\n  c: d\n', 'c'],
    ['a: !x 1\n', '!x'],
    ['- &a b\n- *c\n', '*c'],
  ];
  for (const [text, mark] of mistakes)
    it(`marks ${JSON.stringify(mark)} in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(marked(text), [mark]);
      // At its own place in a longer text, too.
      const before = 'before: 1\n';
      const { problems } = parseComplete(`${before}${text}`, before.length, before.length + text.length);
      assert.deepEqual(
        problems.map(({ start, end }) => `${before}${text}`.slice(start, end)),
        [mark],
      );
    });

  it('reads integers of any size exactly', () => {
    const valueOf = (text: string): unknown =>
      (nodeValue(parseComplete(`&x a: ${text}\n`).root).value as { a: unknown }).a;
    assert.equal(valueOf('9223372036854775807'), 9223372036854775807n);
    assert.equal(valueOf('12'), 12);
    assert.equal(valueOf('0x1F'), 31);
    assert.equal(valueOf('1.5'), 1.5);
    assert.equal(valueOf('9'.repeat(5000)), '9'.repeat(5000));
  });

  it('reports more than 100 levels', () => {
    const nested = (depth: number): string => `&x a: ${'['.repeat(depth)}${']'.repeat(depth)}\n`;
    assert.equal(parseComplete(nested(98)).problems.length, 0);
    assert.equal(parseComplete(nested(99)).problems.length, 1);
    const { root, problems } = parseComplete(nested(120));
    assert.deepEqual([problems.length, root], [1, null]);
    assert.match(problems[0]?.message ?? '', /deep|level/);
  });
});

describe('parseDocument', () => {
  it('refuses a text beyond 500,000 characters', () => {
    const text = `a: ${'x'.repeat(500_000 - 3)}`;
    assert.deepEqual([parseDocument(text).problems, parseDocument(text).root?.end], [[], 500_000]);
    assert.deepEqual(parseDocument(`${text}x`), {
      text: `${text}x`,
      root: null,
      problems: [
        {
          code: 'tooLarge',
          message: 'The file has 500001 characters. Job files over 500000 characters are not read. Shorten it.',
          start: 0,
          end: 1,
          severity: 'error',
        },
      ],
      broken: [{ start: 0, end: 500_001 }],
    });
  });
});

describe('Tab indentation', () => {
  const read = (text: string): unknown[] => {
    const { problems, broken, root, text: kept } = parseDocument(text);
    assert.equal(kept, text);
    const places = (ranges: readonly { start: number; end: number }[]): string =>
      ranges.map(({ start, end }) => `${start}-${end}`).join(' ');
    return [places(problems), places(broken), nodeValue(root).value];
  };

  it('is read as spaces if the lines fit', () => {
    for (const [text, ...wanted] of [
      ['a:\n\tb: 1\n\tc: 2\nd: 3\n', '3-4', '', { a: { b: 1, c: 2 }, d: 3 }],
      ['\ta: 1\n', '0-1', '', { a: 1 }],
      ['a:\n\t- b\n\t- c\n', '3-4', '', { a: ['b', 'c'] }],
      ['a:\n\tb:\n\t\tc: 1\nd: 2\n', '3-4', '', { a: { b: { c: 1 } }, d: 2 }],
      // A blank and a tab are as wide as two blanks.
      ['a:\n \tb: 1\n\t c: 2\n', '4-5', '', { a: { b: 1, c: 2 } }],
      ['a:\n\tb: 1', '3-4', '', { a: { b: 1 } }],
      ['a:\n\tb: 1\n# c\n\tc: 1\n', '3-4 13-14', '', { a: { b: 1, c: 1 } }],
      // Nothing stands in them.
      ['a: 1\n\t# c\nb: 2\n', '', '', { a: 1, b: 2 }],
    ] as const)
      assert.deepEqual(read(text), wanted, JSON.stringify(text));
  });

  it('drops lines that fit nowhere', () => {
    for (const [text, ...wanted] of [
      ['a:\n\tb: 1\nc: 2\n\td: 3\n', '3-4 14-15', '3-8 14-19', { a: null, c: 2 }],
      ['a:\n  b: 1\n\tc: 2\nd: 3\n', '10-11', '10-15', { a: { b: 1 }, d: 3 }],
      ['a:\n\tb: [\nc: 1\n', '3-4', '3-8', { a: null, c: 1 }],
      ['a: 1\n\tb: 2\n', '5-6', '5-10', { a: 1 }],
      ['a: 1\n\tb: 2\n  c: 3\nd: 4\n', '5-6', '0-18 5-10', { a: { '1\nc': 3 }, d: 4 }],
      ['a: 1\n\tb: 2\n\n  c: 3\n', '5-6', '0-19 5-10', { a: { '1\n\nc': 3 } }],
    ] as const)
      assert.deepEqual(read(text), wanted, JSON.stringify(text));
  });
});
