import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../../../src/shared/errors.ts';
import { CollectedChat, CollectedCompletion } from '../../../support/collected.ts';
import { piecesOf, replayClient, type Cut } from '../../../support/replayFetch.ts';

const folder = path.join(import.meta.dirname, '../../../fixtures/streams');

interface Expected {
  text: string;
  reasoning?: string;
  /** Id, name and arguments of each. */
  calls?: string[];
  finish?: string;
  total?: number;
  /** Kind and a part of the message of the error that ends it. */
  error?: [kind: string, text: RegExp];
}

const chats: Record<string, Expected> = {
  'openai.sse': { text: 'Grüße aus 東京 😀\n\n"done"\\', finish: 'stop', total: 16 },
  'openai-tools.sse': {
    text: '',
    calls: ['call_A get_weather {"city":"Paris"}', 'call_B get_time {"zone":"Europe/Paris"}'],
    finish: 'tool_calls',
  },
  'openai-n2-logprobs.sse': { text: 'Yes', finish: 'length' },
  'azure.sse': { text: 'Hello', finish: 'content_filter' },
  'vllm.sse': { text: 'One two', finish: 'stop', total: 15 },
  'vllm-error.sse': {
    text: 'Part',
    error: ['server', /ended the stream with an error \(500\): EngineCore encountered an issue\./],
  },
  'llama-cpp.sse': { text: 'Hi there', finish: 'stop', total: 8 },
  'llama-cpp-error.sse': { text: 'Hi', error: ['server', /context shift is disabled\./] },
  'event-error.sse': { text: 'Hi', error: ['server', /REQUEST_LIMIT_EXCEEDED\): Exceeded output tokens per minute\./] },
  'ollama.sse': {
    text: 'Sunny',
    reasoning: 'Let me think.',
    calls: ['call_x1 lookup {"q":"sun"}'],
    finish: 'tool_calls',
  },
  'databricks.sse': { text: 'A job', finish: 'stop', total: 18 },
  'databricks-claude.sse': { text: '42', reasoning: 'First, add.', finish: 'stop', total: 128 },
  'anthropic-proxy.sse': {
    text: 'Bonjour',
    reasoning: 'Hm. ',
    calls: ['toolu_1 save {"x":1}'],
    finish: 'tool_calls',
    total: 30,
  },
  'openrouter.sse': { text: 'Ok.', finish: 'stop', total: 5 },
  'openrouter-error.sse': { text: 'Ok', error: ['rateLimited', /\(429\): Provider returned error\./] },
  'deepseek.sse': { text: 'Done', reasoning: 'Think', finish: 'stop', total: 15 },
  'gemini.sse': {
    text: '',
    calls: ['function-call-1 weather {"city":"Oslo"}', 'function-call-2 weather {"city":"Rome"}'],
    finish: 'stop',
  },
  'careless.sse': {
    text: 'Hm',
    calls: ['c1 f {"a":1}', 'c2 g {}'],
    finish: 'eos_token',
    total: 7,
  },
  'lm-studio.sse': { text: 'ab', finish: 'stop' },
  'tgi.sse': { text: 'ab', finish: 'length' },
};

/** A stream with other line ends says the same. */
const lineEnds: Record<string, (text: string) => string> = {
  LF: (text) => text,
  CRLF: (text) => text.replaceAll('\n', '\r\n'),
  CR: (text) => text.replaceAll('\n', '\r'),
  'a byte order mark': (text) => `\uFEFF${text}`,
};

async function replay(text: string, cut: Cut): Promise<Expected & { choices: number; response: unknown }> {
  const collected = new CollectedChat();
  let error: AppError | undefined;
  try {
    for await (const chunk of replayClient(piecesOf(new TextEncoder().encode(text), cut)).inference.streamChat('e', {
      messages: [{ role: 'user', content: 'Hi' }],
    }))
      collected.add(chunk);
  } catch (caught) {
    assert.ok(caught instanceof AppError, String(caught));
    error = caught;
  }
  const [first] = collected.choices;
  return {
    text: collected.text,
    reasoning: first?.reasoning ?? '',
    calls: (first?.toolCalls ?? []).map((call) => `${call.id} ${call.name} ${call.arguments}`),
    finish: first?.finishReason,
    total: collected.answer.usage?.total_tokens,
    error: error && [error.kind, new RegExp(error.message)],
    choices: collected.choices.length,
    response: [collected.answer, error?.message, error?.partial],
  };
}

