import assert from 'node:assert/strict';
import {
  chatResponse,
  completionResponse,
  embeddingResponse,
} from '../../../../../src/api/schema/inference/schemas.ts';
import { createModels } from '../../../../../src/service/models/models.ts';
import type {
  WireChat,
  WireChatChunk,
  WireCompletion,
  WireEmbeddings,
} from '../../../../../src/service/models/wire.ts';
import { isAbort } from '../../../../../src/shared/errors.ts';
import { JsonChecker } from '../../../../../src/shared/jsonSchema/checkJson.ts';
import { bodyOf, chatTexts, chunksOf, quickClock, refusal } from '../support.ts';

const clock = quickClock();
const models = createModels({ discover: false, clock });
const user = (content: string) => ({ role: 'user', content });
const ask = 'What is max_retries?';
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Current weather of a city',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer', minimum: 1, maximum: 7 },
      },
      required: ['city', 'days'],
      additionalProperties: false,
    },
  },
};

const object = (properties: object, more: object = {}): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const schemas: readonly Record<string, unknown>[] = [
  object({ field: { type: 'string', maxLength: 5 }, known: { type: 'boolean' }, kind: { enum: ['a', 'b'] } }),
  object({ list: { type: 'array', items: { type: 'integer', minimum: 3 }, minItems: 2 }, version: { const: 2 } }),
  object(
    { place: { $ref: '#/$defs/place' } },
    { $defs: { place: object({ share: { type: 'number', exclusiveMinimum: 0 } }) } },
  ),
  object({ either: { anyOf: [{ type: 'null' }, { type: 'string' }] }, number: { type: 'integer', maximum: -2 } }),
];

async function chat(more: object): Promise<WireChat> {
  return bodyOf<WireChat>(await models.invoke('guide', { messages: [user(ask)], ...more }));
}

describe('the endpoint guide', () => {
  it('answers in the documented format', async () => {
    const answer = await chat({});
    assert.equal(answer.object, 'chat.completions');
    assert.match(answer.id, /^chatcmpl-/);
    assert.equal(answer.created, Math.floor(answer.created));
    assert.equal(answer.choices[0]?.message.role, 'assistant');
    assert.equal(answer.choices[0]?.finish_reason, 'stop');
    assert.equal(answer.usage.total_tokens, answer.usage.prompt_tokens + (answer.usage.completion_tokens ?? 0));
    assert.ok(chatResponse.safeParse(answer).success);
  });

  it('streams the same text, with finish_reason and usage last', async () => {
    const whole = (await chat({})).choices[0]?.message.content ?? '';
    assert.deepEqual(await chatTexts(await models.invoke('guide', { messages: [user(ask)], stream: true })), [whole]);
    const chunks = await chunksOf<WireChatChunk>(await models.invoke('guide', { messages: [user(ask)], stream: true }));
    assert.ok(chunks.length > 20);
    assert.ok(
      chunks.slice(0, -1).every((chunk) => chunk.choices[0]?.finish_reason === null && chunk.usage === undefined),
    );
    assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'stop');
    assert.equal(chunks.at(-1)?.usage?.completion_tokens, chunks.length - 2);
  });

  it('stops at once when aborted', async () => {
    const stop = new AbortController();
    const answer = await models.invoke('guide', { messages: [user(ask)], stream: true }, { signal: stop.signal });
    let received = 0;
    const reading = (async () => {
      for await (const _chunk of (answer as { chunks: AsyncIterable<object> }).chunks) {
        received += 1;
        if (received === 5) stop.abort();
      }
    })();
    await assert.rejects(reading, isAbort);
    assert.equal(received, 5);
  });

  it('says that it is no language model, and repeats the last message', async () => {
    assert.match((await chat({})).choices[0]?.message.content ?? '', /not a language model[^]*What is max_retries\?$/);
  });

  it('honors max_tokens and stop', async () => {
    const short = await chat({ max_tokens: 7 });
    assert.equal(short.usage.completion_tokens, 7);
    assert.equal(short.choices[0]?.finish_reason, 'length');
    const stopped = await chat({ stop: ['What', 'nowhere'] });
    assert.equal(stopped.choices[0]?.finish_reason, 'stop');
    assert.ok(!stopped.choices[0]?.message.content?.includes('What'));
    const whole = (await chat({})).choices[0]?.message.content ?? '';
    assert.ok(whole.startsWith(stopped.choices[0]?.message.content ?? 'x'));
  });

  it('calls a function that is forced or that the message names, with arguments that its schema accepts', async () => {
    for (const tool_choice of ['required', { type: 'function', function: { name: 'get_weather' } }]) {
      const choice = (await chat({ tools: [weather], tool_choice })).choices[0];
      assert.deepEqual([choice?.finish_reason, choice?.message.content], ['tool_calls', null]);
      const given: unknown = JSON.parse(choice?.message.tool_calls?.[0]?.function.arguments ?? '');
      assert.equal(new JsonChecker(weather.function.parameters).problemOf(given), undefined);
    }
    const messages = [user('Call get_weather')];
    const end = async (more: object): Promise<unknown> =>
      (await chat({ tools: [weather], ...more })).choices[0]?.finish_reason;
    for (const tool_choice of [undefined, 'auto']) {
      assert.equal(await end({ tool_choice }), 'stop');
      assert.equal(await end({ tool_choice, messages }), 'tool_calls');
    }
    assert.equal(await end({ tool_choice: 'none', messages }), 'stop');
  });

  it('answers as JSON on request', async () => {
    const content = async (response_format: object): Promise<unknown> =>
      JSON.parse((await chat({ response_format })).choices[0]?.message.content ?? '');
    assert.equal(((await content({ type: 'json_object' })) as { text: string }).text, ask);
    for (const schema of schemas)
      assert.equal(
        new JsonChecker(schema).problemOf(await content({ type: 'json_schema', json_schema: { name: 'a', schema } })),
        undefined,
        JSON.stringify(schema),
      );
  });

  it('refuses a schema that it cannot satisfy, and log probabilities, which it does not have', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^\\d+$' } }, required: ['a'] };
    const format = { type: 'json_schema', json_schema: { name: 'digits', schema } };
    assert.match((await refusal(chat({ response_format: format }))).message, /"digits"/);
    assert.match((await refusal(chat({ logprobs: true }))).message, /logprobs/);
  });

  it('reads content as a list of parts and refuses pictures', async () => {
    const asParts = await chat({ messages: [{ role: 'user', content: [{ type: 'text', text: ask }] }] });
    assert.match(asParts.choices[0]?.message.content ?? '', /max_retries/);
    assert.match(
      (await refusal(chat({ messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }))).message,
      /image_url/,
    );
  });

  const refused: readonly (readonly [more: object, expected: RegExp])[] = [
    [{ n: 2 }, /provisioned throughput/],
    [{ max_tokens: 0 }, /max_tokens/],
    [{ tool_choice: 'required' }, /tools/],
    [{ messages: [user('a'), { role: 'system', content: 'b' }] }, /system/],
    [{ messages: [user('word '.repeat(40_000))] }, /context length/],
  ];
  for (const [more, expected] of refused) {
    it(`refuses ${JSON.stringify(more).slice(0, 60)}`, async () => {
      const error = await refusal(chat(more));
      assert.equal(error.status, 400);
      assert.equal(error.errorCode, 'INVALID_PARAMETER_VALUE');
      assert.match(error.message, expected);
    });
  }
});

