import assert from 'node:assert/strict';
import { sentence } from '../../../src/shared/sentence.ts';

describe('a sentence', () => {
  it('ends like one, once', () =>
    assert.deepEqual(['a', 'a.', 'a!', 'a?', 'a…', 'a. b', ' a \n', ''].map(sentence), [
      'a.',
      'a.',
      'a!',
      'a?',
      'a…',
      'a. b.',
      'a.',
      '.',
    ]));
});
