import assert from 'node:assert/strict';
import type { AnswerDelta } from '../../../src/api/schema/inference/answer.ts';
import type { ChatChunk } from '../../../src/api/schema/inference/schemas.ts';
import { runSession, type SessionEnd, type SessionOptions } from '../../../src/chat/session.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';

const text = (content: string): ChatChunk => ({ choices: [{ index: 0, delta: { content } }] });
const finish: ChatChunk = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

/** Chunks that come when a test says so. */
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

describe('a streamed answer', () => {
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

  it('shows its first word at once, and then what came in each frame of 16 ms', async () => {
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

  it('that is stopped while its source fails, is stopped', async () => {
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

  it('leaves a source that it no longer reads, and nothing behind: no listener, no rejection', async () => {
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
