import assert from 'node:assert/strict';
import { ownWords } from '../../../../../src/service/models/guide/guideAnswer.ts';

describe('what somebody asks in their own words', () => {
  const asked: Readonly<Record<string, readonly [text: string, words: string]>> = {
    'all that is no block': ['Why?\n\n```py\nx\n```\nHm.', 'Why?\n\nHm.'],
    'without the lines that name blocks': ['Why?\n\na.py:\n```py\nx\n```', 'Why?'],
    'with a line that ends with a colon in a paragraph': ['I have\nthis:\n```\nx\n```', 'I have\nthis:'],
    'the names of blocks where there is nothing else': [
      'a.py:\n```\nx\n```\n\nb.py:\n````\n```\ny\n````\n',
      'a.py, b.py',
    ],
    'nothing where there are but nameless blocks': ['```\nx\n```', ''],
    'up to a block that does not end': ['Why?\n```\nx\n', 'Why?'],
    'with ticks within a line': ['Is `a` or ```b``` right?', 'Is `a` or ```b``` right?'],
    'without what looks like another block within one': ['```md\n```py\nx\n```\nWhy?', 'Why?'],
    'without what a longer fence holds': ['````\n```\nx\n````\nWhy?', 'Why?'],
  };
  for (const [what, [text, words]] of Object.entries(asked))
    it(`is ${what}`, () => assert.equal(ownWords(text), words));
});
