import { embedText } from '../../../../../src/service/models/guide/embedTexts.ts';
import { assertApproved } from '../../../../support/approved.ts';
import { texts } from './sampleTexts.ts';

describe('the vector of a text', () => {
  it('is the one that was approved', () => {
    const all = [...texts.map((text) => [text, ''] as const), ['Hello', 'Represent it'] as const].map(
      ([text, instruction]) => {
        const vector = embedText(text, instruction);
        const places = vector.flatMap((value, place) => (value === 0 ? [] : [`${place}:${value}`]));
        return `${text} | ${instruction} | ${vector.length} | ${places.length} | ${places.slice(0, 12).join(' ')}`;
      },
    );
    assertApproved('guide-vectors', `${all.join('\n')}\n`);
  });
});
