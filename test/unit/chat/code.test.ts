import assert from 'node:assert/strict';
import { codeColours } from '../../../src/chat/codeColours.ts';
import { namedFile } from '../../../src/chat/namedFile.ts';

describe('codeColours', () => {
  const rule = (scope: unknown, foreground: unknown): object => ({ scope, settings: { foreground } });
  const colours = (rules: readonly unknown[], customizations?: unknown): object => {
    const found = codeColours(rules, customizations, 'Mine');
    return Object.fromEntries(Object.entries(found).filter(([, colour]) => colour !== ''));
  };

  it('finds colors by the scopes of a rule: alone, in a list or separated by commas', () => {
    const rules = [
      rule('comment', '#111111'),
      rule(['keyword.control', 'constant.language'], '#222222'),
      rule('string, constant.numeric ,variable', '#33333344'),
      rule('entity.name', '#444'),
    ];
    const [second, third, fourth] = ['#222222', '#33333344', '#444'];
    assert.deepEqual(codeColours(rules, undefined, 'Mine'), {
      comment: '#111111',
      keyword: second,
      literal: second,
      key: fourth,
      string: third,
      number: third,
      name: third,
      title: fourth,
      type: fourth,
    });
  });

  it('prefers the most specific rule, and the last of equal ones', () => {
    const rules = [rule('comment.line', '#000001'), rule('comment', '#000002'), rule('comment', '#000003')];
    assert.deepEqual(colours(rules), { comment: '#000001' });
    assert.deepEqual(colours(rules.slice(1)), { comment: '#000003' });
  });

  it('ignores nested scopes, partial words and other scopes', () => {
    assert.deepEqual(
      colours([rule('source.css comment', '#000001'), rule('comm', '#000001'), rule('invalid', '#000001')]),
      {},
    );
  });

  it('accepts only colors', () => {
    for (const wrong of ['red', '#12', '#12345', '#1234567', 'url(x)', '#123456;x', '', 5, null, undefined])
      assert.deepEqual(colours([rule('comment', wrong)]), {}, String(wrong));
    assert.deepEqual(
      colours([undefined, null, 'x', 5, {}, [], { scope: 'comment' }, rule(5, '#111111'), rule([5, {}], '#111111')]),
      {},
    );
  });

  it("prefers the user's own colors, first those of the current theme", () => {
    const rules = [rule('comment', '#000001'), rule('string', '#000002')];
    const own = {
      comments: '#000011',
      strings: { foreground: '#000012', fontStyle: 'bold' },
      keywords: 'none',
      textMateRules: [rule('constant.numeric', '#000013')],
      '[Mine]': { comments: '#000021', functions: '#000022', textMateRules: [rule('constant.language', '#000023')] },
      '[Other]': { comments: '#000031' },
    };
    assert.deepEqual(colours(rules, own), {
      comment: '#000021',
      string: '#000012',
      number: '#000013',
      title: '#000022',
      literal: '#000023',
    });
    for (const wrong of [5, 'x', null, [], { '[Mine]': 5, textMateRules: 5 }])
      assert.deepEqual(colours(rules, wrong), { comment: '#000001', string: '#000002' });
    const all = { comments: '#01', keywords: '#000032', numbers: '#000033', variables: '#000034', types: '#000035' };
    assert.deepEqual(colours([], all), { keyword: '#000032', number: '#000033', name: '#000034', type: '#000035' });
  });
});

describe('namedFile', () => {
  const code = 'x = 1\n';
  const block = (info: string, text = code): string => `\`\`\`${info}\n${text}\`\`\`\n`;

  it('finds the name behind the language, above the block, in a comment or in a diff', () => {
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

  it('returns nothing if the line above names several files, no file or only a library', () => {
    for (const line of ['Take `a.py` and `b.py`:', 'As so:', 'With pandas 2.2:', 'See https://example.com/a.py:'])
      assert.equal(namedFile([`${line}\n\n${block('python')}`], code), undefined, line);
    assert.equal(namedFile([block('python')], code), undefined);
    assert.equal(namedFile([], code), undefined);
  });

  it('finds the name in a comment of any language, but not within a sentence', () => {
    for (const first of ['#a/b.py', '# a/b.py', '// a/b.py', '-- a/b.py', '; a/b.py', '  # a/b.py  '])
      assert.equal(namedFile([], `${first}\n${code}`), 'a/b.py', first);
    for (const first of ['# see a/b.py', '#  a/b.py', 'a/b.py', '# a/b', `${code}# a/b.py`, '# ../b.py!'])
      assert.equal(namedFile([], `${first}\n${code}`), undefined, first);
  });

  it('returns the first changed file of a diff, under its new name', () => {
    const diff = '--- a/x.py\n+++ b/jobs/x.py\t2026-01-01\n+a\n--- a/y.py\n+++ b/y.py\n+b\n';
    assert.equal(namedFile([], diff), 'jobs/x.py');
    assert.equal(namedFile([], '# c.py\n+++ jobs/x.py \n+a\n'), 'jobs/x.py');
    assert.equal(namedFile([], '# c.py\n+++ /dev/null\n+a\n'), undefined);
  });
});
