import assert from 'node:assert/strict';
import { ChunkStream } from '../../../../../src/api/client/inference/stream.ts';
import type { AnyChunk, StreamPlan } from '../../../../../src/api/client/inference/streamPlan.ts';
import type { OpenResponse } from '../../../../../src/api/client/transport.ts';
import { AppError } from '../../../../../src/shared/errors.ts';

interface Word extends AnyChunk {
  text?: string;
  usage?: number;
}
/** A piece that arrives, or why none does; the end of the list is the end of the stream. */
type Piece = string | Error;
interface Service {
  readonly contentType?: string;
  readonly plan?: Partial<StreamPlan<Word>>;
  /** Awaited by each read. */
  readonly gate?: () => Promise<void>;
}

const event = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const word = (text: string, index = 0): Word => ({ text, choices: [{ index }] });
const last = (text: string, index = 0): Word => ({ text, choices: [{ index, finish_reason: 'stop' }] });
const end: Word = { text: 'unexplained' };
const keptRemedy = 'What arrived is kept. Try again; a shorter conversation may help.';
const emptyRemedy = 'Try again; if it happens again, check that the endpoint is one of this task type.';

function open(pieces: readonly Piece[], { contentType = 'text/event-stream', plan, gate }: Service = {}) {
  const calls: string[] = [];
  const left = [...pieces];
  const next = (): string | undefined => {
    const piece = left.shift();
    if (piece instanceof Error) throw piece;
    return piece;
  };
  const response = {
    contentType,
    read: async () => {
      calls.push('read');
      await gate?.();
      const piece = next();
      return piece === undefined ? undefined : new TextEncoder().encode(piece);
    },
    text: async (maxBytes: number) => {
      calls.push(`text ${maxBytes}`);
      return next() ?? '';
    },
    close: () => void calls.push('close'),
  };
  const stream = new ChunkStream<Word>({
    operation: 'chat',
    eventCharacters: 2000,
    wholeBytes: 77,
    wholeValues: 50,
    choices: 1,
    unexplainedEnd: end,
    open: async () => ({ response: response as unknown as OpenResponse, credentials: { secrets: ['s3cret'] } }),
    asChunk: (value) => value as Word,
    wholeAsChunk: (value) => ({ ...(value as Word), usage: 9 }),
    place: { field: 'text', plainText: ({ text }) => text, withText: (chunk, text) => ({ ...chunk, text }) },
    textOf: ({ choices, text = '' }) => ((choices?.[0]?.index ?? 0) === 0 ? text : ''),
    usageOf: ({ usage }) => usage,
    ...plan,
  });
  return { stream, calls };
}

async function read(pieces: readonly Piece[], service?: Service): Promise<{ words: unknown[]; error?: AppError }> {
  const { stream, calls } = open(pieces, service);
  const words: unknown[] = [];
  try {
    for await (const chunk of stream) words.push(chunk.text ?? '-');
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.ok(calls.includes('close'), 'the connection is closed');
    assert.deepEqual(await stream.next(), { value: undefined, done: true }, 'it fails once');
    return { words, error };
  }
  assert.ok(calls.includes('close'), 'the connection is closed');
  return { words };
}

const said = ({ kind, message, operation, status, errorCode, retryable, partial, remedy }: AppError): unknown => ({
  kind,
  message,
  operation,
  status,
  errorCode,
  retryable,
  partial,
  remedy,
});

