import assert from 'node:assert/strict';
import { formatPace } from '../../../../src/chat/webview/shortTexts.ts';

describe('short texts of the chat view', () => {
  it('tell how an answer came, as far as it is known', () => {
    const usage = { completion_tokens: 100, total_tokens: 1_234 };
    assert.deepEqual(formatPace(usage, { first: 400, whole: 2_900 }), [
      '1,234 tokens',
      '2.9 s',
      '40 tokens/s',
      'first word after 0.4 s',
    ]);
    assert.deepEqual(formatPace(usage, { first: 400, whole: 599 }), [
      '1,234 tokens',
      '0.6 s',
      'first word after 0.4 s',
    ]);
    assert.deepEqual(formatPace({ total_tokens: 7 }, { first: 0, whole: 1_000 }), [
      '7 tokens',
      '1.0 s',
      'first word after 0.0 s',
    ]);
    assert.deepEqual(formatPace(undefined, { whole: 1_000 }), ['Usage not reported', '1.0 s']);
    assert.deepEqual(formatPace(undefined, { whole: 79_300 }), ['Usage not reported', '1 min 19 s']);
    assert.deepEqual(formatPace(usage, {}), ['1,234 tokens']);
  });
});