describe('Recorded streams', () => {
  it('are reported event by event without secrets', async () => {
    const events = ['{"choices":[{"delta": {"content":"tok-canary-1234567"}, "own":1}]}', '[DONE]'];
    const bytes = new TextEncoder().encode(events.map((event) => `data: ${event}\n\n`).join(''));
    const told: string[] = [];
    const client = replayClient([bytes], { auth: { kind: 'bearer', token: 'tok-canary-1234567' } });
    const chunks = client.inference.streamChat(
      'e',
      { messages: [{ role: 'user', content: 'Hi' }] },
      { onEvent: (data) => told.push(data()) },
    );
    await assert.rejects(async () => {
      for await (const chunk of chunks) void chunk;
    });
    assert.equal(told.length, 2);
    assert.match(told[0] ?? '', /^\{"choices":\[\{"delta": \{"content":"[^"]*"\}, "own":1\}\]\}$/);
    assert.doesNotMatch(told.join(), /tok-canary/);
    assert.equal(told[1], '[DONE]');
  });

  for (const [name, expected] of Object.entries(chats)) {
    it(`read the same whole, byte by byte and with any line end: ${name}`, async () => {
      const text = readFileSync(path.join(folder, name), 'utf8');
      const whole = await replay(text, 'whole');
      assert.equal(whole.text, expected.text);
      assert.equal(whole.reasoning, expected.reasoning ?? '');
      assert.deepEqual(whole.calls, expected.calls ?? []);
      assert.equal(whole.finish, expected.finish);
      assert.equal(whole.total, expected.total);
      assert.equal(whole.error?.[0], expected.error?.[0]);
      if (expected.error)
        assert.match(
          whole.error?.[1].source ?? '',
          new RegExp(
            expected.error[1].source
              .replaceAll('\\(', '\\\\?\\(')
              .replaceAll('\\)', '\\\\?\\)')
              .replaceAll('\\.', '\\\\?\\.'),
          ),
        );
      for (const [ends, change] of Object.entries(lineEnds)) {
        for (const cut of ['whole', 'bytes'] as const)
          assert.deepEqual((await replay(change(text), cut)).response, whole.response, `${ends}, ${cut}`);
      }
    });
  }

  it('keep two prompts of a completion apart', async () => {
    const bytes = readFileSync(path.join(folder, 'completion-vllm.sse'));
    for (const cut of ['whole', 'bytes'] as const) {
      const collected = new CollectedCompletion();
      for await (const chunk of replayClient(piecesOf(bytes, cut)).inference.streamCompletion('e', {
        prompt: ['a', 'b'],
      }))
        collected.add(chunk);
      assert.deepEqual(collected.choices, [
        { index: 0, text: 'one two', finishReason: 'length' },
        { index: 1, text: 'uno dos', finishReason: 'stop' },
      ]);
      assert.equal(collected.totalTokens, 8);
    }
  });

  it('fail with the received text if cut anywhere (P8)', async function () {
    let points = 0;
    for (const [name, expected] of Object.entries(chats)) {
      if (expected.error) continue;
      const bytes = readFileSync(path.join(folder, name));
      const whole = await replay(bytes.toString('utf8'), 'whole');
      for (let cut = 0; cut < bytes.length; cut += name === 'openai.sse' ? 1 : 7) {
        const collected = new CollectedChat();
        let error: unknown;
        try {
          for await (const chunk of replayClient([bytes.subarray(0, cut)], { retry: 'fail' }).inference.streamChat(
            'e',
            { messages: [{ role: 'user', content: 'Hi' }], n: whole.choices },
          ))
            collected.add(chunk);
        } catch (caught) {
          error = caught;
        }
        points++;
        const complete = collected.complete && collected.choices.length === whole.choices;
        if (complete) assert.equal(error, undefined, `${name} at ${cut}`);
        else {
          assert.ok(
            error instanceof AppError && error.kind === 'cutOff',
            `${name} at ${cut} looks complete: ${String(error)}`,
          );
          assert.equal(error.partial ?? '', collected.text);
        }
      }
    }
    assert.ok(points > 1500, `${points} cut points`);
  });
});
