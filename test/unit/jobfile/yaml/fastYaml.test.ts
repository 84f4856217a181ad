import assert from 'node:assert/strict';
import { parseComplete } from '../../../../src/jobfile/yaml/completeYaml.ts';
import { parseFast } from '../../../../src/jobfile/yaml/fastYaml.ts';
import { nodeValue } from '../../../../src/jobfile/yaml/nodeValue.ts';
import { generatedText, pieces, show } from '../yamlTexts.ts';

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

  it('never differs from the complete parser on generated texts', function () {
    this.timeout(600_000);
    let read = 0;
    for (let seed = 1; seed <= (process.env['MILLRACE_LONG'] === undefined ? 6000 : 400_000); seed++) {
      if (compare(generatedText(seed, pieces))) read++;
    }
    assert.ok(read > 100, `only ${read} texts were read by both`);
  });

});
