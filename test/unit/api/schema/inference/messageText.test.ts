import assert from 'node:assert/strict';
import { contentText } from '../../../../../src/api/schema/inference/messageText.ts';

describe('contentText', () => {
  it('takes a text, and the texts of a list of parts', () => {
    assert.equal(contentText('a'), 'a');
    assert.equal(
      contentText([
        { type: 'text', text: 'a' },
        'b',
        { text: 'c' },
        { type: 'output_text', text: 'd' },
        { type: 'input_text', text: 'e' },
      ]),
      'abcde',
    );
  });

  it('leaves out images and reasoning, and is empty where there is nothing', () => {
    assert.equal(
      contentText([
        { type: 'reasoning', text: 'hm' },
        { type: 'thinking', thinking: 'hm' },
        { type: 'image_url', image_url: { url: 'x' } },
        7,
        null,
      ]),
      '',
    );
    for (const nothing of [undefined, null, 7, {}]) assert.equal(contentText(nothing), '');
  });
});
