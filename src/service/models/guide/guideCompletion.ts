import type { Clock } from '../../../shared/clock.ts';
import type { CompletionBackend } from '../backend.ts';
import { inModelThread } from '../modelThread.ts';
import { tokensOf } from '../tokenizer.ts';
import { newId, type WireCompletion } from '../wire.ts';
import type { CompletionDrafts } from './completionDraft.ts';
import { tooLong } from './guideReply.ts';
import { guideTasks, paced } from './guideTasks.ts';

const guideCompletionModel = 'millrace-guide-completion-1';

/** Creates the built-in completion model, which continues a prompt with an answer from the documentation. It runs on its own thread. */
export function createGuideCompletion(clock: Clock): CompletionBackend {
  return {
    task: 'completion',
    model: guideCompletionModel,
    answer: async (request, { signal }) => {
      const nowInMs = clock.now();
      const head = {
        id: newId('cmpl'),
        object: 'text_completion' as const,
        created: Math.floor(nowInMs / 1000),
        model: guideCompletionModel,
      };
      const answer = await inModelThread(
        guideTasks.completion,
        { request, nowInMs, head },
        { signal, refusal: tooLong },
      );
      if (answer instanceof Uint8Array) return { kind: 'text', text: answer };
      return { kind: 'stream', chunks: streamDrafts(answer, request.n ?? 1, head, { signal, clock }) };
    },
  };
}

type Head = Omit<WireCompletion, 'choices' | 'usage'>;

async function* streamDrafts(
  { drafts, usage }: CompletionDrafts,
  copies: number,
  head: Head,
  options: { signal?: AbortSignal; clock: Clock },
): AsyncGenerator<WireCompletion> {
  const chunk = (index: number, text: string, finishReason: string | null): WireCompletion => ({
    ...head,
    choices: [{ index, text, finish_reason: finishReason }],
  });
  for (const [index, draft] of drafts.entries()) {
    for (let copy = 1; copy <= copies; copy += 1) {
      if (draft.before !== '') yield chunk(index, draft.before, null);
      for await (const token of paced(tokensOf(draft.text), draft.count, options)) yield chunk(index, token, null);
      const last = chunk(index, draft.after, draft.finishReason);
      yield index === drafts.length - 1 && copy === copies ? { ...last, usage } : last;
    }
  }
}
