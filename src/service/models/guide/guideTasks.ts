import { type Clock, delay } from '../../../shared/clock.ts';
import type { AnyTask } from '../../background/serveTasks.ts';

/** The guide's thread tasks. A question, or a pattern in it, can take arbitrarily long. */
export const guideTasks = {
  chat: { name: 'guideChat', crew: 'models', load: async () => (await import('./chatDraft.ts')).draftChat },
  completion: {
    name: 'guideCompletion',
    crew: 'models',
    load: async () => (await import('./completionDraft.ts')).draftCompletions,
  },
  embedding: { name: 'guideEmbedding', crew: 'models', load: async () => (await import('./embedTexts.ts')).embedTexts },
} satisfies Record<string, AnyTask>;

/** Fast, but still readable while it streams. */
const tokensPerSecond = 60;
/** Maximum time to stream an answer. Longer answers stream faster. */
const maxAnswerInMs = 6000;

/**
 * Yields `count` items at a steady pace, the first immediately. Catches up after a late timer.
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