describe('the endpoint guide-completion', () => {
  const complete = async (more: object): Promise<WireCompletion> =>
    bodyOf<WireCompletion>(await models.invoke('guide-completion', { prompt: ask, ...more }));

  it('answers each prompt of a list by its index', async () => {
    const answer = await complete({ prompt: [ask, 'How do I cancel a run?'] });
    assert.equal(answer.object, 'text_completion');
    assert.deepEqual(
      answer.choices.map((choice) => choice.index),
      [0, 1],
    );
    assert.match(answer.choices[1]?.text ?? '', /not a language model[^]*cancel a run/);
    assert.ok(completionResponse.safeParse(answer).success);
  });

  it('applies error_behavior to a prompt beyond its context', async () => {
    const prompt = 'word '.repeat(40_000);
    assert.match((await refusal(complete({ prompt }))).message, /context length/);
    assert.equal((await complete({ prompt, error_behavior: 'truncate' })).usage?.prompt_tokens, 32_768);
  });
});

describe('the endpoint guide-embedding', () => {
  const embed = async (input: string | string[], more: object = {}): Promise<number[][]> => {
    const body = bodyOf<WireEmbeddings>(await models.invoke('guide-embedding', { input, ...more }));
    assert.equal(body.object, 'list');
    assert.equal('completion_tokens' in body.usage, false);
    assert.ok(embeddingResponse.safeParse(body).success);
    return body.data.map((entry) => entry.embedding as number[]);
  };
  const cosine = (left: readonly number[] = [], right: readonly number[] = []): number =>
    left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);

  it('returns a stable unit vector for each text', async () => {
    const vectors = await embed(['retry a failed job', '', '東京']);
    assert.equal(vectors.length, 3);
    for (const vector of vectors) {
      assert.equal(vector.length, 256);
      assert.ok(Math.abs(cosine(vector, vector) - 1) < 1e-5);
    }
    assert.deepEqual(await embed('retry a failed job'), [vectors[0]]);
  });
});
