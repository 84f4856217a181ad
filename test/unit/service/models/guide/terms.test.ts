import { knownWords, synonymsOf, termsOf } from '../../../../../src/service/models/guide/terms.ts';
import { countTokens, tokenize } from '../../../../../src/service/models/tokenizer.ts';
import { assertApproved } from '../../../../support/approved.ts';
import { texts } from './sampleTexts.ts';

describe('the terms of a text', () => {
  it('are those that were approved, with tokens and synonyms', () => {
    const all = texts.map((text) => {
      const terms = termsOf(text);
      return JSON.stringify({
        text,
        tokens: tokenize(text),
        count: countTokens(text),
        terms,
        synonyms: terms.map((term) => [...synonymsOf(term)].slice(0, 8)),
      });
    });
    assertApproved('guide-terms', `${all.join('\n')}\n`);
  });

  it('are known by the words that were approved, each with its own synonyms', () => {
    const words = [...new Set(knownWords().split(' '))].toSorted();
    const lines = words.map((word) => {
      const terms = termsOf(word);
      return `${word}: ${terms.length === 0 ? '(no term)' : terms.flatMap((term) => [...synonymsOf(term)]).join(' ') || '-'}`;
    });
    assertApproved('guide-known-words', `${lines.join('\n')}\n`);
  });

  it('end alike, whatever their length', () => {
    const stems = [
      'a',
      'ab',
      'abc',
      'abcd',
      'abcde',
      'abcdef',
      'run',
      'stopp',
      'clas',
      'box',
      'match',
      'wish',
      'status',
      'axis',
      'fuzz',
    ];
    const endings = ['', 'e', 's', 'es', 'ies', 'y', 'ed', 'ing', 'ss', 'us', 'is', 'ning', 'ped'];
    const lines = stems.map(
      (stem) => `${stem}: ${endings.map((ending) => termsOf(stem + ending).join() || '-').join(' ')}`,
    );
    assertApproved('guide-endings', `${lines.join('\n')}\n`);
  });
});
