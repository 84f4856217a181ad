import assert from 'node:assert/strict';
import { createGuideEmbedding } from '../../../../../src/service/models/guide/guideEmbedding.ts';
import { createModels } from '../../../../../src/service/models/models.ts';
import type { WireChat, WireChatChunk } from '../../../../../src/service/models/wire.ts';
import { bodyOf, chunksOf, quickClock, refusal } from '../support.ts';

type Answer = { model: string; data: { embedding: number[] }[] };

describe('the embedding of the built-in model', () => {
  const ask = async (request: object): Promise<Answer> =>
    bodyOf<Answer>(
      await createGuideEmbedding().answer(request as never, { signal: new AbortController().signal } as never),
    );

  it('has its one size, also where that is asked for, and no other', async () => {
    for (const dimensions of [undefined, 256]) {
      const { model, data } = await ask({ input: ['a', 'b'], dimensions });
      assert.deepEqual(
        [model, data.map(({ embedding }) => embedding.length)],
        ['millrace-guide-embedding-1', [256, 256]],
      );
    }
    const { message, status } = await refusal(ask({ input: 'a', dimensions: 128 }));
    assert.equal(status, 400);
    assert.match(
      message,
      /^millrace-guide-embedding-1 returns vectors of 256 numbers and no other size\. Leave dimensions out\./,
    );
  });

  it('is wanted by nobody any more where who asked has left', async () => {
    const stop = new AbortController();
    stop.abort();
    await assert.rejects(createGuideEmbedding().answer({ input: 'a' }, { signal: stop.signal }), {
      name: 'AbortError',
    });
  });

  it('is another one with an instruction', async () => {
    const plain = await ask({ input: 'stop a run' });
    assert.deepEqual((await ask({ input: 'stop a run', instruction: '' })).data, plain.data);
    assert.notDeepEqual((await ask({ input: 'stop a run', instruction: 'schedules' })).data, plain.data);
  });
});

describe('log probabilities of the built-in model', () => {
  const models = createModels({ discover: false, clock: quickClock() });
  const request = { messages: [{ role: 'user', content: 'What is max_retries?' }], max_tokens: 2 };

  for (const [more, candidates] of [
    [{}, undefined],
    [{ logprobs: true }, 0],
    [{ logprobs: true, top_logprobs: 3 }, 1],
  ] as const)
    it(`with ${JSON.stringify(more)} have ${candidates ?? 'no'} candidates, whole and in pieces`, async () => {
      const whole = bodyOf<WireChat>(await models.invoke('guide', { ...request, ...more }));
      const [piece] = (
        await chunksOf<WireChatChunk>(await models.invoke('guide', { ...request, ...more, stream: true }))
      ).filter(({ choices: [choice] }) => choice?.delta.content);
      for (const choice of [whole.choices[0], piece?.choices[0]])
        assert.equal(
          (choice as { logprobs?: { content: { top_logprobs: unknown[] }[] } | null }).logprobs?.content[0]
            ?.top_logprobs.length,
          candidates,
        );
    });
});
