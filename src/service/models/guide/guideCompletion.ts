import type { Clock } from '../../../shared/clock.ts';
import type { CompletionBackend } from '../backend.ts';
import { inModelThread } from '../modelThread.ts';
import { tokensOf } from '../tokenizer.ts';
import { newId, type WireCompletion } from '../wire.ts';
import type { CompletionDrafts } from './completionDraft.ts';
import { guideTasks, tooLong } from './guideTasks.ts';

const guideCompletionModel = 'millrace-guide-completion-1';

/** Creates the built-in completion endpoint, which repeats the prompt: it shows how the API works, without a model. */
export function createGuideCompletion(clock: Clock): CompletionBackend {
  return {
    task: 'completion',
    model: guideCompletionModel,
    answer: async (request, { signal }) => {
      const head = {
        id: newId('cmpl'),
        object: 'text_completion' as const,
        created: Math.floor(clock.now() / 1000),
        model: guideCompletionModel,
      };
      const answer = await inModelThread(guideTasks.completion, { request, head }, { signal, refusal: tooLong });
      if (answer instanceof Uint8Array) return { kind: 'text', text: answer };
      return { kind: 'stream', chunks: streamDrafts(answer, request.n ?? 1, head, signal) };
    },
  };
}

type Head = Omit<WireCompletion, 'choices' | 'usage'>;

async function* streamDrafts(
  { drafts, usage }: CompletionDrafts,
  copies: number,
  head: Head,
  signal?: AbortSignal,
): AsyncGenerator<WireCompletion> {
  const chunk = (index: number, text: string, finishReason: string | null): WireCompletion => ({
    ...head,
    choices: [{ index, text, finish_reason: finishReason }],
  });
  for (const [index, draft] of drafts.entries()) {
    for (let copy = 1; copy <= copies; copy += 1) {
      if (draft.before !== '') yield chunk(index, draft.before, null);
      for (const token of tokensOf(draft.text)) {
        signal?.throwIfAborted();
        yield chunk(index, token, null);
      }
      const last = chunk(index, draft.after, draft.finishReason);
      yield index === drafts.length - 1 && copy === copies ? { ...last, usage } : last;
    }
  }
}
