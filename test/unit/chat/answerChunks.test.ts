import assert from 'node:assert/strict';
import type { InferenceClient } from '../../../src/api/client/client.ts';
import type { ChatChunk } from '../../../src/api/schema/inference/schemas.ts';
import { answerChunks } from '../../../src/chat/answerChunks.ts';
import type { ModelRequest } from '../../../src/chat/modelRequest.ts';

describe('an answer of any task as the chunks of a chat', () => {
  let asked: unknown[];
  const options = { retry: 'fail' } as const;
  beforeEach(() => void (asked = []));

  async function read(request: object, answer: unknown): Promise<ChatChunk[]> {
    const told =
      (name: string) =>
      (...call: unknown[]): unknown => {
        asked.push(name, ...call);
        return name.startsWith('stream') ? streamed(answer as unknown[]) : Promise.resolve(answer);
      };
    const names = ['embed', 'complete', 'chat', 'streamCompletion', 'streamChat'];
    const inference = Object.fromEntries(names.map((name) => [name, told(name)])) as unknown as InferenceClient;
    const chunks: ChatChunk[] = [];
    for await (const chunk of await answerChunks(inference, 'e', request as ModelRequest, options)) chunks.push(chunk);
    return chunks;
  }
  async function* streamed(chunks: unknown[]): AsyncGenerator {
    yield* chunks;
  }
  const vectorsOf = (data: unknown, input: unknown = ['a', 'b']): Promise<ChatChunk[]> =>
    read({ task: 'embedding', body: { input } }, { data, model: 'm', usage: { total_tokens: 3 } });

  it('has a choice for each vector, in the order of the texts', async () => {
    const expected = [
      {
        model: 'm',
        usage: { total_tokens: 3 },
        choices: [
          { index: 0, delta: { content: '[1,2]' }, finish_reason: 'stop' },
          { index: 1, delta: { content: '[3]' }, finish_reason: 'stop' },
        ],
      },
    ];
    assert.deepEqual(
      await vectorsOf([
        { index: 1, embedding: [3] },
        { index: 0, embedding: [1, 2] },
      ]),
      expected,
    );
    assert.deepEqual(asked, ['embed', 'e', { input: ['a', 'b'] }, options]);
    assert.deepEqual(await vectorsOf([{ embedding: [1, 2] }, { embedding: [3] }]), expected, 'by their places');
    const one = await vectorsOf({ embedding: [5] }, 'a');
    assert.deepEqual(
      one[0]?.choices?.map(({ delta }) => delta?.content),
      ['[5]'],
    );
  });

  it('says which text has no vector', async () => {
    const remedy = 'Ask again, or check that the model of the endpoint makes embeddings.';
    const missing = { kind: 'protocol', message: 'The service sent no vector for text 2 of 2.', remedy };
    await assert.rejects(vectorsOf([]), { message: 'The service sent no vector for text 1 of 2.' });
    await assert.rejects(vectorsOf([{ index: 0, embedding: [1] }]), missing);
    await assert.rejects(
      vectorsOf([
        { index: 0, embedding: [1] },
        { index: 1, embedding: [] },
      ]),
      missing,
    );
    await assert.rejects(vectorsOf(undefined, 'a'), { message: 'The service sent no vector for text 1 of 1.' });
  });

  it('has a choice for each prompt of a completion, as it comes or at once', async () => {
    const body = { prompt: ['a', 'b'] };
    assert.deepEqual(
      await read({ task: 'completion', body }, [
        { choices: [{ index: 1, text: 'x' }], model: 'm' },
        { choices: [{ index: 1, text: '', finish_reason: 'length' }], usage: { total_tokens: 1 } },
        {},
      ]),
      [
        { model: 'm', usage: undefined, choices: [{ index: 1, delta: { content: 'x' }, finish_reason: undefined }] },
        {
          model: undefined,
          usage: { total_tokens: 1 },
          choices: [{ index: 1, delta: { content: '' }, finish_reason: 'length' }],
        },
        { model: undefined, usage: undefined, choices: [] },
      ],
    );
    assert.deepEqual(asked, ['streamCompletion', 'e', body, options]);
    const whole = await read(
      { task: 'completion', body: { ...body, stream: false } },
      {
        model: 'm',
        choices: [{ index: 1, text: 'second', finish_reason: 'length' }, { index: 0, text: 'first' }, { index: 1 }],
      },
    );
    assert.deepEqual(whole, [
      {
        model: 'm',
        usage: undefined,
        choices: [
          { index: 0, delta: { content: 'first' }, finish_reason: 'stop' },
          { index: 1, delta: { content: 'second' }, finish_reason: 'length' },
          { index: 2, delta: { content: '' }, finish_reason: 'stop' },
        ],
      },
    ]);
    assert.deepEqual(asked.slice(4), ['complete', 'e', { ...body, stream: false }, options]);
  });

  it('of a whole completion keeps the order of what has no place, as the first', async () => {
    const contents = async (...choices: object[]): Promise<unknown> =>
      (await read({ task: 'completion', body: { stream: false } }, { choices }))[0]?.choices?.map(
        ({ index, delta }) => [index, delta?.content],
      );
    assert.deepEqual(await contents({ index: 1, text: 'c' }, { text: 'a' }, { index: 0, text: 'b' }), [
      [0, 'a'],
      [1, 'b'],
      [2, 'c'],
    ]);
  });
});
