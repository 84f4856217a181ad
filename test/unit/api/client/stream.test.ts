import assert from 'node:assert/strict';
import { createClient, type ClientOptions, type Fetch, type HttpRequest } from '../../../../src/api/client/index.ts';
import { AnswerReader } from '../../../../src/api/schema/inference/answer.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { replayFetch } from '../../../support/replayFetch.ts';

describe('Stream', () => {
  type End = 'close' | 'hang' | 'break';

  interface Ask {
    readonly end?: End;
    readonly contentType?: string;
    readonly n?: number;
    readonly options?: Partial<ClientOptions>;
  }

  interface Ended {
    /** Of the first choice. */
    text: string;
    chunks: number;
    /** Whether each choice that began has ended, as a reader of the chunks sees it. */
    complete: boolean;
    error?: AppError;
  }

  const messages = [{ role: 'user' as const, content: 'Hi' }];

  const text = (content: string, more: object = {}): string =>
    event({ choices: [{ index: 0, delta: { content }, ...more }] });

  const event = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

  const stop = { finish_reason: 'stop' };

  const usage = event({ choices: [], usage: { total_tokens: 3 } });

  const done = event('[DONE]');

  async function read(
    body: string,
    { end = 'close', contentType = 'text/event-stream', n, options = {} }: Ask = {},
  ): Promise<Ended> {
    const reader = new AnswerReader();
    const ended: Ended = { text: '', chunks: 0, complete: false };
    const client = createClient({
      baseUrl: 'https://service.example',
      auth: { kind: 'bearer', token: 's3cr3t-token' },
      fetch: replayFetch([new TextEncoder().encode(body)], contentType, end),
      retry: 'fail',
      ...options,
    });
    try {
      for await (const chunk of client.inference.streamChat('e', { messages, ...(n === undefined ? {} : { n }) })) {
        ended.chunks += 1;
        ended.text += reader
          .read(chunk)
          .choices.map(({ choice, text: added = '' }) => (choice === 0 ? added : ''))
          .join('');
      }
    } catch (error) {
      assert.ok(error instanceof AppError, String(error));
      ended.error = error;
    }
    ended.complete = reader.isComplete;
    return ended;
  }

  const json: Ask = { contentType: 'application/json; charset=utf-8' };
  const limited = (limits: object): Ask => ({ options: { limits } });
  const failed = (message: string, code: number): string => text('a') + event({ error: { message, code } });
  const whole = '{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}';
  const long = text('a') + event(`"${'x'.repeat(3000)}"`);

  /** What a stream is, and how it ends: complete, or with an error of a kind. */
  const streams: [title: string, body: string, ask: Ask, kind: string | undefined, words?: RegExp][] = [
    ['a finish reason', text('a', stop), {}, undefined],
    ['a finish reason and the end mark', text('a', stop) + done, {}, undefined],
    ['a finish reason and a break', text('a', stop), { end: 'break' }, undefined],
    ['nothing', '', {}, 'cutOff', /ended without an answer\./],
    ['no finish reason', text('a'), {}, 'cutOff', /was cut off/],
    ['no finish reason and a break', text('a'), { end: 'break' }, 'cutOff'],
    ['the end mark alone', text('a') + done, {}, 'cutOff'],
    ['usage and no end mark', text('a') + usage, {}, 'cutOff'],
    ['usage and the end mark', text('a') + usage + done, {}, undefined],
    ['usage and the end mark, with one of two choices', text('a') + usage + done, { n: 2 }, 'cutOff'],
    ['one of two choices, and the end mark', text('a', stop) + done, { n: 2 }, undefined],
    ['one of two choices, and no end mark', text('a', stop), { n: 2 }, 'cutOff'],
    [
      'two choices of which one has ended',
      text('a', stop) + event({ choices: [{ index: 1, delta: { content: 'b' } }] }) + done,
      { n: 2 },
      'cutOff',
    ],
    ['more after the end mark', text('a', stop) + done + event({ error: 'late' }), {}, undefined],
    ['the end mark in blanks', text('a', stop) + event('  [DONE] '), {}, undefined],
    ['blanks as a keep-alive', event('  ') + text('a', stop), {}, undefined],
    [
      'an event that is no JSON',
      text('a') + event('oops s3cr3t-token') + text('b', stop),
      {},
      'protocol',
      /not JSON: oops •••/,
    ],
    ['a last event that is cut', `${text('a', stop)}data: {"choi`, {}, undefined],
    ['an error with a status', failed('Too many.', 429), {}, 'rateLimited', /\(429\): Too many\./],
    ['an error with a status of 400', failed('Bad.', 400), {}, 'rejected'],
    ['an error with a code that is no status', failed('Bad.', 600), {}, 'server'],
    ['an error in words', text('a') + event({ error: 'It broke s3cr3t-token' }), {}, 'server', /: It broke •••\./],
    ['an error that says nothing', text('a') + event({ object: 'error' }), {}, 'server', /without saying why/],
    ['an error beside choices', text('a', stop).replace('{', '{"error":{"message":"No"},'), {}, 'server'],
    [
      'no error beside choices',
      event({ error: false, choices: [{ delta: { content: 'a' }, ...stop }] }) + event({ error: null, choices: [] }),
      {},
      undefined,
    ],
    ['a message in place of choices', text('a') + event({ message: 'Gone.' }), {}, 'server', /: Gone\./],
    ['an event of the type error', `${text('a')}event: error\ndata: {"message":"Full."}\n\n`, {}, 'server', /: Full\./],
    ['an event of the type error in words', `${text('a')}event: error\ndata: Full\n\n`, {}, 'server', /: Full\./],
    ['an event of another type', `event: message\n${text('a', stop)}`, {}, undefined],
    ['what is no stream of events', '<html>Sign in s3cr3t-token</html>', {}, 'cutOff', /only with: <html>Sign in •••/],
    ['an event that is too long', long, limited({ eventCharacters: 1000 }), 'tooLarge', /longer than 0 MB/],
    [
      'an answer that came whole',
      JSON.stringify({ choices: [{ message: { content: 'a' }, ...stop }] }),
      json,
      undefined,
    ],
    ['an answer that came whole without a finish reason', '{"choices":[{"message":{"content":"a"}}]}', json, undefined],
    ['an error that came whole', '{"error":{"message":"No s3cr3t-token"}}', json, 'server', /: No •••\./],
    ['half of an answer that came whole', '{"choices":[', json, 'cutOff', /ended before it was complete/],
    [
      'more values than are read, whole',
      whole,
      { ...json, ...limited({ modelValues: 3 }) },
      'tooLarge',
      /too much to read/,
    ],
    [
      'more bytes than are read, whole',
      whole,
      { ...json, ...limited({ modelBytes: 30 }) },
      'tooLarge',
      /is larger than/,
    ],
    ['more bytes than a stream may have', long, limited({ streamBytes: 30 }), 'tooLarge', /is larger than/],
    ['something else that came whole', '{"a":1}', json, 'cutOff', /only with: \{"a":1\}/],
  ];

  it('takes nothing that stands for "absent" for a finish reason, a count or an error', async () => {
    const finish = { finish_reason: 'stop' };
    const chunk = (content: string, more: object = {}, choice: object = {}): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, ...choice }], ...more })}\n\n`;
    const done = 'data: [DONE]\n\n';
    for (const absent of ['', null, undefined, 'null', 'None']) {
      const cut = chunk('Hello wor', {}, { finish_reason: absent });
      for (const body of [cut, cut + done]) {
        const { error, complete } = await read(body);
        assert.deepEqual([error?.kind, error?.partial, complete], ['cutOff', 'Hello wor', false], String(absent));
      }
      const quiet = { error: absent, error_code: absent, message: absent };
      assert.equal((await read(chunk('a', quiet, finish))).error, undefined);
      const told = { choices: absent, error_code: 'BUSY', message: 'Busy' };
      assert.equal((await read(`${cut}data: ${JSON.stringify(told)}\n\n`)).error?.errorCode, 'BUSY');
    }
  });

  for (const [title, body, ask, kind, words] of streams) {
    it(`${kind === undefined ? 'completes' : `fails (${kind})`} with ${title}`, async () => {
      const { text: given, complete, error } = await read(body, ask);
      assert.equal(error?.kind, kind, error?.message);
      if (words) assert.match(error?.message ?? '', words);
      if (kind === undefined) assert.deepEqual([given, complete], ['a', true]);
      else {
        assert.equal(error?.partial ?? '', given, 'what arrived is kept');
        assert.equal(error?.operation, 'chat');
        assert.ok(!error?.message.includes('s3cr3t'));
      }
    });
  }

  it('takes the status of an error from its code', async () => {
    for (const [code, expected] of [
      [429, [429, undefined]],
      ['context_length', [undefined, 'context_length']],
      [600, [undefined, '600']],
    ] as const) {
      const { error } = await read(text('a') + event({ error: { message: 'No.', code } }), {});
      assert.deepEqual([error?.status, error?.errorCode], expected);
      assert.match(
        error?.remedy ?? '',
        code === 429 ? /^(?!What arrived is kept)./ : /^The text so far is kept\. Try again\./,
      );
    }
  });

  it('times out when it stalls, unless it is complete', async () => {
    for (const [body, kind] of [
      [text('a'), 'timeout'],
      [text('a', stop), undefined],
    ] as const) {
      const clock = new FakeClock();
      const ended = read(body, { end: 'hang', options: { clock } });
      await clock.advance(119_999);
      let isOver = false;
      void ended.then(() => void (isOver = true));
      await clock.advance(0);
      assert.equal(isOver, false);
      await clock.advance(1);
      const { error } = await ended;
      assert.equal(error?.kind, kind);
      if (kind) assert.equal(error?.partial, 'a');
      assert.equal(clock.pending, 0);
    }
  });

  function watched(body: string, end: End = 'hang'): { fetch: Fetch; sent: HttpRequest[] } {
    const sent: HttpRequest[] = [];
    const replay = replayFetch([new TextEncoder().encode(body)], 'text/event-stream', end);
    return {
      sent,
      fetch: (url, request) => {
        sent.push(request);
        return replay(url, request);
      },
    };
  }
  const clientOf = (fetch: Fetch): ReturnType<typeof createClient> =>
    createClient({ baseUrl: 'https://service.example', auth: { kind: 'none' }, fetch, retry: 'fail' });

  it('closes the connection when the loop is left', async () => {
    const { fetch, sent } = watched(text('a') + text('b'));
    const stream = clientOf(fetch).inference.streamChat('e', { messages })[Symbol.asyncIterator]();
    assert.equal((await stream.next()).done, false);
    assert.equal(sent[0]?.signal.aborted, false);
    await stream.return?.();
    assert.equal(sent[0]?.signal.aborted, true);
    assert.equal((await stream.next()).done, true);
  });

  it('closes the connection when it ends or fails', async () => {
    for (const body of [
      text('a', stop) + done,
      text('a') + event({ error: 'x' }),
      text('a') + event('oops') + text('b'),
    ]) {
      const { fetch, sent } = watched(body);
      try {
        for await (const chunk of clientOf(fetch).inference.streamChat('e', { messages })) assert.ok(chunk);
      } catch (error) {
        assert.ok(error instanceof AppError);
      }
      assert.equal(sent[0]?.signal.aborted, true, body);
    }
  });

  it('stops on abort', async () => {
    const { fetch, sent } = watched(text('a'));
    const controller = new AbortController();
    const stream = clientOf(fetch)
      .inference.streamChat('e', { messages }, { signal: controller.signal })
      [Symbol.asyncIterator]();
    await stream.next();
    controller.abort();
    await assert.rejects(stream.next(), { kind: 'aborted' });
    assert.equal(sent[0]?.signal.aborted, true);
    assert.equal((await stream.next()).done, true);
  });

  it('delivers each chunk once to concurrent readers', async () => {
    const { fetch } = watched(text('a') + text('b', stop) + done);
    const stream = clientOf(fetch).inference.streamChat('e', { messages })[Symbol.asyncIterator]();
    const results = await Promise.all([stream.next(), stream.next(), stream.next(), stream.next()]);
    assert.deepEqual(
      results.map(({ done: isDone, value }) =>
        isDone === true
          ? 'end'
          : (value as { choices?: { delta?: { content?: unknown } }[] }).choices?.[0]?.delta?.content,
      ),
      ['a', 'b', 'end', 'end'],
    );
  });

  it('expects a choice for each prompt and each n', async () => {
    const one = event({ choices: [{ index: 0, text: 'a', ...stop }] });
    const two = one + event({ choices: [{ index: 1, text: 'b', ...stop }] });
    for (const [prompt, n, body, isWhole] of [
      [['p', 'q'], undefined, one, false],
      [['p', 'q'], undefined, two, true],
      [['p'], 2, one, false],
      [['p'], 2, two, true],
      ['p', undefined, one, true],
    ] as const) {
      const { fetch } = watched(body, 'close');
      const texts: unknown[] = [];
      const ask = async (): Promise<void> => {
        for await (const chunk of clientOf(fetch).inference.streamCompletion('e', {
          prompt: typeof prompt === 'string' ? prompt : [...prompt],
          n,
        }))
          texts.push(chunk.choices?.[0]?.text);
      };
      if (isWhole) await ask();
      else await assert.rejects(ask(), { kind: 'cutOff', partial: 'a' });
      assert.equal(texts[0], 'a');
    }
  });
});
