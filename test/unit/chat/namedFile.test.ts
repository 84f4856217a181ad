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

  it('is what says most: the title, what follows the language, then the language itself, the code, the line above', () => {
    const commented = `# in/code.py\n${code}`;
    for (const [info, expected] of [
      ['a.py:b.py c.py title=d.py', 'd.py'],
      ['a.py:b.py c.py', 'b.py'],
      ['  a.py c.py', 'c.py'],
      ['a.py x', 'a.py'],
      ["python path='d.py'", 'd.py'],
      ['python file=d.py', 'd.py'],
      ['python title=no-path', 'in/code.py'],
    ] as const)
      assert.equal(namedFile([`above.py:\n${block(info, commented)}`], commented), expected, info);
    assert.equal(namedFile([`above.py:\n${block('python')}`], code), 'above.py');
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

  it('is found for code that has fences in it, is not closed, or has other blanks and ends of lines', () => {
    const fenced = 'x\n```\ny\n~~~~\n```z\n';
    assert.equal(namedFile([`a.md:\n\`\`\`\`\n${fenced}\`\`\`\`\`\nb.md:\n${block('')}`], fenced), 'a.md');
    assert.equal(namedFile([`a.py:\n~~~\n${code}~~~\nb.py:\n~~~\ny\n~~~\n`], 'y'), 'b.py');
    assert.equal(namedFile(['a.py:\n```\nx = 1\ny = 2'], 'x = 1\ny = 2'), 'a.py');
    assert.equal(namedFile(['a.py:\r\n```\r\nx = 1\r\ny = 2\r\n```\r\nb.py'], '\n x = 1\ny = 2 '), 'a.py');
    // What looks like a block inside of another one is none.
    assert.equal(namedFile([`a.md:\n~~~\nb.py:\n${block('')}~~~\nc.py:\n${block('')}`], code), 'c.py');
  });

  it('is one that is named twice above, in a line of at most 500 characters that is not blank', () => {
    const named = (line: string): string | undefined => namedFile([`z.py\n${line}\n \n\n${block('')}`], code);
    assert.equal(named('`a.py`, I mean a.py:'), 'a.py');
    assert.equal(named(`/a.py ${'-'.repeat(494)}`), '/a.py');
    assert.equal(named(`/a.py ${'-'.repeat(495)}`), undefined);
    assert.equal(namedFile([block('')], code), undefined);
  });
});
