import assert from 'node:assert/strict';
import { wholeAsChatChunk } from '../../../src/api/client/inference/chunk.ts';
import type { AnswerDelta } from '../../../src/api/schema/inference/answer.ts';
import type { ChatChunk } from '../../../src/api/schema/inference/schemas.ts';
import { applyEvent, emptyConversation, shownChoice, type Answer } from '../../../src/chat/conversation.ts';
import { runSession, type SessionEnd } from '../../../src/chat/session.ts';
import { AppError } from '../../../src/shared/errors.ts';

const role = { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] };
const text = (content: unknown, index = 0): ChatChunk => ({ choices: [{ index, delta: { content } }] }) as ChatChunk;
const finish = (reason = 'stop', index = 0): ChatChunk => ({ choices: [{ index, delta: {}, finish_reason: reason }] });

/** The chunks as the client gives them. */
async function* stream(chunks: readonly unknown[], error?: Error): AsyncGenerator<ChatChunk> {
  for (const chunk of chunks) {
    const checked = wholeAsChatChunk(structuredClone(chunk));
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

describe('session', () => {
  const whole = [
    role,
    text('Hel'),
    text('lo'),
    { choices: [], usage: { prompt_tokens: 1, total_tokens: 3 } },
    finish(),
    { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
  ];

  it('is done after a finish_reason, with text and the last usage', async () => {
    const { status, failure, answer } = await run(stream(whole));
    assert.deepEqual(
      [status, failure, shownChoice(answer)?.text, answer.usage],
      ['done', undefined, 'Hello', { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }],
    );
  });

  it('is cut off at every place before the finish_reason, with what arrived', async () => {
    for (let count = 0; count <= whole.length; count += 1) {
      const { status, answer } = await run(stream(whole.slice(0, count)));
      const isComplete = count >= 5;
      assert.equal(status, isComplete ? 'done' : 'cutOff', `after ${count} chunks`);
      assert.equal(shownChoice(answer)?.text ?? '', count < 2 ? '' : count < 3 ? 'Hel' : 'Hello');
    }
  });

  it('is cut off when the connection breaks after some text, failed when it breaks before', async () => {
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

  it('stops at once when a source ignores its signal, and leaves the source', async () => {
    const controller = new AbortController();
    let wasLeft = false;
    const stuck: AsyncIterable<ChatChunk> = {
      [Symbol.asyncIterator]: () => {
        let count = 0;
        return {
          next: () =>
            count++ === 0 ? Promise.resolve({ value: text('Hi'), done: false }) : new Promise(() => undefined),
          return: () => {
            wasLeft = true;
            return Promise.resolve({ value: undefined, done: true });
          },
        };
      },
    };
    setTimeout(() => controller.abort(), 5);
    const { status, answer } = await run(stuck, controller.signal);
    assert.deepEqual([status, shownChoice(answer)?.text, wasLeft], ['stopped', 'Hi', true]);
  });

  it('is stopped while its request is still being opened, and lets go of what comes of it', async () => {
    const controller = new AbortController();
    const opening = Promise.withResolvers<AsyncIterable<ChatChunk>>();
    setTimeout(() => controller.abort(), 5);
    const onPart = (): void => assert.fail('nothing was answered');
    const { status } = await runSession({ open: () => opening.promise, signal: controller.signal, onPart });
    opening.reject(new AppError('aborted', 'Stopped.'));
    assert.equal(status, 'stopped');
  });

  it('hands over at most one part a frame', async () => {
    async function* many(): AsyncGenerator<ChatChunk> {
      for (let count = 0; count < 20_000; count += 1) yield text('x');
      yield finish();
    }
    const { parts, answer } = await run(many());
    assert.equal(shownChoice(answer)?.text.length, 20_000);
    assert.ok(parts.length < 200, `${parts.length} parts for 20,000 chunks`);
  });

  it('reads what real servers send: lists of parts, no index, whole answers, tool calls with parsed arguments, log probabilities', async () => {
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
