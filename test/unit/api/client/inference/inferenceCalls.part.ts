import assert from 'node:assert/strict';
import { clientOf, rejectionOf } from '../exchangeSetup.ts';

const messages = [{ role: 'user' as const, content: 'Hi' }];
const events = (...chunks: (object | string)[]) => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join(''),
});
const all = async <T>(stream: AsyncIterable<T>): Promise<T[]> => {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};
const end = (index: number): object => ({ choices: [{ index, delta: {}, text: '', finish_reason: 'stop' }] });

describe('what is asked of an endpoint', () => {
  it('always says whether the answer is to be streamed, whatever the request says', async () => {
    const { client, requests } = clientOf(({ headers }) =>
      headers['accept'] === 'text/event-stream' ? events(end(0), '[DONE]') : { status: 200, body: '{"choices":[]}' },
    );
    const odd = (stream: boolean): { stream: boolean } => ({ stream });
    await client.inference.chat('a b', { messages, ...odd(true) });
    await client.inference.complete('a b', { prompt: 'x', ...odd(true) });
    await all(client.inference.streamChat('a b', { messages, ...odd(false) }));
    await all(client.inference.streamCompletion('a b', { prompt: 'x', ...odd(false) }));
    assert.deepEqual(
      requests.map(({ body }) => (JSON.parse(body ?? '') as { stream: boolean }).stream),
      [false, false, true, true],
    );
    for (const { url } of requests) assert.ok(url.endsWith('/serving-endpoints/a%20b/invocations'));
  });

  it('is whole once each choice has ended that was asked for', async () => {
    const ends = async (ask: 'streamChat' | 'streamCompletion', request: object, count: number): Promise<string> => {
      const { client } = clientOf(() => events(...Array.from({ length: count }, (_, index) => end(index))));
      return all(client.inference[ask]('e', request as never)).then(
        () => 'whole',
        (error: { kind: string }) => error.kind,
      );
    };
    assert.deepEqual(
      await Promise.all([
        ends('streamChat', { messages }, 1),
        ends('streamChat', { messages, n: 2 }, 1),
        ends('streamChat', { messages, n: 2 }, 2),
        ends('streamCompletion', { prompt: ['a', 'b'] }, 1),
        ends('streamCompletion', { prompt: ['a', 'b'] }, 2),
        ends('streamCompletion', { prompt: ['a'], n: 2 }, 1),
        ends('streamCompletion', { prompt: 'abc' }, 1),
      ]),
      ['whole', 'cutOff', 'whole', 'cutOff', 'whole', 'cutOff', 'whole'],
    );
  });

  it('tells each event as it came, and takes an answer that came whole for one chunk', async () => {
    const told: string[] = [];
    const { client } = clientOf(() => events(end(0), '[DONE]'));
    await all(client.inference.streamChat('e', { messages }, { onEvent: (data) => void told.push(data()) }));
    assert.equal(told[0], JSON.stringify(end(0)));
    const whole = { choices: [{ index: 0, message: { role: 'assistant', content: 'c' }, finish_reason: 'stop' }] };
    const plain = clientOf(() => ({ status: 200, body: JSON.stringify(whole) }));
    const chunks = await all(plain.client.inference.streamChat('e', { messages }));
    assert.equal(chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? '').join(''), 'c');
  });

  it('keeps of an answer that broke off what the first choice said, and none of the sign-in', async () => {
    const partial = async (
      ask: 'streamChat' | 'streamCompletion',
      ...chunks: object[]
    ): Promise<string | undefined> => {
      const { client } = clientOf(() => events(...chunks));
      const request = ask === 'streamChat' ? { messages } : { prompt: 'x' };
      return (await rejectionOf(all(client.inference[ask]('e', request as never)))).partial;
    };
    const said = (content: unknown): object => ({
      choices: [
        { index: 1, delta: { content: 'other' }, text: 'other' },
        { delta: { content }, text: content },
      ],
    });
    assert.equal(await partial('streamChat', said('a'), said([{ type: 'text', text: 'b' }])), 'ab');
    assert.equal(await partial('streamCompletion', said('a'), said('b')), 'ab');
    const { client } = clientOf(() => events({ error: { message: 'unknown token-of-the-test given', code: 400 } }));
    const { message } = await rejectionOf(all(client.inference.streamChat('e', { messages })));
    assert.doesNotMatch(message, /token-of-the-test/);
  });

  it('is kept within the limits of models, whether it is streamed or comes whole', async () => {
    const kind = async (limits: object, reply: ReturnType<typeof events>): Promise<string> => {
      const { client } = clientOf(() => reply, { limits });
      return all(client.inference.streamChat('e', { messages })).then(
        () => 'taken',
        (error: { kind: string }) => error.kind,
      );
    };
    const choice = { index: 0, message: { role: 'assistant', content: 'c'.repeat(100) }, finish_reason: 'stop' };
    const whole = {
      ...events(),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ choices: [choice], more: [1, 2, 3, 4, 5, 6, 7, 8, 9] }),
    };
    const streamed = events({ choices: [{ index: 0, delta: { content: 'c'.repeat(100) } }] }, end(0), '[DONE]');
    assert.equal(await kind({ responseBytes: 20 }, whole), 'taken');
    assert.equal(await kind({ modelBytes: 20 }, whole), 'tooLarge');
    assert.notEqual(await kind({ modelValues: 5 }, whole), 'taken');
    assert.equal(await kind({ modelBytes: 20 }, streamed), 'taken');
    assert.notEqual(await kind({ eventCharacters: 50 }, streamed), 'taken');
  });

  it('is whole without a reason for its end where the tokens were counted and the end is marked', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    for (const ask of ['streamChat', 'streamCompletion'] as const) {
      const request = ask === 'streamChat' ? { messages } : { prompt: 'x' };
      const said = { choices: [{ index: 0, delta: { content: 'a' }, text: 'a' }] };
      const counted = clientOf(() => events(said, { choices: [], usage }, '[DONE]'));
      await all(counted.client.inference[ask]('e', request as never));
      const cut = clientOf(() => events(said));
      assert.equal((await rejectionOf(all(cut.client.inference[ask]('e', request as never)))).kind, 'cutOff');
    }
  });

  it('is stopped by its caller, and has no endpoints where the service names none', async () => {
    const options = { signal: AbortSignal.abort() };
    const { client } = clientOf(() => 'hang');
    for (const asked of [
      client.inference.embed('e', { input: 'x' }, options),
      client.inference.chat('e', { messages }, options),
      client.inference.listEndpoints(options),
      client.inference.createEndpoint({ name: 'n', config: {} } as never, options),
      client.inference.deleteEndpoint('e', options),
      all(client.inference.streamChat('e', { messages }, options)),
    ])
      assert.equal((await rejectionOf(asked)).kind, 'aborted');
    const none = clientOf(() => ({ status: 200, body: '{}' }));
    assert.deepEqual(await none.client.inference.listEndpoints(), []);
  });
});
