import assert from 'node:assert/strict';
import type { InferenceClient } from '../../../src/api/client/client.ts';
import { HttpError } from '../../../src/api/client/failure.ts';
import { asChatChunk, wholeAsChatChunk } from '../../../src/api/client/inference/chunk.ts';
import type { AnswerDelta } from '../../../src/api/schema/inference/answer.ts';
import type { ChatChunk } from '../../../src/api/schema/inference/schemas.ts';
import { answerChunks } from '../../../src/chat/answerChunks.ts';
import { answerFailure } from '../../../src/chat/answerFailure.ts';
import { StreamEvents } from '../../../src/chat/asking.ts';
import { applyEvent, emptyConversation, shownChoice, type Answer, totalUsage } from '../../../src/chat/conversation.ts';
import type { Failure } from '../../../src/chat/conversationEvent.ts';
import type { ModelRequest } from '../../../src/chat/playground.ts';
import { runSession, type SessionEnd, type SessionOptions } from '../../../src/chat/session.ts';
import { AppError, type ErrorKind } from '../../../src/shared/errors.ts';
import { textAnswer } from '../../support/chatHarness/fakePorts.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';
import { ask, closeChats, open } from './openedChat.ts';

describe('runSession', () => {
  const role = { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] };
  const text = (content: unknown, index = 0): ChatChunk => ({ choices: [{ index, delta: { content } }] }) as ChatChunk;
  const finish = (reason = 'stop', index = 0): ChatChunk => ({
    choices: [{ index, delta: {}, finish_reason: reason }],
  });
  /** Yields the chunks as the client does. */
  async function* stream(chunks: readonly unknown[], error?: Error): AsyncGenerator<ChatChunk> {
    for (const chunk of chunks) {
      const isWhole = JSON.stringify(chunk).includes('"message"');
      const checked = (isWhole ? wholeAsChatChunk : asChatChunk)(structuredClone(chunk));
      if (checked) yield await Promise.resolve(checked);
    }
    if (error) throw error;
  }
  async function run(
    chunks: AsyncIterable<ChatChunk>,
    signal = new AbortController().signal,
  ): Promise<SessionEnd & { answer: Answer; parts: AnswerDelta[] }> {
    const parts: AnswerDelta[] = [];
    const end = await runSession({ open: () => Promise.resolve(chunks), signal, onPart: (part) => parts.push(part) });
    let conversation = applyEvent(emptyConversation('c', 0), {
      type: 'userAdded',
      id: 'u',
      parentId: null,
      text: '?',
      atMs: 0,
    });
    conversation = applyEvent(conversation, { type: 'answerStarted', id: 'a', parentId: 'u', endpoint: 'e', atMs: 0 });
    for (const part of parts) conversation = applyEvent(conversation, { type: 'answerDelta', id: 'a', ...part });
    return { ...end, parts, answer: conversation.turns[1] as Answer };
  }

  const whole = [
    role,
    text('Hel'),
    text('lo'),
    { choices: [], usage: { prompt_tokens: 1, total_tokens: 3 } },
    finish(),
    { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
  ];

  it('is done after a finish_reason, with the text and the last usage', async () => {
    const { status, failure, answer } = await run(stream(whole));
    assert.deepEqual(
      [status, failure, shownChoice(answer)?.text, answer.usage],
      ['done', undefined, 'Hello', { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }],
    );
  });

  it('is cut off anywhere before the finish_reason and keeps the text', async () => {
    for (let count = 0; count <= whole.length; count += 1) {
      const { status, answer } = await run(stream(whole.slice(0, count)));
      const isComplete = count >= 5;
      assert.equal(status, isComplete ? 'done' : 'cutOff', `after ${count} chunks`);
      assert.equal(shownChoice(answer)?.text ?? '', count < 2 ? '' : count < 3 ? 'Hel' : 'Hello');
    }
  });

  it('is cut off if the connection breaks after some text, and fails if it breaks before', async () => {
    const error = new AppError('network', 'The connection broke.', { remedy: 'Try again.' });
    const cut = await run(stream([text('Hi')], error));
    assert.deepEqual(
      [cut.status, cut.failure, shownChoice(cut.answer)?.text],
      ['cutOff', { kind: 'network', message: 'The connection broke.', remedy: 'Try again.' }, 'Hi'],
    );
    assert.equal((await run(stream([role], error))).status, 'failed');
    assert.equal((await run(stream([], new AppError('cutOff', 'x')))).status, 'cutOff');
    assert.equal((await run(stream(whole, error))).status, 'done', 'a reset after the end takes nothing away');
  });

  it('needs the finish_reason of every choice', async () => {
    assert.equal((await run(stream([text('a', 0), text('b', 1), finish('stop', 0)]))).status, 'cutOff');
    const { status, answer } = await run(stream([text('a', 0), text('b', 1), finish('stop', 1), finish('length', 0)]));
    assert.deepEqual(
      [status, answer.choices.map((choice) => [choice.text, choice.finishReason])],
      [
        'done',
        [
          ['a', 'length'],
          ['b', 'stop'],
        ],
      ],
    );
  });

  it('stops while its request is still being opened', async () => {
    const controller = new AbortController();
    const opening = Promise.withResolvers<AsyncIterable<ChatChunk>>();
    setTimeout(() => controller.abort(), 5);
    const onPart = (): void => assert.fail('nothing was answered');
    const { status } = await runSession({ open: () => opening.promise, signal: controller.signal, onPart });
    opening.reject(new AppError('aborted', 'Stopped.'));
    assert.equal(status, 'stopped');
  });

  it('reads the variants that real servers send', async () => {
    const { status, answer } = await run(
      stream([
        null,
        'x',
        { object: 'chunk' },
        { choices: 'none' },
        text([{ type: 'text', text: 'A' }, 'B', { type: 'other' }]),
        { choices: [{ delta: { tool_calls: [{ id: 'c1', function: { name: 'f', arguments: { a: 1 } } }] } }] },
        {
          choices: [
            {
              delta: { content: null },
              logprobs: {
                content: [{ token: 'A', logprob: -0.1, top_logprobs: [{ token: 'Z', logprob: -2 }, {}] }, { token: 1 }],
              },
              finish_reason: 'tool_calls',
            },
          ],
        },
      ]),
    );
    assert.equal(status, 'done');
    assert.deepEqual(shownChoice(answer), {
      choice: 0,
      text: 'AB',
      finishReason: 'tool_calls',
      toolCalls: [{ index: 0, id: 'c1', name: 'f', arguments: '{"a":1}' }],
      logprobs: [{ token: 'A', logprob: -0.1, alternatives: [{ token: 'Z', logprob: -2 }] }],
    });
    const notStreamed = await run(
      stream([{ choices: [{ index: 0, message: { role: 'assistant', content: 'All' }, finish_reason: 'stop' }] }]),
    );
    assert.deepEqual([notStreamed.status, shownChoice(notStreamed.answer)?.text], ['done', 'All']);
  });
});

