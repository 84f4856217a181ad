import assert from 'node:assert/strict';
import { createUpstreamEmbedding } from '../../../../../src/service/models/upstream/upstreamEmbedding.ts';
import { bodyOf, refusal } from '../support.ts';

interface Answer {
  model: string;
  data: { index: number; embedding: number[] }[];
  usage: { prompt_tokens: number; total_tokens: number };
}

describe('embeddings of a model server', () => {
  let asked: Record<string, unknown>[];
  let answers: ((inputs: readonly string[]) => object)[];
  beforeEach(() => void ([asked, answers] = [[], []]));
  const vectors = (inputs: readonly string[]): object => ({
    model: 'theirs',
    data: inputs.map((_, index) => ({ index, embedding: [index, 1] })),
    usage: { prompt_tokens: 10 * inputs.length },
  });
  const ask = async (request: object, template?: string): Promise<Answer> => {
    const connection = {
      label: 'the server',
      postBytes: async (path: string, body: Record<string, unknown>) => {
        assert.equal(path, '/embeddings');
        asked.push(body);
        const inputs = ([] as string[]).concat(body['input'] as string);
        return new TextEncoder().encode(JSON.stringify((answers.shift() ?? vectors)(inputs)));
      },
    };
    const backend = createUpstreamEmbedding({ connection, model: 'm' } as never, template);
    return bodyOf<Answer>(await backend.answer(request as never, { signal: new AbortController().signal } as never));
  };

  it('are asked for all at once, one text alone as a text, with what else was said', async () => {
    const { data, model, usage } = await ask({
      input: ['a', 'b'],
      user: 'u',
      stream: true,
      encoding_format: 'base64x',
    });
    assert.deepEqual(asked, [{ user: 'u', model: 'm', input: ['a', 'b'], encoding_format: 'float' }]);
    assert.deepEqual([model, data.length, usage], ['theirs', 2, { prompt_tokens: 20, total_tokens: 20 }]);
    await ask({ input: ['a'] });
    assert.equal(asked[1]?.['input'], 'a');
  });

  for (const [instruction, template, text] of [
    [undefined, undefined, 'a'],
    [null, undefined, 'a'],
    ['', undefined, 'a'],
    ['Query: ', undefined, 'Query: a'],
    ['Query $&', undefined, 'Query $& a'],
    ['Find ', 'I: {instruction}| {input}', 'I: Find | a'],
  ] as const)
    it(`have ${JSON.stringify(instruction)} before each text as ${template ?? 'most models'} want it`, async () => {
      await ask({ input: 'a', instruction }, template);
      assert.equal(asked[0]?.['input'], text);
    });

  it('are asked for one by one where the server does not take a list, in their order', async () => {
    answers = [(inputs) => vectors(inputs.slice(0, 1))];
    const { data, usage } = await ask({ input: ['a', 'b', 'c'] });
    assert.deepEqual(
      asked.map(({ input }) => input),
      [['a', 'b', 'c'], 'a', 'b', 'c'],
    );
    assert.deepEqual([data.map(({ index }) => index), usage.prompt_tokens], [[0, 1, 2], 30]);
  });

  it('are asked for four at a time where each is asked for alone', async () => {
    let [open, most] = [0, 0];
    const connection = {
      label: 'the server',
      postBytes: async (_path: string, { input }: { input: string | string[] }) => {
        most = Math.max(most, (open += 1));
        await new Promise(setImmediate);
        open -= 1;
        return new TextEncoder().encode(JSON.stringify(vectors([Array.isArray(input) ? (input[0] ?? '') : input])));
      },
    };
    const input = Array.from({ length: 9 }, (_, index) => `t${index}`);
    await createUpstreamEmbedding({ connection, model: 'm' } as never).answer({ input }, {});
    assert.equal(most, 4);
  });

  it('that do not come are told', async () => {
    const none = (): object => ({ data: [] });
    answers = [none];
    const told = async (request: object): Promise<string> => {
      const { kind, message } = await refusal(ask(request));
      return `${kind}: ${message}`;
    };
    assert.match(await told({ input: 'a' }), /^protocol: the server answered without a vector\./);
    answers = [none, vectors, none];
    assert.match(await told({ input: ['a', 'b'] }), /^protocol: the server did not answer each text with one vector\./);
  });

  it('have their tokens counted where the server does not', async () => {
    answers = [(inputs) => ({ ...vectors(inputs), usage: undefined })];
    const { usage } = await ask({ input: 'one two three' });
    assert.deepEqual(usage, { prompt_tokens: 3, total_tokens: 3 });
    // Counts of some of them are none of all.
    answers = [
      (inputs) => vectors(inputs.slice(0, 1)),
      vectors,
      (inputs) => ({ ...vectors(inputs), usage: undefined }),
    ];
    assert.deepEqual((await ask({ input: ['a b', 'c d e'] })).usage, { prompt_tokens: 5, total_tokens: 5 });
  });
});
