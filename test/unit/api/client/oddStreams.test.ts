import assert from 'node:assert/strict';
import { createClient } from '../../../../src/api/client/index.ts';
import { AnswerReader, join, type AnswerDelta } from '../../../../src/api/schema/inference/answer.ts';
import type { AppError } from '../../../../src/shared/errors.ts';
import { piecesOf, replayFetch } from '../../../support/replayFetch.ts';

describe('Odd stream', () => {
  interface Read {
    text: string;
    /** Name and arguments of each call. */
    calls: string[];
    complete: boolean;
    error?: AppError;
  }

  async function read(body: string, contentType = 'text/event-stream', isInBytes = false): Promise<Read> {
    const bytes = new TextEncoder().encode(body);
    const client = createClient({
      baseUrl: 'https://service.example',
      auth: { kind: 'none' },
      fetch: replayFetch(piecesOf(bytes, isInBytes ? 'bytes' : 'whole'), contentType),
      retry: 'fail',
    });
    const reader = new AnswerReader();
    let answer: AnswerDelta = { choices: [] };
    let error: AppError | undefined;
    try {
      for await (const chunk of client.inference.streamChat('e', { messages: [{ role: 'user', content: 'Hi' }] }))
        answer = join(answer, reader.read(chunk));
    } catch (reason) {
      error = reason as AppError;
    }
    const [{ text = '', toolCalls = [] } = {}] = answer.choices;
    const calls = toolCalls.map(({ name, arguments: given }) => `${name} ${given}`);
    return { text, calls, complete: reader.isComplete, ...(error && { error }) };
  }

  const event = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  const chunk = (delta: object, finish: unknown = null, more: object = {}): string =>
    event({ choices: [{ index: 0, delta, finish_reason: finish }], ...more });
  const hello = chunk({ content: 'Hello' });
  const stop = chunk({}, 'stop');
  const done = event('[DONE]');
  const whole = { text: 'Hello', calls: [], complete: true };

  it('does not take an absent finish reason in any spelling for an end', async () => {
    for (const absent of ['', ' ', 'null', 'None', 'NULL', 'undefined', 'nil', false, 0, [], {}]) {
      const { complete, error } = await read(chunk({ content: 'Hello' }, absent) + done);
      assert.deepEqual([complete, error?.kind, error?.partial], [false, 'cutOff', 'Hello'], JSON.stringify(absent));
      const quiet = { error: absent, error_code: absent, detail: absent };
      assert.deepEqual(await read(chunk({ content: 'Hello' }, 'stop', quiet)), whole, JSON.stringify(absent));
    }
  });

  it('keeps text that comes in another field', async () => {
    const odd: object[] = [
      { message: { role: 'assistant', content: 'Hello' } },
      { delta: null, message: { content: 'Hello' } },
      { delta: { refusal: 'Hello' } },
      { delta: { content: '', refusal: 'Hello' } },
      { delta: { content: null, refusal: 'Hello' } },
      { delta: { content: [{ type: 'text', text: 'Hello' }] } },
      { delta: 'Hello' },
      { text: 'Hello' },
    ];
    for (const choice of odd)
      assert.deepEqual(
        await read(event({ choices: [{ index: 0, ...choice, finish_reason: 'stop' }] }) + done),
        whole,
        JSON.stringify(choice),
      );
  });

  it('passes over what is no chunk before and after the answer', async () => {
    for (const noise of [': PROCESSING', 'ping', '"ping"', '{"type":"ping"}', 'null', '{}', '[]'])
      assert.deepEqual(await read(event(noise) + hello + stop + event(noise)), whole, noise);
    for (const after of ['event: end\ndata: end\n\n', 'event: error\ndata: late\n\n', event({ error: 'late' })])
      assert.deepEqual(await read(hello + stop + after), whole, after);
  });

  it('keeps the text when an event in the middle is not JSON', async () => {
    for (const noise of ['ping', '{"choices":[{"delta":{"content":"lo"},"logprobs":NaN}]}', ': PROCESSING']) {
      const { text, error } = await read(hello + event(noise) + stop);
      assert.deepEqual([text, error?.kind, error?.partial], ['Hello', 'protocol', 'Hello'], noise);
    }
  });

  it("reports the server's words for an error in any form", async () => {
    for (const error of [
      { detail: 'Internal Server Error' },
      { detail: [{ msg: 'Internal Server Error' }] },
      { choices: null, detail: 'Internal Server Error' },
      { choices: [], error: { message: 'Internal Server Error' } },
    ]) {
      const { text, error: told } = await read(hello + event(error));
      assert.equal(text, 'Hello');
      assert.match(told?.message ?? '', /Internal Server Error/, JSON.stringify(error));
    }
  });

  it('is read by its first bytes, not by its content type', async () => {
    const answer = JSON.stringify({ choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }] });
    for (const type of ['application/json', 'text/event-stream', 'text/plain', 'application/x-ndjson', ''])
      for (const isInBytes of [false, true]) {
        assert.deepEqual(await read(hello + stop + done, type, isInBytes), whole, type);
        assert.deepEqual(await read(`\n ${answer}`, type, isInBytes), whole, type);
      }
  });

  it('is read with other framings, as far as it arrived', async () => {
    const oneNewline = (hello + stop + done).replaceAll('\n\n', '\n');
    const jsonLines = oneNewline.replaceAll('data: ', '');
    for (const [body, type] of [
      [oneNewline, 'text/event-stream'],
      [oneNewline, 'application/json'],
      [jsonLines, 'application/json'],
      [jsonLines, 'application/x-ndjson'],
    ] as const) {
      assert.deepEqual(await read(body, type), whole, `${type} ${body}`);
      const { text, error } = await read(body.slice(0, body.indexOf('stop')), type);
      assert.deepEqual([text, error?.kind], ['Hello', 'cutOff'], `${type} ${body}`);
    }
  });

  it('ends in one error with the position when it is whole and not JSON', async () => {
    const { error } = await read('{"choices":[],"usage":NaN}', 'application/json');
    assert.deepEqual([error?.kind, error?.retryable], ['protocol', false]);
    assert.match(error?.message ?? '', /character 23\b/);
  });

  const calling = (...parts: object[]): string =>
    parts.map((part) => chunk({ tool_calls: [part] })).join('') + chunk({}, 'tool_calls') + done;

  it('continues the open tool call when a fragment comes under a new index without id or name', async () => {
    const first = { index: 0, id: 'c1', function: { name: 'f', arguments: '{"a"' } };
    for (const rest of [
      [
        { index: 1, function: { arguments: ':1' } },
        { index: 2, function: { arguments: '}' } },
      ],
      [{ index: 1, id: '', function: { name: '', arguments: ':1}' } }],
      [{ index: 1, id: 'None', function: { name: null, arguments: ':1}' } }],
      [{ index: 1, id: null, function: { name: 'null', arguments: ':1}' } }],
    ])
      assert.deepEqual((await read(calling(first, ...rest))).calls, ['f {"a":1}'], JSON.stringify(rest));
    const second = { index: 1, id: 'c2', function: { name: 'g', arguments: '{"b"' } };
    const end = { index: 2, function: { arguments: ':2}' } };
    const { calls } = await read(calling(first, { index: 0, function: { arguments: ':1}' } }, second, end));
    assert.deepEqual(calls, ['f {"a":1}', 'g {"b":2}']);
  });

  it('reads the older single function_call', async () => {
    const parts = [{ name: 'f', arguments: '' }, { arguments: '{"a":' }, { arguments: '1}' }];
    const streamed = parts.map((part) => chunk({ content: null, function_call: part })).join('');
    const ended = chunk({}, 'function_call');
    assert.deepEqual((await read(streamed + ended + done)).calls, ['f {"a":1}']);
    const message = { content: null, function_call: { name: 'f', arguments: '{"a":1}' } };
    const answer = JSON.stringify({ choices: [{ message, finish_reason: 'function_call' }] });
    assert.deepEqual((await read(answer, 'application/json')).calls, ['f {"a":1}']);
  });
});
