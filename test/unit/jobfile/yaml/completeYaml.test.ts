import assert from 'node:assert/strict';
import { Anchors } from '../../../../src/jobfile/yaml/anchors.ts';
import { type CompleteResult, newBudget, parseComplete, refill } from '../../../../src/jobfile/yaml/completeYaml.ts';
import { nodeValue } from '../../../../src/jobfile/yaml/nodeValue.ts';
import { assertApproved } from '../../../support/approved.ts';
import { planted } from '../plantedTexts.ts';
import { generatedLines, generatedText, pieces, shapes, show } from '../yamlTexts.ts';

/** What is marked in a text. */
const marked = (text: string): string[] => parseComplete(text).problems.map(({ start, end }) => text.slice(start, end));

/** What the library reads in its own way, or what it is told to leave. */
const odd: readonly string[] = [
  'a: 1\na: 2\n',
  'a: !!set {b, c}\nd: !!omap [e: 1]\n',
  'a: !!str 5\nb: !!int "6"\nc: !!float 7\n',
  'a: !own\n  b: 1\n',
  'a: yes\nb: on\nc: 0o17\nd: 017\ne: 1_000\nf: 12:30:45\ng: 2026-01-01\n',
  'a: 1\n--- # second\nb: 1\n--- # third\nc: 1\n',
  'a: "x\n---\nb: 1\n',
  'a: *b\nc: *d\n',
  'a: &X 1\nb: &x 2\nc: [*X, *x]\n',
  '&a b: 1\nc: *a\n',
  '*a : 1\n',
  '&a [x]: 1\n? *a\n: 2\n',
  '&k key: &v value\n*k : *v\n',
  '? {a: 1}\n: 2\n',
  '? \n: 2\n',
  ': 2\n',
  '[a]: 1\n',
  '5: a\ntrue: b\nnull: c\n0x10: d\n"6": e\n',
  'a :   \nb\t: 1\n"c"  :\n  - \n  -   # note\n  - d\n',
  'a: |\n  x  \n\n\nb: >\n  y\n   \nc: |\n\nd: ""\ne: \'\'\n',
  'a: !!null\nb: !!str\n',
  'a: {"b":1,"c":[2,3]}\n',
  '{"a": 1,\n "b" 2}\n',
  '{"a": "x"\n "b": 2}\n',
  'a: "x" "y"\n',
  'a: [b\n',
  'a: [{b: 1}\nc: 2\n',
  'a: "b\nc: \'d\n',
  'a:\n - b\n  - c\n',
  'a:\n   b: 1\n  c: 2\n',
  'a: b\nc\nd: e\n',
  'a: b\n   word: more\n',
  'a: "\\z" \n',
  'a: "\\u12"\n',
  'a: ]\n',
  'a: 1 }\n',
  '   ]',
  'a: @',
  'a: b\n  ',
  'a: [\n\n\n',
  `a: ${'9'.repeat(30)}\nb: -${'9'.repeat(19)}\nc: 0x${'f'.repeat(20)}\n`,
  `a: ${'9'.repeat(399)}\nb: ${'9'.repeat(400)}\nc: ${'9'.repeat(401)}\nd: ${'9'.repeat(402)}\n`,
  'a:\n<<<<<<< HEAD\n  b: 1\n=======\n  b: 2\n>>>>>>> other\n',
];

