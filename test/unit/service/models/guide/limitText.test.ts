import assert from 'node:assert/strict';
import { limitText } from '../../../../../src/service/models/guide/completionDraft.ts';

describe('a text within its limits', () => {
  for (const [limits, text, finishReason] of [
    [{}, 'one two three', 'stop'],
    [{ stop: null, max_tokens: null }, 'one two three', 'stop'],
    [{ stop: 'two' }, 'one ', 'stop'],
    [{ stop: ['three', 'two'] }, 'one ', 'stop'],
    [{ stop: ['', 'none'] }, 'one two three', 'stop'],
    [{ stop: 'one' }, '', 'stop'],
    [{ max_tokens: 0 }, '', 'length'],
  ] as const)
    it(`${JSON.stringify(limits)}: "${text}"`, () => {
      const given = 'stop' in limits && Array.isArray(limits.stop) ? { ...limits, stop: [...limits.stop] } : limits;
      const limited = limitText('one two three', given as Parameters<typeof limitText>[1]);
      assert.deepEqual([limited.text, limited.finishReason], [text, finishReason]);
    });

  it('has as many tokens as it may, and is cut only where it has more', () => {
    const { count } = limitText('one two three', {});
    assert.deepEqual(limitText('one two three', { max_tokens: count }), {
      text: 'one two three',
      count,
      finishReason: 'stop',
    });
    const cut = limitText('one two three', { max_tokens: count - 1 });
    assert.deepEqual([cut.count, cut.finishReason], [count - 1, 'length']);
    assert.ok('one two three'.startsWith(cut.text) && cut.text !== 'one two three');
  });
});
