import assert from 'node:assert/strict';
import { createGuideCompletion } from '../../../../../src/service/models/guide/guideCompletion.ts';
import type { WireCompletion } from '../../../../../src/service/models/wire.ts';
import { bodyOf, chunksOf, quickClock, textOfChoice } from '../support.ts';

const answer = (request: object) => createGuideCompletion(quickClock()).answer(request as never, {});

describe('completions of the guide', () => {
  it('say which model they are of, when they were made, and what they took', async () => {
    const { id, object, created, model, choices, usage } = bodyOf<WireCompletion>(
      await answer({ prompt: 'max_retries is', max_tokens: 4 }),
    );
    assert.match(id, /^cmpl-[0-9a-f]{32}$/);
    assert.deepEqual(
      [object, created, model, choices.map(({ index }) => index)],
      ['text_completion', 1_780_000_000, 'millrace-guide-completion-1', [0]],
    );
    assert.equal(usage?.completion_tokens, 4);
  });

  it('come in pieces, each prompt and each copy after the other, with one end each and the usage at the last', async () => {
    const request = { prompt: ['max_retries is', 'A job is'], n: 2, max_tokens: 3, echo: true, suffix: '!' };
    const whole = bodyOf<WireCompletion>(await answer(request));
    const chunks = await chunksOf<WireCompletion>(await answer({ ...request, stream: true }));
    assert.deepEqual([...new Set(chunks.map(({ model }) => model))], ['millrace-guide-completion-1']);
    assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
    const order = chunks.flatMap(({ choices }) => choices.map(({ index }) => index));
    assert.deepEqual(
      order,
      order.toSorted((left, right) => left - right),
    );
    const ends = chunks.flatMap(({ choices }) => choices.flatMap(({ finish_reason: end }) => end ?? []));
    assert.deepEqual(ends, ['length', 'length', 'length', 'length']);
    assert.deepEqual(
      chunks.flatMap(({ usage }, at) => (usage ? [at] : [])),
      [chunks.length - 1],
    );
    const streamed = [...new Set(order)].map((index) => textOfChoice(chunks, index)).join('|');
    for (const { text } of whole.choices) assert.ok(streamed.includes(text), text);
    assert.ok(whole.choices.every(({ text }) => text.endsWith('!')));
  });
});
