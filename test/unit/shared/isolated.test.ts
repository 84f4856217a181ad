import assert from 'node:assert/strict';
import { isolated, withoutIsolation } from '../../../src/shared/isolated.ts';

describe('a text that stands among others', () => {
  it('is set apart where it is written from right to left or turns the direction', () => {
    for (const text of [
      'שלום',
      'a ب',
      '\u0590',
      '\u08ff',
      '\u200f',
      '\u202a',
      '\u202e',
      '\ufb1d',
      '\ufdff',
      '\ufe70',
      '\ufefc',
    ])
      assert.equal(isolated(text), `\u2068${text}\u2069`, JSON.stringify(text));
    for (const letter of ['\u{10800}', '\u{10c00}', '\u{1e800}', '\u{1ec71}'])
      assert.equal(isolated(letter), `\u2068${letter}\u2069`, letter);
  });

  it('is left as it is where it is not', () => {
    for (const text of [
      '',
      'nightly #1',
      'größe',
      '東京',
      'क',
      '😀',
      '\u058f',
      '\u0900',
      '\u200e',
      '\u2029',
      '\u202f',
      '\ufb1c',
      '\ufe00',
      '\ufefd',
    ])
      assert.equal(isolated(text), text, JSON.stringify(text));
  });

  it('is given back as it was', () => {
    assert.equal(withoutIsolation(`${isolated('שלום')} ${isolated('ب')}`), 'שלום ب');
    assert.equal(withoutIsolation('a\u2067b'), 'a\u2067b');
  });
});