describe('reading a stream', () => {
  const nothing = { operation: 'chat', status: undefined, errorCode: undefined, partial: undefined };
  const failures: [title: string, pieces: Piece[], Service | undefined, words: string[], object][] = [
    [
      'a stream without an event',
      [],
      undefined,
      [],
      { kind: 'cutOff', message: 'chat: the stream ended without an answer.', retryable: true, remedy: emptyRemedy },
    ],
    [
      'a text that is no stream, of which the beginning is told',
      ['s3cret ', 'x'.repeat(290), 'y'.repeat(4000), 'z'],
      { plan: { eventCharacters: 9000 } },
      [],
      {
        kind: 'cutOff',
        message: `chat: the stream ended without an answer; it held: ••• ${'x'.repeat(290)}yyy.`,
        retryable: true,
        remedy: emptyRemedy,
      },
    ],
    [
      'a stream without a finish reason',
      [event(word('a')) + event(word('b')), event(word('c'))],
      undefined,
      ['a', 'b', 'c'],
      {
        kind: 'cutOff',
        message: 'chat: the answer was cut off: the stream ended without a finish reason.',
        retryable: true,
        partial: 'abc',
        remedy: 'What arrived is kept. Try again for the whole answer.',
      },
    ],
    [
      'an event that is no JSON, of which the beginning is told',
      [event(word('a')) + event(`  s3cret${'x'.repeat(300)}`) + event(last('b'))],
      undefined,
      ['a'],
      {
        kind: 'protocol',
        message: `chat: an event of the stream is not JSON: •••${'x'.repeat(194)} The rest was not read.`,
        retryable: false,
        partial: 'a',
        remedy: 'Check that the endpoint is one of this task type.',
      },
    ],
    [
      'an event that is too long',
      [event(last('a')), event('x'.repeat(2_200_000))],
      { plan: { eventCharacters: 2_097_152 } },
      ['a'],
      {
        kind: 'tooLarge',
        message: 'chat: one event of the stream is longer than 2 MB. The rest was not read.',
        retryable: false,
        remedy: 'The server is at fault, or this is not a stream of events; check the endpoint.',
      },
    ],
    [
      'an error with a code of its own',
      [event(word('a')) + event({ error: { message: 'Too long!', code: 'context' } })],
      undefined,
      ['a'],
      {
        kind: 'server',
        message: 'chat: the server ended the stream with an error (context): Too long!',
        errorCode: 'context',
        retryable: true,
        partial: 'a',
        remedy: keptRemedy,
      },
    ],
    [
      'an error with a code and no words',
      [event({ error: { code: 'context' } })],
      undefined,
      [],
      {
        kind: 'server',
        message: 'chat: the server ended the stream with an error (context) without saying why.',
        errorCode: 'context',
        retryable: true,
        remedy: keptRemedy,
      },
    ],
    [
      'half of an answer that came whole',
      ['{"text":"s3cret'],
      { contentType: 'Application/JSON' },
      [],
      {
        kind: 'cutOff',
        message: 'chat: the answer ended before it was complete.',
        retryable: true,
        remedy: 'Try again.',
      },
    ],
    [
      'a fault of the reading itself',
      [event(word('a')), new TypeError('odd')],
      undefined,
      ['a'],
      { kind: 'internal', message: 'chat: odd', retryable: false, partial: 'a', remedy: undefined },
    ],
  ];
  for (const [title, pieces, service, words, expected] of failures)
    it(`fails at ${title}`, async () => {
      const { words: given, error } = await read(pieces, service);
      assert.ok(error);
      const { partial: _partial, ...others } = nothing;
      const kept = words.length > 0 && !('partial' in expected) ? { partial: words.join('') } : {};
      assert.deepEqual([given, said(error)], [words, { ...others, partial: undefined, ...kept, ...expected }]);
      assert.ok(!String(error.cause).includes('s3cret'));
    });

  it('has the status and the words of an error whose code is a status, and its own for any other number', async () => {
    for (const [code, status] of [
      [399, undefined],
      [400, 400],
      [599, 599],
      [600, undefined],
    ] as const) {
      const { error } = await read([event({ error: { message: 'No?', code } })]);
      assert.deepEqual(
        [error?.status, error?.errorCode, error?.remedy === keptRemedy, error?.message],
        [
          status,
          status === undefined ? String(code) : undefined,
          error?.kind === 'server' && status === undefined,
          `chat: the server ended the stream with an error (${code}): No?`,
        ],
      );
    }
  });

  it('keeps what a failure of the connection said, and adds what arrived', async () => {
    const why = new AppError('timeout', 'Slow.', {
      cause: 'why',
      status: 200,
      errorCode: 'E',
      retryable: true,
      operation: 'op',
      remedy: 'Wait.',
    });
    assert.equal((await read([why])).error, why, 'where nothing arrived it is the same');
    const { error } = await read([event(word('a')), why]);
    assert.deepEqual(
      { ...(said(error ?? why) as object), cause: error?.cause },
      {
        ...(said(why) as object),
        cause: 'why',
        partial: 'a',
      },
    );
  });

  it('takes nothing amiss after the last finish reason but what the connection does not explain', async () => {
    for (const [kind, isComplete] of [
      ['cutOff', true],
      ['timeout', true],
      ['network', false],
      ['tooLarge', false],
      ['aborted', false],
    ] as const) {
      const failing = new AppError(kind, 'No.');
      const { words, error } = await read([event(last('a')), failing]);
      assert.deepEqual([words, error?.kind], [['a'], isComplete ? undefined : kind]);
      assert.equal((await read([event(word('a')), failing])).error?.kind, kind);
    }
  });

  it('is complete once each choice that was asked for has ended, wherever usage and end mark say so', async () => {
    const done = event('[DONE]');
    const used = event({ usage: 1 });
    for (const [pieces, choices, expected] of [
      [[event(last('a')), event(last('b', 1))], 2, ['a', 'b']],
      [[event(last('a', 1)), event(word('b'))], 2, 'cutOff'],
      [[event({ text: 'a', choices: [{ finish_reason: 'stop' }] })], 1, ['a']],
      [
        [event(word('a')), event({ ...last('b', 1), usage: 1 }), event(word('c', 0)), done],
        2,
        ['a', 'b', 'c', end.text],
      ],
      [[used + event(word('a')) + done], 1, ['-', 'a', end.text]],
      [[used + event(word('a')) + done], 2, 'cutOff'],
      [[event(word('a')) + done], 1, 'cutOff'],
      [[event(last('a')) + done + event(word('late'))], 2, ['a']],
      [[event(last('a')), 'data: {"ch'], 1, ['a']],
      [['data: {"ch'], 1, 'cutOff'],
      [[`${event(last('a'))}data: oops\n\ndata: {"ch`], 1, 'protocol'],
    ] as const) {
      const { words, error } = await read(pieces, { plan: { choices } });
      assert.deepEqual(error?.kind ?? words, expected, JSON.stringify(pieces));
    }
    const { words, error } = await read([used + event(word('a')) + done], { plan: { unexplainedEnd: undefined } });
    assert.deepEqual([words, error], [['-', 'a'], undefined]);
  });

  it('knows an error by its form, and takes none for one that has choices', async () => {
    for (const [value, isError] of [
      [{ error: '', ...last('a') }, false],
      [{ error: 0 }, true],
      [{ error: null, ...last('a') }, false],
      [{ error: false, ...last('a') }, false],
      [{ error: 'x', ...last('a') }, true],
      [{ error_code: 'x' }, true],
      [{ object: 'error' }, true],
      [{ type: 'error' }, true],
      [{ message: 'x' }, true],
      [{ object: 'error', type: 'error', message: 'x', error_code: 'x', ...last('a') }, false],
      [{ message: 5 }, false],
      [{ object: 'chunk', type: 'chunk' }, false],
    ] as const) {
      const { error } = await read([event(value) + event(last('b'))]);
      assert.equal(error?.kind, isError ? 'server' : undefined, JSON.stringify(value));
    }
    const typed = await read([`${event(word('a'))}event: error\ndata: {"message":"Full.","code":"c"}\n\n`]);
    assert.deepEqual(
      [typed.error?.message, typed.error?.partial],
      ['chat: the server ended the stream with an error (c): Full.', 'a'],
    );
  });

  it('reads an answer that came whole up to its limits, and gives it as one chunk', async () => {
    const { stream, calls } = open([JSON.stringify(last('a'))], { contentType: 'text/json' });
    assert.deepEqual(await stream.next(), { value: { ...last('a'), usage: 9 }, done: false });
    assert.deepEqual(await stream.next(), { value: undefined, done: true });
    assert.deepEqual(calls, ['text 77', 'close']);
    const long = await read([JSON.stringify(Array.from({ length: 51 }, () => 1))], { contentType: 'application/json' });
    assert.equal(long.error?.kind, 'tooLarge');
    assert.equal(
      long.error.message,
      'chat: the answer has more than 50 values, which is too much to be read. The answer was not completed.',
    );
    const other = await read(['{"jobs":[]}'], {
      contentType: 'application/json',
      plan: { wholeAsChunk: () => undefined },
    });
    assert.match(other.error?.message ?? '', /it held: \{"jobs":\[\]\}\.$/);
  });

  it('tells of each event as it arrived, without secrets, and makes the text for who wants it', async () => {
    const told: (() => string)[] = [];
    await read([event('{"text":"s3cret","choices":[{"finish_reason":"stop"}]}'), event('[DONE]')], {
      plan: { onEvent: (data) => void told.push(data) },
    });
    assert.deepEqual(
      told.map((data) => data()),
      ['{"text":"•••","choices":[{"finish_reason":"stop"}]}', '[DONE]'],
    );
  });

  it('reads no further than it is asked to, and nothing after it was left', async () => {
    const { stream, calls } = open([event(word('a')) + event(word('b')), event(last('c'))]);
    assert.deepEqual(calls, []);
    assert.deepEqual(await stream.next(), { value: word('a'), done: false });
    assert.deepEqual(calls, ['read']);
    assert.equal(stream[Symbol.asyncIterator](), stream);
    assert.deepEqual(await stream.return(), { value: undefined, done: true });
    assert.deepEqual(await stream.next(), { value: undefined, done: true });
    assert.deepEqual(calls, ['read', 'close']);
  });

  it('that is left while it waits ends, whatever the read still brings', async () => {
    for (const piece of [event(word('a')), new Error('gone')]) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const { stream, calls } = open([piece], { gate: () => promise });
      const waiting = [stream.next(), stream.next()];
      await new Promise((settled) => setImmediate(settled));
      assert.deepEqual(calls, ['read'], 'both wait for one read');
      await stream.return();
      resolve();
      assert.deepEqual(await Promise.all(waiting), [
        { value: undefined, done: true },
        { value: undefined, done: true },
      ]);
      assert.deepEqual(calls, ['read', 'close']);
    }
  });

  it('closes the connection as soon as it fails, and a failure to open is told as it is', async () => {
    const { stream, calls } = open([new AppError('network', 'No.')]);
    await assert.rejects(stream.next(), { kind: 'network' });
    assert.equal(calls[1], 'close');
    const refused = new AppError('rejected', 'Who?');
    const closed = open([], { plan: { open: () => Promise.reject(refused) } });
    await assert.rejects(closed.stream.next(), refused);
    assert.deepEqual(await closed.stream.next(), { value: undefined, done: true });
  });
});
