import assert from 'node:assert/strict';
import { embedText } from '../../../../../src/service/models/guide/embedTexts.ts';
import { getKnowledge } from '../../../../../src/service/models/guide/knowledge.ts';
import { readSchedule } from '../../../../../src/service/models/guide/scheduleWords.ts';
import { synonymsOf, termsOf } from '../../../../../src/service/models/guide/terms.ts';
import { countTokens, tokenize } from '../../../../../src/service/models/guide/tokenizer.ts';
import { findQuartzProblem } from '../../../../../src/shared/quartz/quartz.ts';
import { assertApproved } from '../../../../support/approved.ts';

const times = [
  'every working day at 2:30',
  'every 15 minutes',
  'every 7 minutes',
  'every 2 hours',
  'every 5 hours',
  'every 1 min',
  'every 1 hour',
  'every 60 minutes',
  'every 24 hours',
  'every 0 minutes',
  'every minute',
  'hourly',
  'every hour at 5',
  'weekly on Monday at 9 pm',
  'Tuesdays and thursdays at 6.45 am',
  'on Mon, Wed and Fri',
  'monday to friday at noon',
  'mon-fri 8:05 pm',
  'on Saturdays at midnight',
  'every Sunday morning',
  'monthly at 12 am',
  'first of each month at 12 pm',
  'weekly',
  'every week at 23:59',
  'nightly',
  'every night at 1:00',
  'daily',
  'each day at 4 p.m.',
  'every morning at 7 a.m.',
  'at 25',
  'at 9:75 daily',
  'at 18:30',
  'every other Tuesday',
  'every second Monday',
  'every 3 days',
  'twice a day',
  'bi-weekly',
  'biweekly',
  'quarterly',
  'on the last day of the month',
  'on the last working day',
  'except on Sundays',
  'now and then',
  '',
];
const texts = [
  '',
  'Hello',
  'Hello hello',
  'max_retries',
  'How do I retry a failed run?',
  'retry retries retrying',
  'Ünïcode 漢字 😀',
  'a_b-c.d/e',
  "don't",
  'x'.repeat(50),
  '1,000.5 %',
];
const questions = [
  'What is max_retries?',
  'timeout of a task',
  'notebook parameters',
  'who gets an e-mail',
  'cluster',
  'how often',
  'embedding dimension',
  'stop sequences',
  'zebra',
  '',
];

describe('what the guide is made of, as it was approved', () => {
  it('times that are said in words', () => {
    const all = times.map((text) => {
      const found = readSchedule(text);
      return `${text} → ${found ? `${found.expression} (${found.words})` : 'none'}`;
    });
    for (const text of times)
      assert.equal(findQuartzProblem(readSchedule(text)?.expression ?? '0 0 0 * * ?'), undefined, text);
    assertApproved('guide-times', `${all.join('\n')}\n`);
  });

  it('tokens, terms and synonyms of texts', () => {
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

  it('vectors of texts', () => {
    const all = [...texts.map((text) => [text, ''] as const), ['Hello', 'Represent it'] as const].map(
      ([text, instruction]) => {
        const vector = embedText(text, instruction);
        const places = vector.flatMap((value, place) => (value === 0 ? [] : [`${place}:${value}`]));
        return `${text} | ${instruction} | ${vector.length} | ${places.length} | ${places.slice(0, 12).join(' ')}`;
      },
    );
    assertApproved('guide-vectors', `${all.join('\n')}\n`);
  });

  it('fields and topics that questions are about', () => {
    const { index } = getKnowledge();
    const all = questions.map((question) => {
      const hits = index.search(new Map(termsOf(question).map((term) => [term, 1])), 5);
      const lines = hits.map(
        ({ value, score, coverage }) =>
          `  ${'path' in value ? value.path : value.title}: ${score.toFixed(3)}, ${coverage.toFixed(3)}`,
      );
      return [question, ...lines].join('\n');
    });
    assertApproved('guide-search', `${all.join('\n')}\n`);
  });
});
