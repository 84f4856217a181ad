import assert from 'node:assert/strict';
import { otherLanguage, questionsOf, spelled } from '../../../../../src/service/models/guide/askedWords.ts';
import { holdPhrases } from './phrases.ts';

describe('the words of a question', () => {
  holdPhrases(
    'questions',
    (phrase) => {
      const sentence = `${phrase} of the job? And ${phrase}.`;
      return JSON.stringify([questionsOf(sentence), spelled(phrase), otherLanguage(sentence)]);
    },
    'words',
  );

  for (const [text, read] of [
    ['the schedle of a notebok', 'the schedule of a notebook'],
    ['Schedle', 'schedule'],
    // The likeliest slip: letters changed places, then one is missing, then wrong, then too many.
    ['fiels', 'files'],
    ['clustr', 'cluster'],
    ['workes', 'workers'],
    ['clusterr', 'clusters'],
    ['schedulle', 'schedule'],
    // It may be "token" or "taken", "first" or "fires": nobody knows.
    ['my tken', 'my tken'],
    ['firs run', 'firs run'],
    // What is short, begins with another letter, or is part of a name or a path.
    ['runn', 'runn'],
    ['xchedule', 'xchedule'],
    ['my/schedle, schedle.py and un-schedle', 'my/schedle, schedle.py and un-schedle'],
  ] as const)
    it(`reads "${text}" as "${read}"`, () => assert.equal(spelled(text), read));

  it('reads the first 200 words that are long enough, and leaves those beyond them', () => {
    const words = (count: number): string => Array.from({ length: count }, () => 'jobs').join(' ');
    assert.equal(spelled(`${words(199)} schedle`), `${words(199)} schedule`);
    assert.equal(spelled(`${words(200)} schedle`), `${words(200)} schedle`);
  });

  it('takes two words for another language, and one for none', () => {
    assert.match(otherLanguage('Wie heute?') ?? '', /^Ich verstehe nur Englisch/);
    assert.match(otherLanguage('¿Qué tarea?') ?? '', /^Solo entiendo inglés/);
    assert.match(otherLanguage('Pour mon job') ?? '', /^Je ne comprends que l'anglais/);
    assert.equal(otherLanguage('El job'), undefined);
    assert.equal(otherLanguage('was was was'), undefined);
  });
});
