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
    assert.ok(chunks.length > 50);
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
    assert.equal((await refusal(reading)).kind, 'aborted');
    assert.equal(received, 5);
  });

  it('honors max_tokens and stop', async () => {
    const short = await chat({ max_tokens: 7 });
    assert.equal(short.usage.completion_tokens, 7);
    assert.equal(short.choices[0]?.finish_reason, 'length');
    const stopped = await chat({ stop: ['Maximum', 'nowhere'] });
    assert.equal(stopped.choices[0]?.finish_reason, 'stop');
    assert.ok(!stopped.choices[0]?.message.content?.includes('Maximum'));
    const whole = (await chat({})).choices[0]?.message.content ?? '';
    assert.ok(whole.startsWith(stopped.choices[0]?.message.content ?? 'x'));
  });

  it('calls a function that fits or is forced', async () => {
    const messages = [user('What is the weather in Berlin for 3 days in celsius?')];
    for (const tool_choice of [
      undefined,
      'auto',
      'required',
      { type: 'function', function: { name: 'get_weather' } },
    ]) {
      const choice = (await chat({ messages, tools: [weather], tool_choice })).choices[0];
      assert.equal(choice?.finish_reason, 'tool_calls', JSON.stringify(tool_choice));
      assert.equal(choice?.message.content, null);
      assert.deepEqual(JSON.parse(choice?.message.tool_calls?.[0]?.function.arguments ?? ''), {
        city: 'Berlin',
        unit: 'celsius',
        days: 3,
      });
    }
    assert.equal((await chat({ messages, tools: [weather], tool_choice: 'none' })).choices[0]?.finish_reason, 'stop');
    assert.equal((await chat({ tools: [weather] })).choices[0]?.finish_reason, 'stop');
    const forced = (await chat({ tools: [weather], tool_choice: 'required' })).choices[0];
    assert.equal(
      new JsonChecker(weather.function.parameters).problemOf(
        JSON.parse(forced?.message.tool_calls?.[0]?.function.arguments ?? ''),
      ),
      undefined,
    );
  });

  it('answers as JSON on request', async () => {
    const object: unknown = JSON.parse(
      (await chat({ response_format: { type: 'json_object' } })).choices[0]?.message.content ?? '',
    );
    assert.equal((object as { path: string }).path, 'max_retries');
    const schema = {
      type: 'object',
      properties: {
        field: { type: 'string' },
        answer: { type: 'string', maxLength: 60 },
        related: { type: 'array', items: { type: 'string' } },
        known: { type: 'boolean' },
      },
      required: ['field', 'answer', 'known'],
      additionalProperties: false,
    };
    const followed: unknown = JSON.parse(
      (await chat({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } })).choices[0]?.message
        .content ?? '',
    );
    assert.equal(new JsonChecker(schema).problemOf(followed), undefined);
    assert.equal((followed as { field: string }).field, 'max_retries');
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
    const answer = await complete({ prompt: [ask, 'Q: How do I cancel a run?\nA:'] });
    assert.equal(answer.object, 'text_completion');
    assert.deepEqual(
      answer.choices.map((choice) => choice.index),
      [0, 1],
    );
    assert.match(answer.choices[1]?.text ?? '', /Cancelling runs/);
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
