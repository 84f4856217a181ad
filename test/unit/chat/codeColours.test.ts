import assert from 'node:assert/strict';
import { codeColours } from '../../../src/chat/codeColours.ts';

const rule = (scope: unknown, foreground: unknown): object => ({ scope, settings: { foreground } });
const colours = (rules: readonly unknown[], customizations?: unknown): object => {
  const found = codeColours(rules, customizations, 'Mine');
  return Object.fromEntries(Object.entries(found).filter(([, colour]) => colour !== ''));
};

describe('the colours that a theme gives to code', () => {
  it('are found by the scopes that the rules name, alone, in a list and with commas', () => {
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

  it('are of the rule that names most of the scope, and of the last one of two that name the same', () => {
    const rules = [rule('comment.line', '#000001'), rule('comment', '#000002'), rule('comment', '#000003')];
    assert.deepEqual(colours(rules), { comment: '#000001' });
    assert.deepEqual(colours(rules.slice(1)), { comment: '#000003' });
  });

  it('come from no rule for something inside of another, for half a word or for another thing', () => {
    assert.deepEqual(
      colours([rule('source.css comment', '#000001'), rule('comm', '#000001'), rule('invalid', '#000001')]),
      {},
    );
  });

  it('are nothing but colours', () => {
    for (const wrong of ['red', '#12', '#12345', '#1234567', 'url(x)', '#123456;x', '', 5, null, undefined])
      assert.deepEqual(colours([rule('comment', wrong)]), {}, String(wrong));
    assert.deepEqual(
      colours([undefined, null, 'x', 5, {}, [], { scope: 'comment' }, rule(5, '#111111'), rule([5, {}], '#111111')]),
      {},
    );
  });

  it("are the user's own before the theme's: for all themes, and more so for this one", () => {
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