describe('a streamed answer', () => {
  const text = (content: string): ChatChunk => ({ choices: [{ index: 0, delta: { content } }] });
  const finish: ChatChunk = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  /** Creates a source that sends its chunks on demand. */
  function source() {
    let next = Promise.withResolvers<IteratorResult<ChatChunk>>();
    let left = 0;
    const give = async (result: IteratorResult<ChatChunk> | Error): Promise<void> => {
      const { resolve, reject } = next;
      next = Promise.withResolvers();
      if (result instanceof Error) reject(result);
      else resolve(result);
      await settle();
    };
    const chunks: AsyncIterable<ChatChunk> = {
      [Symbol.asyncIterator]: () => ({
        next: () => next.promise,
        return: () => {
          left += 1;
          return Promise.reject(new Error('It is gone already.'));
        },
      }),
    };
    return {
      chunks,
      send: (value: ChatChunk) => give({ done: false, value }),
      end: () => give({ done: true, value: undefined }),
      fail: (error: Error) => give(error),
      left: () => left,
    };
  }

  let clock: FakeClock;
  let parts: unknown[];
  let controller: AbortController;
  let given: ReturnType<typeof source>;
  let unhandled: unknown[];
  const note = (error: unknown): void => void unhandled.push(error);

  beforeEach(() => {
    [clock, parts, controller, given, unhandled] = [new FakeClock(), [], new AbortController(), source(), []];
    process.on('unhandledRejection', note);
  });
  afterEach(() => process.off('unhandledRejection', note));

  const begin = (options: Partial<SessionOptions> = {}): Promise<SessionEnd> =>
    runSession({
      open: () => Promise.resolve(given.chunks),
      onPart: ({ choices, usage }: AnswerDelta) =>
        parts.push(usage ?? choices.map((choice) => choice.text ?? choice.finishReason).join()),
      signal: controller.signal,
      clock,
      ...options,
    });

  it('shows its first word at once and later text once per frame of 16 ms', async () => {
    const end = begin();
    await settle();
    await given.send(text('One'));
    assert.deepEqual([parts, clock.nextDelayInMs], [[], 0]);
    await clock.advance(0);
    assert.deepEqual(parts, ['One']);
    await given.send(text(', '));
    await given.send(text('two'));
    await clock.advance(15);
    assert.deepEqual(parts, ['One']);
    await clock.advance(1);
    assert.deepEqual(parts, ['One', ', two']);
    await clock.advance(100);
    await given.send(text('.'));
    assert.equal(clock.nextDelayInMs, 16);
    await clock.advance(16);
    assert.deepEqual(parts, ['One', ', two', '.']);
    await given.send(text('!'));
    await given.send(finish);
    await given.end();
    assert.deepEqual(await end, { status: 'done' });
    assert.deepEqual([parts.at(-1), clock.pending], ['!', 0]);
  });

  it('counts as stopped if its source fails because of the stop', async () => {
    const end = begin({
      open: () => {
        controller.abort();
        return Promise.reject(new AppError('network', 'The line broke.'));
      },
    });
    assert.deepEqual(await end, { status: 'stopped' });
    await settle();
    assert.deepEqual(unhandled, []);
  });

  it('leaves no listener and no rejection behind when it is stopped', async () => {
    const added: unknown[] = [];
    const { signal } = controller;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...args: Parameters<typeof add>) => (added.push(args[1]), add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      added.splice(added.indexOf(args[1]), 1);
      remove(...args);
    };
    const stopped = begin();
    await settle();
    await given.send(text('One'));
    assert.equal(added.length, 1);
    controller.abort();
    assert.deepEqual(await stopped, { status: 'stopped' });
    await given.fail(new Error('It was aborted.'));
    assert.deepEqual([given.left(), parts, added, clock.pending], [1, ['One'], [], 0]);
    await settle();
    assert.deepEqual(unhandled, []);
  });
});

