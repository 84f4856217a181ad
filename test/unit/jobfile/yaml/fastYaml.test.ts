import assert from 'node:assert/strict';
import { parseComplete } from '../../../../src/jobfile/yaml/completeYaml.ts';
import { parseFast } from '../../../../src/jobfile/yaml/fastYaml.ts';
import { nodeValue } from '../../../../src/jobfile/yaml/nodeValue.ts';
import { assertApproved } from '../../../support/approved.ts';
import { near } from '../nearlyPlain.ts';
import { generatedLines, generatedText, pieces, shapes, show } from '../yamlTexts.ts';

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
      '',
      '# only a comment\n',
      '---\na: 1\n',
      'a: 1',
      'a:\nb:\n',
      'a: 1 # note\n\n  # far\nb: 2\n',
      'libraries:\n- jar: x\n- pypi:\n    package: y\n- - 1\n  - 2\n-\nname: z\n',
      'libraries:\n  - jar: x\n\n  - maven: {coordinates: "a:b:1", exclusions: [c, d]}\n',
      't: |\n  a\n   b\n\n  c\n\nu: |-\n    x\n',
      '- |\n x\n- y\n',
      'a: "x\\ty" # c\nb: \'it\'\'s\'\n"c d": e\n',
      '{\n  "a": 1,\n  "b": {"c": [true, null, "x", 1.5]},\n}\n',
      'a: [1,\n  2, # two\n  3]\nb: {}\nc: []\n',
      'a:\r\n  b: 1\r\n  c: |\r\n    x\r\n    y\r\n',
      'n: 9007199254740993\nm: -9223372036854775808\nz: -0\np: +5\n',
      'a:\n  - b:\n      - c: 1\n        d: 2\n    e: 3\n',
    ];
    assert.deepEqual(
      texts.map((text) => [text, compare(text)]),
      texts.map((text) => [text, true]),
    );
  });

  it('leaves everything else to the complete parser', () => {
    const texts = [
      'a: &x 1\nb: *x\n',
      'a: !t b\n',
      'a: >\n  x\n',
      'a: b\n  c\n',
      '<<: {a: 1}\n',
      'a: b: c\n',
      'a\n- b\n',
      '\ta: 1\n',
      'a: "x\n  y"\n',
      '[a: 1]',
      '? a\n: b\n',
      'a: [1, 2',
      'a: [1,#x\n 2]\n',
      'a: [1,\t2]\n',
      'a: [1 2, \t]\n',
      'a: {<<: {b: 1}}\n',
      'a: {"b"\n : 1}\n',
      'a: {b\n : 1}\n',
      'a: [b,c:]\n',
      'a: [b: c]\n',
      'a: {b:[1]}\n',
      'a: [1,, 2]\n',
      'a: [1} ]\n',
      'a:\n  [1,\n2]\n',
      'a: [1] b\n',
      'a: [1]# b\n',
      '- k: v\n j: w\n',
      'a:\n  - k: v\n   j: w\nb: 1\n',
      'a:\n    b: 1\n  c: 2\n',
      ' ---\n a: 1\n',
      'a: "x"# b\n',
      'a: "x" y\n',
      "a: 'x'y\n",
      'a: 1\n  b: 2\n',
      "a: 'x",
      '---\na: 1\n---\nb: 2\n',
      '%YAML 1.2\n---\na: 1\n',
    ];
    assert.deepEqual(
      texts.map((text) => [text, parseFast(text)]),
      texts.map((text) => [text, undefined]),
    );
  });

  it('leaves keys to it that it refuses for their length', () => {
    const key = 'k'.repeat(1100);
    assert.deepEqual(
      [`${key}: 1\n`, `"${key}": 1\n`, `'${key}': 1\n`, `${key.slice(200)}${' '.repeat(200)}: 1\n`].map((text) =>
        parseFast(text),
      ),
      [undefined, undefined, undefined, undefined],
    );
  });

  it('never differs from the complete parser on generated texts', function () {
    this.timeout(600_000);
    let read = 0;
    for (let seed = 1; seed <= (process.env['MILLRACE_LONG'] === undefined ? 6000 : 400_000); seed++) {
      if (compare(generatedText(seed, pieces))) read++;
    }
    assert.ok(read > 100, `only ${read} texts were read by both`);
  });

  it('never differs from it on lines of jobs, and reads those that it read when this was approved', function () {
    this.timeout(600_000);
    const read: number[] = [];
    for (let seed = 1; seed <= 12_000; seed++) if (compare(generatedLines(seed)) && seed <= 4000) read.push(seed);
    const plain = [...shapes, ...near].filter((text) => compare(text));
    assertApproved('yaml-fast', `${read.join(' ')}\n${plain.map((text) => JSON.stringify(text)).join('\n')}\n`);
  });

  it('leaves a lone carriage return to the complete parser, at the end of a text too', () => {
    for (const text of ['a: b\r', 'a:\r', '- a\r', 'a: "b"\r', 'a: b\rc: d\n', 'a: 1 # c\r', '# c\r'])
      assert.ok(parseFast(text) === undefined || compare(text), JSON.stringify(text));
    assert.equal(parseFast('a: b\r'), undefined);
    assert.ok(compare('a: b\r\n'));
  });

  it('reads a part of a text as the text alone', () => {
    const before = 'x: [\n';
    for (const text of ['a:\n  b: |\n    c\n\n', '- "x"\n- [1,\n  2]\n', 'a: {b: 1}', 'k:\n- v\n'])
      for (const after of ['', 'y: "\n', '  more\n']) {
        const whole = `${before}${text}${text.endsWith('\n') || after === '' ? '' : '\n'}${after}`;
        const part = parseFast(whole, before.length, before.length + text.length);
        assert.ok(part);
        // The places are those of the whole text.
        const alone = show(parseFast(text)).replace(
          /"(start|end)":(\d+)/g,
          (_all, name: string, at: string) => `"${name}":${Number(at) + before.length}`,
        );
        assert.equal(show(part), alone, JSON.stringify(whole));
      }
  });

  it('reads a part that ends or begins within a line as far as it goes', () => {
    const whole = 'a: 1\rb\nc: 22\nd: "x"\n';
    const part = (from: number, to: number): string => show(nodeValue(parseFast(whole, from, to) ?? null).value);
    assert.deepEqual(
      [part(7, 13), part(7, 11), part(7, whole.length - 1), parseFast(whole)],
      ['{"c":22}', '{"c":2}', '{"c":22,"d":"x"}', undefined],
    );
    // A quote that closes behind the part closes nothing of it.
    for (const text of ['a: "x"\n', 'a: ["x"]\n', "a: {'b': 1}\n", 'a: |\n  b\n'])
      for (let to = 4; to < text.length - 1; to += 1)
        assert.deepEqual(show(parseFast(text, 0, to)), show(parseFast(text.slice(0, to))), `${text} to ${to}`);
  });

  it('goes 64 levels deep', () => {
    const flow = (depth: number): string => `a: ${'['.repeat(depth)}${']'.repeat(depth)}\n`;
    const block = (depth: number): string => `${'- '.repeat(depth)}x\n`;
    const keys = (depth: number): string =>
      Array.from({ length: depth }, (_, at) => `${' '.repeat(at)}k:\n`).join('') + `${' '.repeat(depth)}x\n`;
    const least = (made: (depth: number) => string): number => {
      let depth = 1;
      while (parseFast(made(depth)) !== undefined) depth += 1;
      return depth;
    };
    assert.deepEqual([flow, block, keys].map(least), [66, 65, 65]);
    assert.equal(
      least((depth) => `${'{a: '.repeat(depth)}1${'}'.repeat(depth)}`),
      65,
    );
  });
});
