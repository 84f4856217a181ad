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
});
