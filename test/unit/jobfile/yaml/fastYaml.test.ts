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

  it('never differs from the complete parser on generated texts', function () {
    this.timeout(600_000);
    let read = 0;
    for (let seed = 1; seed <= (process.env['MILLRACE_LONG'] === undefined ? 6000 : 400_000); seed++) {
      if (compare(generatedText(seed, pieces))) read++;
    }
    assert.ok(read > 100, `only ${read} texts were read by both`);
  });

});
