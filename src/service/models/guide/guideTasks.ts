import { type Clock, delay } from '../../../shared/clock.ts';
import type { AnyTask } from '../../background/serveTasks.ts';

/** The guide thinks in a thread: a question, or the patterns in it, may take any time. */
export const guideTasks = {
  chat: { name: 'guideChat', crew: 'models', load: async () => (await import('./chatDraft.ts')).draftChat },
  completion: {
    name: 'guideCompletion',
    crew: 'models',
    load: async () => (await import('./completionDraft.ts')).draftCompletions,
  },
  embedding: { name: 'guideEmbedding', crew: 'models', load: async () => (await import('./embedTexts.ts')).embedTexts },
} satisfies Record<string, AnyTask>;

/** Readable, and quick enough that nobody waits for it. */
const tokensPerSecond = 60;
/** A long answer is given faster, so that it is complete after this time. */
const maxAnswerInMs = 6000;

/**
 * Gives each of `count` items at its time, from the first one on; a late timer is made up for.
 * @throws AppError of the kind `aborted` as soon as the signal aborts
 */
export async function* paced<T>(
  items: Iterable<T>,
  count: number,
  options: { signal?: AbortSignal; clock: Clock },
): AsyncGenerator<T> {
  const { signal, clock } = options;
  const stepInMs = Math.min(1000 / tokensPerSecond, maxAnswerInMs / Math.max(1, count));
  const startInMs = clock.now();
  let index = 0;
  for (const item of items) {
    const waitInMs = startInMs + index * stepInMs - clock.now();
    if (waitInMs > 0 || signal?.aborted === true) await delay(waitInMs, { signal, clock });
    index += 1;
    yield item;
  }
}
