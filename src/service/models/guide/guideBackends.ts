import type { Clock } from '../../../shared/clock.ts';
import { invalidModelParameter } from '../modelErrors.ts';
import { inModelThread, guideTasks, tooLong } from '../modelTasks.ts';
import type { ChatModelBackend, CompletionBackend, EmbeddingBackend } from '../modelTypes.ts';
import { tokensOf } from '../tokenizer.ts';
import { wantsBase64 } from '../upstream/readVectors.ts';
import { newId, type WireChatChunk, type WireDelta, type WireUsage, type WireCompletion } from '../wire.ts';
import type { ChatDraft, ChatHead } from './chatDraft.ts';
import type { CompletionDrafts } from './completionDraft.ts';
import { guideEmbeddingSize } from './embedTexts.ts';

const guideChatModel = 'millrace-guide-1';

/** Creates the built-in chat endpoint, which repeats what it is sent: it shows how the API works, without a model. */
export function createGuideChat(clock: Clock): ChatModelBackend {
  return {
    task: 'chat',
    model: guideChatModel,
    answer: async (request, { signal }) => {
      const head = { id: newId('chatcmpl'), created: Math.floor(clock.now() / 1000), model: guideChatModel };
      const answer = await inModelThread(guideTasks.chat, { request, head }, { signal, refusal: tooLong });
      if (answer instanceof Uint8Array) return { kind: 'text', text: answer };
      return { kind: 'stream', chunks: streamDraft(answer, request.n ?? 1, head, signal) };
    },
  };
}

async function* streamDraft(
  draft: ChatDraft,
  copies: number,
  head: ChatHead,
  signal?: AbortSignal,
): AsyncGenerator<WireChatChunk> {
  const all = Array.from({ length: copies }, (_unused, index) => index);
  const chunk = (
    index: number,
    delta: WireDelta,
    finishReason: string | null = null,
    usage?: WireUsage,
  ): WireChatChunk => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, finish_reason: finishReason }],
    ...(usage && { usage }),
  });
  for (const index of all) {
    yield chunk(index, { role: 'assistant', content: draft.toolCall ? null : '' });
    if (draft.toolCall) yield chunk(index, { tool_calls: [{ index: 0, ...draft.toolCall }] });
  }
  for (const content of tokensOf(draft.text)) {
    signal?.throwIfAborted();
    for (const index of all) yield chunk(index, { content });
  }
  for (const index of all) yield chunk(index, {}, draft.finishReason, index === copies - 1 ? draft.usage : undefined);
}

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

const guideEmbeddingModel = 'millrace-guide-embedding-1';

/**
 * Creates the built-in embedding model: texts that share words, word parts or synonyms get similar vectors. The same text always gets the
 * same vector. It runs on its own thread.
 */
export function createGuideEmbedding(): EmbeddingBackend {
  return {
    task: 'embedding',
    model: guideEmbeddingModel,
    answer: async (request, { signal }) => {
      if (request['dimensions'] !== undefined && request['dimensions'] !== guideEmbeddingSize) {
        throw invalidModelParameter(
          `${guideEmbeddingModel} returns vectors of ${guideEmbeddingSize} numbers and no other size. Leave dimensions out.`,
        );
      }
      const inputs = typeof request.input === 'string' ? [request.input] : request.input;
      const head = { id: newId('embd'), object: 'list' as const, model: guideEmbeddingModel };
      const task = { inputs, instruction: request.instruction ?? '', asBase64: wantsBase64(request), head };
      return { kind: 'text', text: await inModelThread(guideTasks.embedding, task, { signal, refusal: tooLong }) };
    },
  };
}
