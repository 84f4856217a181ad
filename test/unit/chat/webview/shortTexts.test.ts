import assert from 'node:assert/strict';
import {
  formatCount,
  formatLastUse,
  formatLength,
  formatPace,
  formatPercent,
  formatSeconds,
  formatUsage,
} from '../../../../src/chat/webview/shortTexts.ts';

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

  it('tell the speed of an answer from a fifth of a second on, by the time that was written in', () => {
    const usage = { completion_tokens: 10, total_tokens: 12 };
    assert.deepEqual(formatPace(usage, { first: 800, whole: 1000 })[2], '50 tokens/s');
    assert.deepEqual(formatPace(usage, { first: 801, whole: 1000 }), ['12 tokens', '1.0 s', 'first word after 0.8 s']);
    assert.deepEqual(formatPace(usage, { first: 0, whole: 0 }), ['12 tokens', '0.0 s', 'first word after 0.0 s']);
    assert.deepEqual(formatPace(usage, { first: 5 }), ['12 tokens']);
    assert.deepEqual(formatPace({ completion_tokens: 0, total_tokens: 0 }, { first: 0, whole: 1000 }), [
      '0 tokens',
      '1.0 s',
      '0 tokens/s',
      'first word after 0.0 s',
    ]);
  });

  it('tell counts as they were reported, each at its place', () => {
    assert.equal(formatUsage(undefined), 'Usage not reported');
    const whole = formatUsage({ prompt_tokens: 1001, completion_tokens: 22, total_tokens: 1023 });
    assert.deepEqual(whole.match(/[\d,]+/g), ['1,001', '22', '1,023']);
    const some = formatUsage({ prompt_tokens: 0 });
    assert.deepEqual(some.match(/[\d–]+/g), ['0', '–', '–']);
    assert.equal(formatCount(1_234_567), '1,234,567');
  });

  it('tell lengths in tenths below a minute, and in whole seconds above', () => {
    assert.deepEqual([-5, 0, 49, 50, 59_949, 60_000, 61_500].map(formatLength), [
      '0.0 s',
      '0.0 s',
      '0.0 s',
      '0.1 s',
      '59.9 s',
      '1 min 0 s',
      '1 min 2 s',
    ]);
    assert.deepEqual([-5000, 0, 499, 500, 59_499, 59_500, 119_499, 3_600_000].map(formatSeconds), [
      '0 s',
      '0 s',
      '0 s',
      '1 s',
      '59 s',
      '1 min 0 s',
      '1 min 59 s',
      '60 min 0 s',
    ]);
    assert.deepEqual([0, 0.5, 0.12345, 1].map(formatPercent), ['0.0%', '50.0%', '12.3%', '100.0%']);
  });

  it('tell the last use in its largest unit', () => {
    const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
    const ago = (ms: number): string => formatLastUse(1_000_000_000_000 - ms, 1_000_000_000_000);
    assert.deepEqual(
      [0, minute, 59 * minute, 60 * minute, 23 * hour, 24 * hour, 36 * hour, 2 * day, 40 * day, -5 * minute].map(ago),
      ['this minute', '1m ago', '59m ago', '1h ago', '23h ago', 'yesterday', 'yesterday', '2d ago', '40d ago', 'in 5m'],
    );
  });
});
