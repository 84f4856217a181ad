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

  it('stands in a comment of any language, whatever blanks are around it, but not within a sentence', () => {
    for (const first of ['#a/b.py', '# a/b.py', '// a/b.py', '-- a/b.py', '; a/b.py', '  # a/b.py  '])
      assert.equal(namedFile([], `${first}\n${code}`), 'a/b.py', first);
    for (const first of ['# see a/b.py', '#  a/b.py', 'a/b.py', '# a/b', `${code}# a/b.py`, '# ../b.py!'])
      assert.equal(namedFile([], `${first}\n${code}`), undefined, first);
  });

  it('is the first that a diff changes, as it is named after the change', () => {
    const diff = '--- a/x.py\n+++ b/jobs/x.py\t2026-01-01\n+a\n--- a/y.py\n+++ b/y.py\n+b\n';
    assert.equal(namedFile([], diff), 'jobs/x.py');
    assert.equal(namedFile([], '# c.py\n+++ jobs/x.py \n+a\n'), 'jobs/x.py');
    assert.equal(namedFile([], '# c.py\n+++ /dev/null\n+a\n'), undefined);
  });
});
