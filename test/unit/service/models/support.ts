import assert from 'node:assert/strict';
import { chatChunk } from '../../../../src/api/schema/inference/schemas.ts';
import type { ModelAnswer } from '../../../../src/service/models/models.ts';
import type { WireCompletion } from '../../../../src/service/models/wire.ts';
import type { Clock } from '../../../../src/shared/clock.ts';
import { isAppError, type AppError } from '../../../../src/shared/errors.ts';

/** Returns a clock whose waits end immediately and are counted. */
export function quickClock(): Clock & { waitedInMs: number } {
  const clock = {
    waitedInMs: 0,
    nowInMs: 1_780_000_000_000,
    now: () => clock.nowInMs,
    schedule(delayInMs: number, callback: () => void) {
      // Long delays are time limits, so they never expire.
      if (delayInMs > 10_000) return () => undefined;
      const timer = setImmediate(() => {
        clock.nowInMs += delayInMs;
        clock.waitedInMs += delayInMs;
        callback();
      });
      return () => clearImmediate(timer);
    },
  };
  return clock;
}

export function bodyOf<T = Record<string, unknown>>(answer: ModelAnswer): T {
  if (answer.kind === 'text') return JSON.parse(new TextDecoder().decode(answer.text)) as T;
  assert.equal(answer.kind, 'json');
  return (answer as unknown as { body: T }).body;
}

export async function chunksOf<T = Record<string, unknown>>(answer: ModelAnswer): Promise<T[]> {
  assert.equal(answer.kind, 'stream');
  const chunks: T[] = [];
  for await (const chunk of (answer as { chunks: AsyncIterable<object> }).chunks) chunks.push(chunk as T);
  return chunks;
}

/** Checks the rules of a chat stream (Inference API, Events) and returns the text of each choice. */
export async function chatTexts(answer: ModelAnswer): Promise<string[]> {
  const chunks = (await chunksOf(answer)).map((chunk) => chatChunk.parse(chunk));
  const texts: string[] = [];
  const finished = new Set<number>();
  for (const chunk of chunks) {
    assert.equal(chunk.object, 'chat.completion.chunk');
    assert.equal(chunk.id, chunks[0]?.id);
    for (const choice of chunk.choices ?? []) {
      const index = choice.index ?? -1;
      assert.ok(!finished.has(index), 'a chunk came after the finish_reason');
      assert.equal(choice.delta?.role, index in texts ? undefined : 'assistant', 'role only in the first chunk');
      texts[index] = (texts[index] ?? '') + String(choice.delta?.content ?? '');
      if (choice.finish_reason) finished.add(index);
    }
  }
  assert.equal(finished.size, texts.length, 'a choice has no finish_reason');
  return texts;
}

export async function refusal(work: Promise<unknown>): Promise<AppError> {
  try {
    await work;
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: 'nothing was refused' });
}

/** Returns the text of one choice of a streamed completion. */
export function textOfChoice(chunks: readonly WireCompletion[], index: number): string {
  return chunks
    .flatMap((chunk) => chunk.choices)
    .filter((choice) => choice.index === index)
    .map((choice) => choice.text)
    .join('');
}