describe('a text that the complete parser reads', () => {
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
    it(`is marked at ${JSON.stringify(mark)} in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(marked(text), [mark]);
      // At its own place in a longer text, too.
      const before = 'before: 1\n';
      const { problems } = parseComplete(`${before}${text}`, before.length, before.length + text.length);
      assert.deepEqual(
        problems.map(({ start, end }) => `${before}${text}`.slice(start, end)),
        [mark],
      );
    });

  it('has integers of any size exactly, and takes digits without end for a text', () => {
    const valueOf = (text: string): unknown =>
      (nodeValue(parseComplete(`&x a: ${text}\n`).root).value as { a: unknown }).a;
    assert.equal(valueOf('9223372036854775807'), 9223372036854775807n);
    assert.equal(valueOf('12'), 12);
    assert.equal(valueOf('0x1F'), 31);
    assert.equal(valueOf('1.5'), 1.5);
    assert.equal(valueOf('9'.repeat(5000)), '9'.repeat(5000));
  });

  it('goes no deeper than a hundred levels, and says so', () => {
    const nested = (depth: number): string => `&x a: ${'['.repeat(depth)}${']'.repeat(depth)}\n`;
    assert.equal(parseComplete(nested(98)).problems.length, 0);
    assert.equal(parseComplete(nested(99)).problems.length, 1);
    const { root, problems } = parseComplete(nested(120));
    assert.deepEqual([problems.length, root], [1, null]);
    assert.match(problems[0]?.message ?? '', /deep|level/);
  });

  it('reads large texts, and stops where one would be felt', () => {
    const list = (count: number): string => `&x a:\n${'  - b: 1\n'.repeat(count)}`;
    assert.deepEqual([parseComplete(list(600)).problems, parseComplete(list(600)).root === null], [[], false]);
    assert.equal(parseComplete(list(20_000)).problems.length, 1);
  });

  /** The tree with its places, in one line for each node, and the mistakes. */
  const told = (text: string, { root, problems }: CompleteResult): string => {
    const wrong = problems.map(
      ({ code, start, end, severity, message }) => `  ! ${severity} ${code} ${start}-${end} ${message}\n`,
    );
    return `${JSON.stringify(text)}\n  ${show(root)}\n${wrong.join('')}`;
  };

  it('is read as it was approved, with each place, value and mistake', () => {
    const mistaken = planted.map(([, text]) => text.replace('⟦', '').replace('⟧', ''));
    const seeds = Array.from({ length: 120 }, (_, index) => index + 1);
    const all = [
      ...shapes,
      ...odd,
      ...mistaken,
      ...seeds.map(generatedLines),
      ...seeds.map((seed) => generatedText(seed, pieces)),
    ];
    assertApproved('yaml-complete-trees', all.map((text) => told(text, parseComplete(text))).join(''));
  });

  it('has the same tree in the middle of a longer one, at its own place', () => {
    const before = 'before: "x"\n';
    for (const text of [...shapes, ...odd].filter(
      (each) => each !== '' && !each.startsWith('%') && !each.startsWith('\ufeff'),
    )) {
      const alone = parseComplete(text);
      const found = parseComplete(`${before}${text}after: [\n`, before.length, before.length + text.length);
      const moved = show(alone).replace(
        /"(start|end)":(\d+)/g,
        (_all, name: string, at: string) => `"${name}":${Number(at) + before.length}`,
      );
      assert.equal(show(found), moved, JSON.stringify(text));
    }
  });

  it('knows the anchors of what is before it, and sets its own', () => {
    const anchors = new Anchors();
    const before = parseComplete('a: &x 1\nb: &y [2]\n', 0, undefined, newBudget(), anchors);
    assert.equal(before.problems.length, 0);
    const { root, problems } = parseComplete('c: *x\nd: *y\n? &k e\n: *k\n', 0, undefined, newBudget(), anchors);
    assert.deepEqual([nodeValue(root).value, problems], [{ c: 1, d: [2], e: 'e' }, []]);
    assert.equal(parseComplete('c: *x\n').problems.length, 1);
  });

  it('costs what is left of it, of which enough can be had again', () => {
    const budget = newBudget();
    const { cost } = budget;
    parseComplete('a: &x 1\n', 0, undefined, budget);
    assert.ok(budget.cost < cost && budget.cost > cost - 50);
    assert.equal(refill(budget).cost, budget.cost);
    const spent = refill({ cost: 10 });
    assert.deepEqual([spent.cost, refill({ cost: -5 }).cost], [cost * 0.75, cost * 0.75]);
    assert.equal(parseComplete('a: &x 1\n', 0, undefined, { cost: 3 }).problems[0]?.code, 'tooLarge');
  });

  it('is read up to a cost, by lines, brackets, escapes and characters', () => {
    /** The largest count that is read. */
    const most = (made: (count: number) => string): number => {
      let [low, high] = [1, 400_000];
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (parseComplete(made(middle)).problems.length === 0) low = middle;
        else high = middle;
      }
      return low;
    };
    const limits = {
      lines: most((count) => `&x a:\n${'  - b: 1\n'.repeat(count)}`),
      'items in brackets': most((count) => `&x a: [${'1,'.repeat(count)}]\n`),
      escapes: most((count) => `&x a: "${'\\n'.repeat(count)}"\n`),
      'characters of one text': most((count) => `&x a: "${'n'.repeat(count)}"\n`),
    };
    assertApproved(
      'yaml-complete-limits',
      Object.entries(limits)
        .map(([name, count]) => `${name}: ${count}\n`)
        .join(''),
    );
  }).timeout(30_000);

  it('says where it stopped, in the longer text', () => {
    const before = 'before: 1\n';
    for (const [text, code] of [
      [`&x a: ${'['.repeat(120)}`, 'tooDeep'],
      [`&x a: [${'1,'.repeat(20_000)}]`, 'tooLarge'],
    ] as const) {
      const [alone] = parseComplete(text).problems;
      const [found] = parseComplete(before + text, before.length).problems;
      assert.deepEqual([alone?.code, alone?.end], [code, (alone?.start ?? 0) + 1]);
      assert.ok(alone && alone.start > 50 && alone.start < text.length);
      assert.equal(found?.start, alone.start + before.length);
    }
  });

  it('leaves the traces of errors elsewhere as they were', () => {
    const { stackTraceLimit } = Error;
    try {
      Error.stackTraceLimit = 25;
      parseComplete('a: "x\\q"\n');
      assert.equal(Error.stackTraceLimit, 25);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  });
});
