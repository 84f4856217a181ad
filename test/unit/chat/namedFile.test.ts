import assert from 'node:assert/strict';
import { namedFile } from '../../../src/chat/namedFile.ts';

const code = 'x = 1\n';
const block = (info: string, text = code): string => `\`\`\`${info}\n${text}\`\`\`\n`;

describe('the file that an answer names for its code', () => {
  it('stands behind the language, in the line above, in a comment at the start or in the head of a diff', () => {
    for (const answer of [
      block('python title="jobs/x.py"'),
      block('python filename=jobs/x.py'),
      block('python:jobs/x.py'),
      block('python jobs/x.py'),
      block('jobs/x.py'),
      `Change **jobs/x.py**, line 3:\n\n${block('python')}`,
      `### \`jobs/x.py\`\n${block('')}`,
    ])
      assert.equal(namedFile([answer], code), 'jobs/x.py', answer);
    const commented = `# jobs/x.py\n${code}`;
    assert.equal(namedFile([block('python', commented)], commented), 'jobs/x.py');
    const diff = '--- a/jobs/x.py\n+++ b/jobs/x.py\n@@ -1 +1 @@\n-a\n+b\n';
    assert.equal(namedFile([block('diff', diff)], diff), 'jobs/x.py');
  });

  it('is none where the line above names two, or none, or only a library', () => {
    for (const line of ['Take `a.py` and `b.py`:', 'As so:', 'With pandas 2.2:', 'See https://example.com/a.py:'])
      assert.equal(namedFile([`${line}\n\n${block('python')}`], code), undefined, line);
    assert.equal(namedFile([block('python')], code), undefined);
    assert.equal(namedFile([], code), undefined);
  });

  it('is that of the newest answer that has the code, also where a list indents it', () => {
    assert.equal(namedFile([`a.py:\n${block('')}`, `b.py:\n${block('')}`, 'no code'], code), 'b.py');
    assert.equal(namedFile(['1. In `c.py`:\n\n   ```python\n   x = 1\n   ```\n'], code), 'c.py');
    assert.equal(namedFile([`a.py:\n${block('', 'y = 2\n')}b.py:\n${block('')}`], code), 'b.py');
  });
});