describe('answerChunks', () => {
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

  it('reports which text has no vector', async () => {
    const remedy = "Ask again, or check that the endpoint's model creates embeddings.";
    const missing = { kind: 'protocol', message: 'The service returned no vector for text 2 of 2.', remedy };
    await assert.rejects(vectorsOf([]), { message: 'The service returned no vector for text 1 of 2.' });
    await assert.rejects(vectorsOf([{ index: 0, embedding: [1] }]), missing);
    await assert.rejects(
      vectorsOf([
        { index: 0, embedding: [1] },
        { index: 1, embedding: [] },
      ]),
      missing,
    );
    await assert.rejects(vectorsOf(undefined, 'a'), { message: 'The service returned no vector for text 1 of 1.' });
  });

  it('returns a choice for each prompt of a completion', async () => {
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
});

describe('the failure of an answer', () => {
  const said = 'chat: what the server said (HTTP 999). The answer was not completed.';
  const asked = { endpoint: 'smollm2', profile: { name: 'Acme', isLocal: false } };
  function upstream(kind: ErrorKind, status: number): Failure {
    return answerFailure(new HttpError(kind, said, { operation: 'chat', status, isUpstream: true }), asked);
  }
  it('names the model server as its cause and offers a remedy', () => {
    const told = (
      [
        ['forbidden', 403],
        ['notFound', 404],
        ['rateLimited', 429],
        ['server', 503],
        ['server', 504],
        ['server', 502],
        ['rejected', 400],
      ] as const
    ).map(([kind, status]) => upstream(kind, status));
    assert.deepEqual(
      told.map(({ message }) => message),
      [
        'The model server of smollm2 rejected the API key.',
        'The model server of smollm2 no longer has this model.',
        'The model server of smollm2 is rate limiting requests.',
        'smollm2 is unreachable.',
        'The model server of smollm2 timed out.',
        'The model server of smollm2 failed.',
        'The model server of smollm2 rejected the request.',
      ],
    );
    assert.match(told[0]?.remedy ?? '', /API key/);
    assert.match(told[3]?.remedy ?? '', /Start it/);
    const options = { operation: 'chat', status: 429, isUpstream: true, remedy: 'Come again in 60 minutes.' };
    assert.equal(answerFailure(new HttpError('rateLimited', said, options), asked).remedy, options.remedy);
    assert.deepEqual(
      [false, true].map((isLocal) => {
        const refused = new HttpError('forbidden', said, { operation: 'chat', status: 403, isUpstream: true });
        return answerFailure(refused, { ...asked, profile: { name: 'Local', isLocal } }).kind;
      }),
      ['forbidden', 'modelKey'],
      'only the local service takes another key',
    );
    for (const failure of told) assert.deepEqual([failure.details, typeof failure.remedy], [said, 'string']);
    assert.equal(new Set(told.map(({ remedy }) => remedy)).size, told.length);
  });
});

describe('recorded stream events', () => {
  const half = 'x'.repeat(100_000);

  it('are limited to 200,000 characters, with a count of the omitted ones', () => {
    const events = new StreamEvents();
    const tell = events.record('a');
    tell(() => half);
    tell(() => half);
    assert.deepEqual(events.of('a'), { events: [half, half] });
    // Events beyond the limit are not even formatted.
    tell(() => assert.fail('there is no room'));
    tell(() => assert.fail('there is no room'));
    assert.deepEqual(events.of('a'), { events: [half, half], left_out: 2 });
  });
});

describe('the request and the response of an answer', () => {
  interface Exchange {
    request: { post: string; body: Record<string, unknown> };
    response: { choices: { message: { content: string } }[]; usage: unknown };
    status: string;
  }

  afterEach(closeChats);

  it('show what was sent and received, even after the parameters changed', async () => {
    const chat = await open();
    const { service, ports } = chat;
    await service.setParameters({ temperature: 0.5, system: 'Be brief.' });
    ports.backend.answer = textAnswer('One.', { usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } });
    await ask(chat, 'First?');
    await service.setParameters({ max_tokens: 5 });
    const conversation = await ask(chat, 'Second?');
    const answers = conversation.turns.filter((turn) => turn.role === 'assistant');
    const exchanges = await Promise.all(
      answers.map(async ({ id }) => JSON.parse(await service.answers.exchangeText(conversation.id, id)) as Exchange),
    );
    assert.deepEqual(
      exchanges.map(({ request }) => request.body),
      ports.backend.requests.map(({ request }) => request),
    );
    assert.equal(exchanges[0]?.request.post, '/serving-endpoints/guide/invocations');
    assert.equal(exchanges[0]?.request.body['temperature'], 0.5);
    assert.deepEqual(exchanges[1]?.response.usage, { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 });
    assert.equal(exchanges[1]?.response.choices[0]?.message.content, 'One.');
    assert.equal(exchanges[1]?.status, 'done');
    assert.deepEqual(totalUsage(conversation), {
      usage: { prompt_tokens: 14, completion_tokens: 4, total_tokens: 18 },
      count: 2,
    });
    assert.equal(await service.answers.exchangeText(conversation.id, 'unknown'), '');
  });
});
