import assert from 'node:assert/strict';
import { createGuideChat } from '../../../../../src/service/models/guide/guideChat.ts';
import type { WireChatChunk } from '../../../../../src/service/models/wire.ts';
import { chunksOf, quickClock } from '../support.ts';

const tools = ['list_runs', 'list_jobs', 'get_run'].map((name) => ({ type: 'function', function: { name } }));

async function stream(content: string, more: object = {}): Promise<WireChatChunk[]> {
  const request = { messages: [{ role: 'user', content }], stream: true, ...more };
  return chunksOf<WireChatChunk>(await createGuideChat(quickClock()).answer(request as never, {}));
}

/** What each choice has been given, in the order in which it came. */
function ofChoice(chunks: readonly WireChatChunk[], wanted: number) {
  const choices = chunks.flatMap(({ choices: all }) => all).filter(({ index }) => index === wanted);
  return { deltas: choices.map(({ delta }) => delta), ends: choices.map(({ finish_reason: end }) => end), choices };
}

describe('the stream of the guide', () => {
  it('gives each choice the same text, with one end each, and what it took with the last', async () => {
    const chunks = await stream('What is max_retries?', { n: 2, max_tokens: 3 });
    for (const index of [0, 1]) {
      const { deltas, ends } = ofChoice(chunks, index);
      assert.deepEqual(deltas[0], { role: 'assistant', content: '' });
      assert.equal(deltas.slice(1).filter(({ role }) => role !== undefined).length, 0);
      assert.deepEqual(
        ends.filter((end) => end !== null),
        ['length'],
      );
      assert.equal(ends.at(-1), 'length');
    }
    const texts = [0, 1].map((index) =>
      ofChoice(chunks, index)
        .deltas.map(({ content }) => content ?? '')
        .join(''),
    );
    assert.ok(texts[0] !== '' && texts[0] === texts[1]);
    assert.deepEqual(
      chunks.map(({ usage }) => usage !== undefined).flatMap((has, at) => (has ? [at] : [])),
      [chunks.length - 1],
    );
    assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
  });

  it('gives each choice the same call, which is the first of the choice, its arguments in pieces', async () => {
    const chunks = await stream('Which runs failed today?', { n: 2, tools });
    for (const index of [0, 1]) {
      const { deltas, ends } = ofChoice(chunks, index);
      assert.deepEqual(deltas[0], { role: 'assistant', content: null });
      const calls = deltas.flatMap(({ tool_calls: all }) => all ?? []);
      assert.deepEqual([...new Set(calls.map((call) => call.index))], [0]);
      const [first, ...rest] = calls;
      assert.deepEqual([first?.type, first?.function], ['function', { name: 'list_runs', arguments: '' }]);
      assert.ok(first?.id);
      assert.ok(rest.length > 1);
      assert.ok(rest.every(({ id, function: part }) => id === undefined && part?.name === undefined));
      assert.equal(
        rest.map(({ function: part }) => part?.arguments ?? '').join(''),
        '{"state":"failed","since":"today"}',
      );
      assert.deepEqual(
        ends.filter((end) => end !== null),
        ['tool_calls'],
      );
    }
  });

  it('tells of a token what else it could have been only where that is asked for', async () => {
    const logprobs = async (more: object): Promise<unknown[]> =>
      ofChoice(await stream('What is max_retries?', { max_tokens: 1, ...more }), 0).choices.map((choice) =>
        choice.logprobs?.content?.map(({ token, top_logprobs: top }) => [token, top?.length]),
      );
    const [, asked] = await logprobs({ logprobs: true, top_logprobs: 2 });
    assert.deepEqual((asked as unknown[]).length, 1);
    assert.deepEqual(await logprobs({}), [undefined, undefined, undefined]);
    assert.deepEqual(await logprobs({ top_logprobs: 2 }), [undefined, undefined, undefined]);
  });

  it('ends with whom it is for', async () => {
    const stop = new AbortController();
    const request = { messages: [{ role: 'user', content: 'What is max_retries?' }], stream: true };
    const answer = await createGuideChat(quickClock()).answer(request as never, { signal: stop.signal });
    assert.ok(answer.kind === 'stream');
    let count = 0;
    await assert.rejects(
      async () => {
        for await (const _chunk of answer.chunks) if ((count += 1) === 3) stop.abort();
      },
      { kind: 'aborted' },
    );
    assert.equal(count, 3);
  });
});
